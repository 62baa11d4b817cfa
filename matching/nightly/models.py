"""How the feed of a site is read, and the runs that have read it."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from schema_registry.accounts.models import Publisher


class SiteMapping(models.Model):
    """A version of how the rows of a site become events. The newest counts, and none is ever changed."""

    site = models.SlugField(_("site"), max_length=100, db_index=False)  # the unique key begins with it
    version = models.PositiveIntegerField(_("version"))
    publisher = models.ForeignKey(
        Publisher, models.PROTECT, related_name="site_mappings", verbose_name=_("publisher")
    )
    document = models.JSONField(_("mapping"))
    created_at = models.DateTimeField(_("created"))

    class Meta:
        verbose_name = _("mapping of a site")
        verbose_name_plural = _("mappings of sites")
        constraints = (
            models.UniqueConstraint(fields=["site", "version"], name="one_mapping_per_version_of_a_site"),
        )

    def __str__(self) -> str:
        return _("%(site)s, version %(version)d") % {"site": self.site, "version": self.version}


class NightlyRun(models.Model):
    """One night of a site under one version of its mapping, however often it is begun.

    Whoever runs it holds a lease by the database's time. `directory` has its files; a run that begins anew
    gets another one, so that nothing of a killed one is ever taken for its own.
    """

    class State(models.TextChoices):
        PREPARED = "prepared", _("prepared")
        COMPUTED = "computed", _("computed")
        LOADED = "loaded", _("loaded")
        FAILED = "failed", _("failed")

    site = models.SlugField(_("site"), max_length=100, db_index=False)
    date = models.DateField(_("date"))
    mapping = models.ForeignKey(SiteMapping, models.PROTECT, related_name="runs", verbose_name=_("mapping"))
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.PREPARED)
    directory = models.CharField(_("directory"), max_length=1_000, blank=True)
    counts = models.JSONField(_("counts"), default=dict)
    stages = models.JSONField(_("stages"), default=list)
    rejects = models.JSONField(_("rejects by reason"), default=list)
    quarantined = models.JSONField(_("quarantined files"), default=list)
    top_matches = models.JSONField(_("searches with the most matches"), default=list)
    alerts = models.JSONField(_("out of the usual range"), default=list)
    problem = models.TextField(_("problem"), blank=True)
    began_at = models.DateTimeField(pgettext_lazy("when", "began"))
    ended_at = models.DateTimeField(pgettext_lazy("when", "ended"), null=True, blank=True)
    # How often it was begun since it last ended by itself, and what for: in the words of `manage.py nightly`.
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0, editable=False)
    told = models.JSONField(default=dict, editable=False)
    is_reported = models.BooleanField(default=False, editable=False)  # how it ended: by log and figures
    holder = models.CharField(max_length=32, blank=True, editable=False)
    leased_until = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = _("nightly run")
        verbose_name_plural = _("nightly runs")
        constraints = (
            models.UniqueConstraint(fields=["site", "date", "mapping"], name="one_run_per_night_and_mapping"),
        )

    def __str__(self) -> str:
        return _("%(site)s on %(date)s") % {"site": self.site, "date": self.date}
