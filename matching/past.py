"""Past events as they are now, read from the database.

Of an item's revisions only the newest counts; if that one was withdrawn or parked, none does.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from functools import cache

from django.db.models import Exists, OuterRef, Q, QuerySet

from matching.models import PublishedEvent
from matching.previews import PastEvent
from schema_registry.selectors import schema_at

EVENTS_PER_PAGE = 500
COUNTING_STATES = frozenset({PublishedEvent.State.ACCEPTED, PublishedEvent.State.MATCHED})
_FIELDS = ("pk", "accepted_at", "schema_version", "document")


def has_newer_revision() -> Exists:
    newer = PublishedEvent.objects.filter(
        publisher=OuterRef("publisher"),
        external_id=OuterRef("external_id"),
        revision__gt=OuterRef("revision"),
    )
    return Exists(newer)


def counting() -> QuerySet[PublishedEvent]:
    """The events that count."""
    return PublishedEvent.objects.filter(~has_newer_revision(), state__in=sorted(COUNTING_STATES))


def past_events(*, since: datetime, until: datetime) -> Iterator[list[PastEvent]]:
    """What was accepted between these moments, newest first, a query a page."""
    rows = counting().filter(accepted_at__gte=since).order_by("-accepted_at", "-pk").values_list(*_FIELDS)
    read = _Reader()
    page = list(rows.filter(accepted_at__lte=until)[:EVENTS_PER_PAGE])
    while page:
        yield [read.event(*row) for row in page]
        number, moment, *_ = page[-1]
        # The first condition is for the index, the second for events accepted at the same moment.
        rest = rows.filter(Q(accepted_at__lt=moment) | Q(pk__lt=number), accepted_at__lte=moment)
        page = list(rest[:EVENTS_PER_PAGE])


def past_events_after(
    number: int, *, since: datetime, until: datetime, most: int
) -> Iterator[list[PastEvent]]:
    """The same of those that were stored after this one, of the last `most` of them."""
    last = counting().filter(pk__gt=number).order_by("-pk").values_list("accepted_at", "pk")[:most]
    chosen = sorted((row for row in last if since <= row[0] <= until), reverse=True)
    yield from pages_of([number for _, number in chosen])


def pages_of(numbers: Sequence[int]) -> Iterator[list[PastEvent]]:
    """Of the events of these numbers, which come newest first, those that count, a query a page."""
    for first in range(0, len(numbers), EVENTS_PER_PAGE):
        yield events_of(numbers[first : first + EVENTS_PER_PAGE])


def events_of(numbers: Collection[int]) -> list[PastEvent]:
    """Of the events of these numbers those that count, newest first."""
    rows = counting().filter(pk__in=numbers).order_by("-accepted_at", "-pk").values_list(*_FIELDS)
    read = _Reader()
    return [read.event(*row) for row in rows]


class _Reader:
    """Makes events of rows; each schema version is asked for once."""

    def __init__(self) -> None:
        self._schema = cache(schema_at)

    def event(self, number: int, accepted_at: datetime, version: int, document: object) -> PastEvent:
        return PastEvent(number, accepted_at, self._schema(version).validate(document))
