"""The integrated event schema in tables.

Nothing is ever changed or deleted: each row says since which version it is there, so the schema of any
version can be read again, and an event is always matched under the version it was validated with.
Only `services` writes these tables.
"""

import uuid

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from schema_registry.accounts.models import Publisher
from schema_registry.core.definitions import MAX_IDENTIFIER, MAX_NAME

LONGEST_SUBJECT = 400


class SchemaLock(models.Model):
    """One row, locked by whoever changes the schema, so that versions follow each other without gaps."""


class SchemaVersion(models.Model):
    """What changed with this version, by whom and why."""

    class Rule(models.TextChoices):
        CREATE_DOMAIN = "create_domain", _("domain created")
        CREATE_ATTRIBUTE = "create_attribute", _("attribute created")
        EXTEND_EVENT_TYPE = "extend_event_type", _("event type extended")
        CREATE_EVENT_TYPE = "create_event_type", _("event type created")
        ADD_VALUES = "add_values", _("values added")
        DEPRECATE = "deprecate", _("deprecated")
        RESTORE = "restore", _("deprecation taken back")
        MERGE_DOMAINS = "merge_domains", _("domains merged")

    version = models.PositiveIntegerField(_("version"), primary_key=True)
    # Numbers repeat in a restored or rolled-back database; what is cached goes by this instead.
    token = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    rule = models.CharField(_("change"), max_length=20, choices=Rule)
    subject = models.CharField(pgettext_lazy("column", "of"), max_length=LONGEST_SUBJECT)
    why = models.TextField(_("why"), blank=True)
    publisher = models.ForeignKey(
        Publisher, models.PROTECT, null=True, blank=True, verbose_name=_("publisher")
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        verbose_name=pgettext_lazy("column", "by"),
    )
    created_at = models.DateTimeField(_("at"), auto_now_add=True, db_index=True)

    class Meta:
        verbose_name = _("schema version")
        verbose_name_plural = _("schema versions")
        ordering = ("-version",)

    def __str__(self) -> str:
        return f"{self.version}: {self.get_rule_display()}, {self.subject}"


class SchemaPart(models.Model):
    since = models.PositiveIntegerField(_("since version"), editable=False)

    class Meta:
        abstract = True


class Deprecation(SchemaPart):
    """A name was deprecated from one version up to another. `section` is as in the schema's dict."""

    section = models.CharField(max_length=12)
    domain = models.CharField(max_length=MAX_NAME, blank=True)  # of a value
    name = models.CharField(max_length=MAX_IDENTIFIER)
    until = models.PositiveIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.section}: {self.name}"


class Deprecable(SchemaPart):
    """A part that people may be kept from using anew. It goes on working in events and subscriptions.

    The mark says how it is now; `Deprecation` remembers how it was.
    """

    deprecated_since = models.PositiveIntegerField(
        _("deprecated since version"), null=True, blank=True, editable=False
    )

    class Meta:
        abstract = True


class Domain(Deprecable):
    class Kind(models.TextChoices):
        NUMERIC = "numeric", _("numbers")
        STRING = "string", _("strings")
        TEXT = "text", _("free text")
        ENUMERATED = "enumerated", _("list of values")
        HIERARCHICAL = "hierarchical", _("tree of values")

    name = models.CharField(_("name"), max_length=MAX_NAME, unique=True)
    kind = models.CharField(_("kind"), max_length=12, choices=Kind)
    details = models.JSONField(
        _("details"), default=dict, help_text=_("Its definition without kind, values, labels and order.")
    )
    merged_into = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, editable=False, verbose_name=_("merged into")
    )
    merged_since = models.PositiveIntegerField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("domain")
        verbose_name_plural = _("domains")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class DomainValue(Deprecable):
    """A value of an enumerated or hierarchical domain."""

    domain = models.ForeignKey(Domain, models.PROTECT, related_name="values", verbose_name=_("domain"))
    identifier = models.CharField(_("identifier"), max_length=MAX_IDENTIFIER)
    label = models.CharField(_("label"), max_length=MAX_IDENTIFIER, blank=True)
    parent = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="children", verbose_name=_("parent")
    )

    class Meta:
        verbose_name = _("value")
        verbose_name_plural = _("values")
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=["domain", "identifier"], name="an_identifier_is_unique_in_its_domain"
            ),
        )
        indexes = (models.Index(fields=["since"], name="values_of_a_version"),)

    def __str__(self) -> str:
        return self.label or self.identifier


class OrderPair(SchemaPart):
    """The lower value is below the higher one, in the partial order of their enumerated domain."""

    lower = models.ForeignKey(DomainValue, models.PROTECT, related_name="+", verbose_name=_("lower"))
    higher = models.ForeignKey(DomainValue, models.PROTECT, related_name="+", verbose_name=_("higher"))

    class Meta:
        verbose_name = _("order pair")
        verbose_name_plural = _("order pairs")
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=["lower", "higher"], name="a_pair_is_given_once"),)

    def __str__(self) -> str:
        return f"{self.lower} < {self.higher}"


class Attribute(Deprecable):
    name = models.CharField(_("name"), max_length=MAX_NAME, unique=True)
    domain = models.ForeignKey(Domain, models.PROTECT, related_name="attributes", verbose_name=_("domain"))

    class Meta:
        verbose_name = _("attribute")
        verbose_name_plural = _("attributes")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class EventType(Deprecable):
    name = models.CharField(_("name"), max_length=MAX_NAME, unique=True)

    class Meta:
        verbose_name = _("event type")
        verbose_name_plural = _("event types")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class EventTypeAttribute(SchemaPart):
    event_type = models.ForeignKey(
        EventType, models.PROTECT, related_name="attributes", verbose_name=_("event type")
    )
    attribute = models.ForeignKey(
        Attribute, models.PROTECT, related_name="event_types", verbose_name=_("attribute")
    )
    mandatory = models.BooleanField(_("mandatory"), default=False)
    multiple = models.BooleanField(_("several values"), default=False)

    class Meta:
        verbose_name = _("attribute of an event type")
        verbose_name_plural = _("attributes of event types")
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=["event_type", "attribute"], name="an_attribute_is_once_in_an_event_type"
            ),
        )

    def __str__(self) -> str:
        return f"{self.event_type}.{self.attribute}"


class EventView(models.Model):
    """A publisher's named view: the event types, and the attributes, that its events carry."""

    publisher = models.ForeignKey(
        Publisher, models.CASCADE, related_name="views", verbose_name=_("publisher")
    )
    name = models.CharField(_("name"), max_length=MAX_NAME)
    event_types = models.JSONField(_("event types"))
    attributes = models.JSONField(_("attributes"))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("view")
        verbose_name_plural = _("views")
        ordering = ("publisher", "name")
        constraints = (
            models.UniqueConstraint(
                fields=["publisher", "name"], name="a_view_name_is_unique_for_its_publisher"
            ),
        )

    def __str__(self) -> str:
        return self.name
