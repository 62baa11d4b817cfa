"""Asking the columns, exactly: what they have, corrected by what has happened to their events since.

The files say what was so when they were written. What changed later is found in the database: events that
were withdrawn, parked or tried again leave a moment behind; items that were published again are among the
events that came since. What comes after `covered` is not in the files, and is for the caller to read.

The files stay mapped from one request to the next.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import structlog
from django.conf import settings
from django.db import connection
from django.db.models import Max, QuerySet
from numpy.typing import NDArray

from matching.algorithms.columns import Matchable
from matching.models import PublishedEvent
from matching.past import counting
from matching.recent import files, manifest
from matching.recent.files import BrokenFileError
from matching.recent.judging import Judge, Mask
from matching.recent.manifest import Manifest
from matching.recent.searching import Found, Part, search
from matching.recent.segments import Segment, microseconds
from schema_registry.selectors import schema_at

# By so much may a change of state become visible after the moment it bears.
OVERLAP = timedelta(minutes=1)
_NUMBERS_AT_ONCE = 900  # some builds of SQLite take 999 parameters
_TRIES = 3  # each means that the files were replaced just then
_SUPERSEDED = """
    SELECT older.id FROM matching_publishedevent AS newer JOIN matching_publishedevent AS older
        ON older.publisher_id = newer.publisher_id AND older.external_id = newer.external_id
        AND older.revision < newer.revision
    WHERE newer.id > %s AND newer.id <= %s"""
_ANY = 2**62
_log = structlog.get_logger(__name__)
_mapped: dict[str, Any] = {}
_mapping = Lock()


@dataclass(frozen=True, slots=True)
class Columns:
    """The segments of a manifest, mapped."""

    manifest: Manifest
    parts: tuple[Part, ...]

    @property
    def covered(self) -> int:
        return self.manifest.covered

    def find(
        self,
        subscription: Matchable,
        *,
        since: datetime,
        until: datetime,
        newest: int,
        clock: Callable[[], float],
    ) -> Found:
        """What it matches among the events that are covered and count at this moment."""
        version = max((part.segment.version for part in self.parts), default=0)
        schema = subscription.schema if subscription.schema.version >= version else schema_at(version)
        changed = changed_since(self.manifest, up_to=self.covered)
        is_counting = counting_among(changed)
        gone = [number for number in changed if number not in is_counting]
        gone += superseded_by(self.covered, _ANY)
        parts = corrected(self.parts, gone=gone, counting=is_counting)
        judge = Judge(subscription.conjunctions, schema)
        return search(reversed(parts), judge, since=since, until=until, newest=newest, clock=clock)


def folder() -> Path:
    return Path(settings.VAR) / "recent"


def opened(*, now: datetime) -> Columns | None:
    """The columns, if there are any and they belong to this database."""
    for _ in range(_TRIES):
        try:
            found = manifest.read(folder())
            if found is None or not found.segments or not fits(found, now=now):
                return None
            return Columns(found, _parts(found))
        except BrokenFileError as error:
            _log.warning("recent_columns_unreadable", error=str(error))
    return None


def fits(found: Manifest, *, now: datetime) -> bool:
    """Whether it was made from this database; not so after another one took its place."""
    last = [entry.last for entry in found.segments]
    rows = PublishedEvent.objects.filter(pk__in=last).values_list("pk", "digest", "accepted_at")
    known = {number: (digest, microseconds(accepted_at)) for number, digest, accepted_at in rows}
    forgotten = now - timedelta(days=settings.RETENTION_DAYS)
    for entry in found.segments:
        if entry.last_accepted_at < microseconds(forgotten):
            continue
        if known.get(entry.last) != (entry.digest, entry.last_accepted_at):
            return False
    if found.changed_at is None or found.changed_at < forgotten:
        return True
    newest = newest_change()
    return newest is not None and newest >= found.changed_at


def newest_change() -> datetime | None:
    """When the state of an event changed last."""
    changed = PublishedEvent.objects.filter(state_changed_at__isnull=False)  # as the index has it
    moment: datetime | None = changed.aggregate(newest=Max("state_changed_at"))["newest"]
    return moment


def changed_since(found: Manifest, *, up_to: int) -> list[int]:
    """The events up to this number whose state may differ from what the files say."""
    if found.as_of is None:
        return []
    changed = PublishedEvent.objects.filter(state_changed_at__gte=found.as_of - OVERLAP, pk__lte=up_to)
    # In the order of the index, or else a database may prefer to read all events up to that number.
    numbers = changed.order_by("state_changed_at").values_list("pk", flat=True)
    return sorted({*numbers, *found.parked})


def counting_among(numbers: Sequence[int]) -> set[int]:
    return among(numbers, counting())


def among(numbers: Sequence[int], events: QuerySet[PublishedEvent]) -> set[int]:
    """Those that are numbers of these events; a query for some hundreds."""
    found: set[int] = set()
    for first in range(0, len(numbers), _NUMBERS_AT_ONCE):
        portion = numbers[first : first + _NUMBERS_AT_ONCE]
        found.update(events.filter(pk__in=portion).values_list("pk", flat=True))
    return found


def superseded_by(after: int, up_to: int) -> list[int]:
    """The events of which newer revisions are among those with these numbers."""
    with connection.cursor() as cursor:
        cursor.execute(_SUPERSEDED, [after, up_to])
        return [number for (number,) in cursor.fetchall()]


def corrected(
    parts: Collection[Part], *, gone: Collection[int], counting: Collection[int]
) -> tuple[Part, ...]:
    """The parts with these events out, or in again; a mask that stays as it is stays the same object."""
    out, back = (np.array(sorted(numbers), np.int64) for numbers in (gone, counting))
    return tuple(Part(segment, _with(segment, mask, out, back)) for segment, mask in parts)


def _with(segment: Segment, mask: Mask, out: NDArray[np.int64], back: NDArray[np.int64]) -> Mask:
    changed: Mask | None = None
    for numbers, value in ((back, True), (out, False)):
        if len(segment) and len(numbers):
            places, are_here = segment.places_of(numbers)
            places = places[are_here]
            if (mask[places] != value).any():
                changed = mask.copy() if changed is None else changed
                changed[places] = value
    return mask if changed is None else changed


def _parts(found: Manifest) -> tuple[Part, ...]:
    """From memory, or else mapped; what the manifest does not name is let go."""
    with _mapping:
        kept: dict[str, Any] = {}
        for entry in found.segments:
            kept[entry.name] = _mapped.get(entry.name) or files.read_segment(folder() / entry.name)
            mask = _mapped.get(entry.counting)
            kept[entry.counting] = files.read_mask(folder() / entry.counting) if mask is None else mask
        _mapped.clear()
        _mapped.update(kept)
        parts = tuple(Part(kept[entry.name], kept[entry.counting]) for entry in found.segments)
    for segment, mask in parts:
        if len(segment) != len(mask):
            raise BrokenFileError("A segment and its mask do not fit.")
    return parts
