"""Adding to the counts of minutes and hours. Whoever adds holds the lock of `TrafficPosition`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db import transaction

from matching.models import Traffic, TrafficPosition
from matching.traffic import histogram

MINUTES_KEPT_FOR = timedelta(hours=3)  # they are shown for one


class Slot(NamedTuple):
    publisher: int
    span: int
    begins_at: datetime


@dataclass(slots=True)
class More:
    """What comes to the counts of a slot."""

    accepted: int = 0
    refused: int = 0
    waits: Counter[int] = field(default_factory=Counter)


class Additions:
    """What comes to the slots, by the moment it happened; to minutes only while they are kept."""

    def __init__(self, *, now: datetime) -> None:
        self._minutes_since = now - MINUTES_KEPT_FOR
        self._more: dict[Slot, More] = {}

    def at(self, publisher: int, moment: datetime) -> tuple[More, ...]:
        """Of its hour, and of its minute."""
        spans = list(Traffic.Span) if moment >= self._minutes_since else [Traffic.Span.HOUR]
        slots = (Slot(publisher, span, begin_of(span, moment)) for span in spans)
        return tuple(self._more.setdefault(slot, More()) for slot in slots)

    def store(self) -> None:
        """O(slots): one query to read them, one to write them."""
        if not self._more:
            return
        known = _known(self._more)
        rows = [_row(slot, more, known.get(slot)) for slot, more in self._more.items()]
        Traffic.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["publisher", "span", "begins_at"],
            update_fields=["accepted", "refused", "waits"],
        )


def begin_of(span: int, moment: datetime) -> datetime:
    """Of the minute or the hour that the moment is in."""
    utc = moment.astimezone(UTC).replace(microsecond=0)
    return utc - timedelta(seconds=(utc.minute * 60 + utc.second) % span)


@contextmanager
def counting() -> Iterator[TrafficPosition]:
    """A transaction in which nobody else counts; the position is stored at its end."""
    with transaction.atomic():
        position = TrafficPosition.objects.select_for_update().get(pk=1)
        yield position
        position.save()


def _known(slots: Mapping[Slot, More]) -> dict[Slot, Traffic]:
    rows = Traffic.objects.filter(
        publisher__in={slot.publisher for slot in slots},
        span__in=list(Traffic.Span),
        begins_at__in={slot.begins_at for slot in slots},
    )
    return {Slot(row.publisher_id, row.span, row.begins_at): row for row in rows}


def _row(slot: Slot, more: More, known: Traffic | None) -> Traffic:
    row = known or Traffic(publisher_id=slot.publisher, span=slot.span, begins_at=slot.begins_at)
    waits = histogram.added([_buckets(row.waits), more.waits])
    return Traffic(
        publisher_id=row.publisher_id,
        span=row.span,
        begins_at=row.begins_at,
        accepted=row.accepted + more.accepted,
        refused=row.refused + more.refused,
        waits={str(bucket): count for bucket, count in sorted(waits.items())},
    )


def _buckets(stored: Mapping[str, int]) -> dict[int, int]:
    """JSON has no numbers for keys."""
    return {int(bucket): count for bucket, count in stored.items()}
