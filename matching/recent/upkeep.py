"""Keeping the columns: new events become segments, small segments are merged, and what is over is dropped.

Files are only added and removed, and the manifest is replaced when they are there: whoever reads has the old
state or the new one. What cannot be read or belongs to another database is made anew. Only one process does
this at a time; what it has not done yet is read from the database meanwhile, so nobody waits for it.
"""

import fcntl
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any

import numpy as np
import structlog
from django.conf import settings

from matching.models import PublishedEvent
from matching.past import COUNTING_STATES, has_newer_revision
from matching.recent import files, manifest
from matching.recent.files import BrokenFileError
from matching.recent.judging import Mask
from matching.recent.manifest import Entry, Manifest
from matching.recent.reading import (
    among,
    changed_since,
    corrected,
    counting_among,
    fits,
    folder,
    newest_change,
    superseded_by,
)
from matching.recent.searching import Part
from matching.recent.segments import RecentEvent, Segment, encode, merged, microseconds
from matching.recent.settling import Settling, database_time
from schema_registry.selectors import schema_at

KEPT_DAYS = 91  # a preview looks back 90 days at most, the first of them from its beginning
EVENTS_AT_ONCE = 5_000
LEAST_CHANGES = 256  # fewer are read from the database as quickly
SEGMENT_EVENTS = 65_536
_PARKED = PublishedEvent.State.PARKED
_LOCK = "lock"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A part with its entry, whose names are None for what is not in a file yet."""

    part: Part
    name: str | None
    counting: str | None
    digest: str  # of its last event


def keep(
    settling: Settling,
    *,
    now: datetime,
    clock: Callable[[], float],
    seconds: float = float("inf"),
    least: int = LEAST_CHANGES,
) -> bool:
    """Bring the columns up to date, a portion at a time, for about so many seconds; whether that was all.

    Whoever calls this again and again keeps `settling` from one call to the next.
    """
    deadline = clock() + seconds
    with _alone() as is_alone:
        if not is_alone:
            return True
        current, kept = _opened(now)
        while (step := _step(current, kept, settling, now=now, least=least)) is not None:
            current, kept = _written(*step)
            if clock() > deadline:
                return False
    return True


@contextmanager
def _alone() -> Iterator[bool]:
    folder().mkdir(exist_ok=True)
    with open(folder() / _LOCK, "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _opened(now: datetime) -> tuple[Manifest, list[_Kept]]:
    """What there is; nothing if it is broken or foreign."""
    try:
        found = manifest.read(folder())
        if found is not None and fits(found, now=now):
            return found, [_read(entry) for entry in found.segments]
        if found is not None:
            _log.warning("recent_columns_foreign")
    except BrokenFileError as error:
        _log.warning("recent_columns_broken", error=str(error))
    return Manifest(), []


@lru_cache(maxsize=1_000)
def _checked(name: str) -> bool:
    """A file never changes, so its checksum is looked at once."""
    files.read(folder() / name, thoroughly=True)
    return True


def _read(entry: Entry) -> _Kept:
    _checked(entry.name)
    _checked(entry.counting)
    part = Part(files.read_segment(folder() / entry.name), files.read_mask(folder() / entry.counting))
    return _Kept(part, entry.name, entry.counting, entry.digest)


def _step(
    current: Manifest, kept: Sequence[_Kept], settling: Settling, *, now: datetime, least: int
) -> tuple[Manifest, list[_Kept]] | None:
    """The next state, or None if there is too little to do."""
    as_of = database_time()
    fresh, covered = _fresh(current, up_to=settling.settled())
    changed = changed_since(current, up_to=current.covered)
    is_counting = counting_among(changed)
    gone = {*_deleted(kept, now), *superseded_by(current.covered, covered), *changed} - is_counting
    young = [each for each in kept if each.part.segment.accepted_at.max() >= _days_ago(now, KEPT_DAYS)]
    parts = corrected([each.part for each in young], gone=gone, counting=is_counting)
    following = [_with(each, part) for each, part in zip(young, parts, strict=True)]
    news = sum(_differences(each, part) for each, part in zip(young, parts, strict=True))
    if len(fresh) + news + len(kept) - len(young) < least:
        return None
    parked = among(changed, PublishedEvent.objects.filter(state=_PARKED))
    parked.update(row.number for row in fresh if row.state == _PARKED)
    _append(following, fresh, now)
    return Manifest(covered, as_of, newest_change(), tuple(sorted(parked))), following


def _with(each: _Kept, part: Part) -> _Kept:
    return each if part.counting is each.part.counting else replace(each, part=part, counting=None)


def _differences(each: _Kept, part: Part) -> int:
    if part.counting is each.part.counting:
        return 0
    return int(np.count_nonzero(part.counting != each.part.counting))


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    accepted_at: datetime
    schema_version: int
    document: Any
    digest: str
    state: str
    is_superseded: bool


def _fresh(current: Manifest, *, up_to: int) -> tuple[list[_Row], int]:
    """The next events, and up to which number that is all there is."""
    following = PublishedEvent.objects.filter(pk__gt=current.covered, pk__lte=up_to).order_by("pk")
    rows = [
        _Row(*row)
        for row in following.annotate(is_superseded=has_newer_revision()).values_list(
            "pk", "accepted_at", "schema_version", "document", "digest", "state", "is_superseded"
        )[:EVENTS_AT_ONCE]
    ]
    covered = rows[-1].number if len(rows) == EVENTS_AT_ONCE else max(up_to, current.covered)
    return rows, covered


def _append(kept: list[_Kept], rows: Sequence[_Row], now: datetime) -> None:
    """Add a segment of those that count or may count again, and merge the last ones while they are small."""
    states, since = COUNTING_STATES | {_PARKED}, now - timedelta(days=KEPT_DAYS)
    chosen = [
        row for row in rows if row.state in states and row.accepted_at >= since and not row.is_superseded
    ]
    if not chosen:
        return
    schema = cache(schema_at)
    segment = encode(
        [
            RecentEvent(
                row.number,
                microseconds(row.accepted_at),
                schema(row.schema_version).validate(row.document),
            )
            for row in chosen
        ]
    )
    mask = np.array([row.state != _PARKED for row in chosen], np.bool_)
    kept.append(_Kept(Part(segment, mask), None, None, chosen[-1].digest))
    while len(kept) > 1 and _is_to_be_merged(kept[-2].part.segment, kept[-1].part.segment):
        last, previous = kept.pop(), kept.pop()
        kept.append(_Kept(_merged(previous.part, last.part), None, None, last.digest))


def _is_to_be_merged(previous: Segment, last: Segment) -> bool:
    """So an event is written a few times, and of each size there is about one segment."""
    return len(previous) <= 2 * len(last) and len(previous) + len(last) <= SEGMENT_EVENTS


def _merged(previous: Part, last: Part) -> Part:
    mask: Mask = np.concatenate((previous.counting, last.counting))
    return Part(merged(previous.segment, last.segment), mask)


def _deleted(kept: Sequence[_Kept], now: datetime) -> list[int]:
    """Events so old that they may be deleted by now, and are."""
    moment = _days_ago(now, settings.RETENTION_DAYS)
    found: list[int] = []
    for each in kept:
        segment, counting = each.part
        found += segment.ids[counting & (segment.accepted_at < moment)][:EVENTS_AT_ONCE].tolist()
    asked = found[:EVENTS_AT_ONCE]
    there = among(asked, PublishedEvent.objects.all())
    return [number for number in asked if number not in there]


def _written(next_state: Manifest, kept: Sequence[_Kept]) -> tuple[Manifest, list[_Kept]]:
    """Write what is not in a file yet, then the manifest; then remove what nobody needs any more."""
    stored = [_stored(each) for each in kept]
    written = replace(next_state, segments=tuple(_entry(each) for each in stored))
    manifest.write(folder(), written)
    for path in folder().iterdir():
        if path.name != _LOCK and not manifest.is_named(written, path):
            path.unlink()
    _log.info("recent_columns_kept", covered=written.covered, segments=len(stored))
    return written, stored


def _stored(each: _Kept) -> _Kept:
    name, counting = each.name, each.counting
    if name is None:
        name = f"{each.part.segment.ids[-1]}-{secrets.token_hex(4)}.segment"
        files.write_segment(folder() / name, each.part.segment)
    if counting is None:
        counting = f"{each.part.segment.ids[-1]}-{secrets.token_hex(4)}.counting"
        files.write_mask(folder() / counting, each.part.counting)
    return replace(each, name=name, counting=counting)


def _entry(each: _Kept) -> Entry:
    segment = each.part.segment
    assert each.name is not None
    assert each.counting is not None
    return Entry(
        name=each.name,
        counting=each.counting,
        last=int(segment.ids[-1]),
        digest=each.digest,
        last_accepted_at=int(segment.accepted_at[-1]),
    )


def _days_ago(now: datetime, days: int) -> int:
    return microseconds(now - timedelta(days=days))
