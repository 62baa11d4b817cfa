"""A person's hours, from their preferences."""

from datetime import UTC, time, tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import BigIntegerField, QuerySet

from notifications.core.policy import Hours
from notifications.models import Preferences
from notifications.prepared import Given, Prepared

COLUMNS = ("time_zone", "quiet_from", "quiet_until", "digest_at", "digest_weekday")


@Prepared
def _preferred() -> QuerySet[Preferences, Any]:
    return Preferences.objects.filter(pk=Given("owner", BigIntegerField())).values_list(*COLUMNS)


def hours_of(owner_id: int) -> Hours:
    """Whoever has no preferences is told at any hour, and gets digests by UTC."""
    row, *_ = _preferred.rows(owner=owner_id) or [(None,) * len(COLUMNS)]
    return hours_from(row)


@lru_cache(maxsize=10_000)
def hours_from(
    row: tuple[str | None, time | str | None, time | str | None, time | str | None, int | None],
) -> Hours:
    """The columns as a database gives them: SQLite has no times, so they come as text."""
    zone, quiet_from, quiet_until, digest_at, weekday = row
    if zone is None:
        return Hours()
    return Hours(
        zone=_zone(zone),
        quiet_from=_time(quiet_from),
        quiet_until=_time(quiet_until),
        digest_at=_time(digest_at) or Hours().digest_at,
        digest_weekday=weekday or 0,
    )


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # the machine's list of zones is older than the choice
        return UTC


def _time(value: time | str | None) -> time | None:
    return time.fromisoformat(value) if isinstance(value, str) else value
