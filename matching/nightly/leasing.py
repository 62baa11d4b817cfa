"""Who runs a night: one process at a time, and of a site's nights one at a time, by a lease in the database.

Each night says which revision of an item is the next, so two of a site cannot be run side by side.
"""

from datetime import timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from matching import failpoints
from matching.models import NightlyRun, SiteMapping
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

LEASE = timedelta(seconds=30)


class AlreadyRunning(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """Another process is at it."""

    code = "already_running"


class SiteIsBusy(InputError):  # noqa: N818 - named for what happened
    """Another process is at another night of the site."""

    code = "site_is_busy"


def free() -> QuerySet[NightlyRun]:
    """What nobody holds."""
    return NightlyRun.objects.filter(Q(leased_until=None) | Q(leased_until__lt=Now()))


def held() -> QuerySet[NightlyRun]:
    """What somebody runs now."""
    return NightlyRun.objects.filter(leased_until__gte=Now())


def take(row: NightlyRun) -> str:
    """The token of whoever holds it from now on. Raises AlreadyRunning and SiteIsBusy."""
    token = uuid4().hex
    with transaction.atomic():
        # Those who would take two nights of a site at once wait here for each other.
        list(SiteMapping.objects.select_for_update().filter(site=row.site).order_by("version")[:1])
        if not free().filter(pk=row.pk).exists():
            raise AlreadyRunning(_("Another process is running {run}.", run=str(row)))
        if (other := held().filter(site=row.site).first()) is not None:
            raise SiteIsBusy(
                _(
                    "Another process is running {other}; of a site's nights one is done at a time.",
                    other=str(other),
                )
            )
        free().filter(pk=row.pk).update(holder=token, leased_until=Now() + LEASE)
        failpoints.at_commit("nightly")
    return token


def let_go(number: int, token: str) -> None:
    NightlyRun.objects.filter(pk=number, holder=token).update(holder="", leased_until=None)
