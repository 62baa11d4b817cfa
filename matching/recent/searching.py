"""What a subscription finds in the segments: how many on each day, and the newest. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching.recent.judging import Judge, Mask
from matching.recent.segments import Segment, microseconds

MOST_EVENTS = 2_000_000
MOST_SECONDS = 3.0
_DAY = 86_400_000_000  # microseconds
_FIRST_DAY = date(1970, 1, 1)


class Part(NamedTuple):
    """A segment, and which of its events count."""

    segment: Segment
    counting: Mask


@dataclass(frozen=True, slots=True)
class Found:
    """`newest` are the numbers of the newest that match; `oldest` the earliest moment that was looked at.

    `is_cut` if there were too many events to look at all of them.
    """

    days: Counter[date]
    newest: tuple[int, ...]
    looked_at: int
    oldest: datetime | None
    is_cut: bool


def search(
    parts: Iterable[Part],
    judge: Judge,
    *,
    since: datetime,
    until: datetime,
    newest: int,
    clock: Callable[[], float],
    most_events: int = MOST_EVENTS,
) -> Found:
    """Judge the events accepted between two moments. The parts come newest first. O(values)."""
    deadline = clock() + MOST_SECONDS
    low, high = microseconds(since), microseconds(until)
    days: Counter[date] = Counter()
    candidates: list[tuple[int, int]] = []
    looked_at, oldest, is_cut = 0, None, False
    for segment, counting in parts:
        asked = counting & (segment.accepted_at >= low) & (segment.accepted_at <= high)
        count = int(np.count_nonzero(asked))
        if not count:
            continue
        if looked_at and (looked_at + count > most_events or clock() > deadline):
            is_cut = True
            break
        looked_at += count
        oldest = min(oldest or high, int(segment.accepted_at[asked].min()))
        rows = np.flatnonzero(judge.matches(segment) & asked)
        days.update(_days(segment.accepted_at[rows]))
        candidates = sorted(candidates + _newest(segment, rows, newest), reverse=True)[:newest]
    return Found(
        days=days,
        newest=tuple(number for _, number in candidates),
        looked_at=looked_at,
        oldest=None if oldest is None else since + timedelta(microseconds=oldest - low),
        is_cut=is_cut,
    )


def _days(accepted_at: NDArray[np.int64]) -> dict[date, int]:
    if not len(accepted_at):
        return {}
    days = accepted_at // _DAY
    first = int(days.min())
    counts = np.bincount(days - first).tolist()
    return {_FIRST_DAY + timedelta(days=first + after): count for after, count in enumerate(counts)}


def _newest(segment: Segment, rows: NDArray[np.int64], most: int) -> list[tuple[int, int]]:
    """The moments and numbers of the newest of these events. Sorting all of many would take too long."""
    if len(rows) > most:
        moments = segment.accepted_at[rows]
        rows = rows[moments >= np.partition(moments, -most)[-most]]
    chosen = rows[np.lexsort((segment.ids[rows], segment.accepted_at[rows]))[-most:]]
    return list(zip(segment.accepted_at[chosen].tolist(), segment.ids[chosen].tolist(), strict=True))
