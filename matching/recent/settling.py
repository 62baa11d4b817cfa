"""Up to which number all events are visible that ever will be.

PostgreSQL gives numbers when rows are written and shows them when they are committed, so a lower one may
appear after a higher one. But whoever has taken a lower number had begun its transaction by then: when all
that run now have begun later, nothing below can appear. SQLite has one writer at a time, so numbers appear in
order.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Max

from matching.models import PublishedEvent

_NEWEST = "SELECT coalesce(max(id), 0), clock_timestamp() FROM matching_publishedevent"
_OLDEST_TRANSACTION = """
    SELECT min(xact_start) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"""


@dataclass(frozen=True, slots=True)
class _Noted:
    """The newest number there was, and when that was."""

    number: int
    moment: datetime


class Settling:
    """Remembers a number until it has settled: where others always write, that takes more than one call."""

    def __init__(self) -> None:
        self._noted: _Noted | None = None

    def settled(self) -> int:
        """Such a number: the newest one, or while others write the newest one of an earlier call."""
        if connection.vendor == "sqlite":
            return PublishedEvent.objects.aggregate(newest=Max("pk"))["newest"] or 0
        with connection.cursor() as cursor:
            cursor.execute(_NEWEST)
            newest = _Noted(*cursor.fetchone())
            cursor.execute(_OLDEST_TRANSACTION)
            (oldest,) = cursor.fetchone()
        if oldest is None or oldest > newest.moment:
            self._noted = None
            return newest.number
        if self._noted is not None and oldest > self._noted.moment:
            number, self._noted = self._noted.number, newest
            return number
        self._noted = self._noted or newest
        return 0


def database_time() -> datetime:
    """By the clock that the rows' changes bear."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT strftime('%Y-%m-%d %H:%M:%f+00:00', 'now')")
            return datetime.fromisoformat(cursor.fetchone()[0])
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
