"""Where intervals begin and end, sorted into slots: the arrays of the exclusive method and of REIN.

Paper 004, section 3.3.1 and figure 1. For each dimension the range of all ends is cut into equal slots.
One array refers to conjunctions by the slot that their low end falls into, another by that of their high
end; an end that is missing is not there. All that begin after an event's value, or end before it, are
excluded: whole slots, and within the value's own slot those that a comparison finds. The paper keeps a
slot sorted by a red-black tree, or, to subscribe faster, unsorted in a linked list. Here slots are runs of
one array, sorted by end (then binary search finds where to begin), or in the order of arrival.

In Algorithm 1, lines 20-24 delete "from the first slot to beta"; its own prose, and reason, say *before*
beta.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.intervals import Ends, Hull, Intervals

SlotOrder = Literal["sorted", "linked"]
Members = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Side:
    """The ends on one side in one dimension: `members` slot after slot, `start[k]` where slot k begins."""

    members: Members
    start: NDArray[np.int64]
    half_least: float
    half_span: float

    @classmethod
    def of(cls, members: Members, ends: Ends, count: int, order: SlotOrder) -> "_Side":
        # Halves, because the span of two large numbers may be too large for a number.
        half_least, half_greatest = (float(ends.min() / 2), float(ends.max() / 2)) if len(ends) else (0, 0)
        half_span = half_greatest - half_least or 1.0
        slot = np.minimum((ends / 2 - half_least) / half_span * count, count - 1).astype(np.int16)
        by = np.argsort(ends) if order == "sorted" else np.argsort(slot, kind="stable")
        start = np.concatenate(([0], np.cumsum(np.bincount(slot, minlength=count))))
        return cls(members[by], start, half_least, half_span)

    def slot(self, value: float) -> int:
        """The slot that a value falls into; the first or the last if it lies outside."""
        count = len(self.start) - 1
        place = (value / 2 - self.half_least) / self.half_span * count
        return int(max(0.0, min(place, count - 1.0)))


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Of the conjunctions of a block, which are numbered from its `first` on."""

    low: list[_Side]
    high: list[_Side]
    intervals: Intervals
    first: int
    order: SlotOrder

    @classmethod
    def of(
        cls, intervals: Intervals, first: int, living: NDArray[np.bool_], *, slots: int, order: SlotOrder
    ) -> "Boundaries":
        """O(conjunctions * dimensions * log); with linked slots without the log."""
        low: list[_Side] = []
        high: list[_Side] = []
        block = slice(first, first + len(living))
        for dimension in range(intervals.dimensions):
            for sides, ends in (
                (low, intervals.low(dimension)[block]),
                (high, intervals.high(dimension)[block]),
            ):
                members = np.flatnonzero(living & np.isfinite(ends))
                sides.append(_Side.of(members, ends[members], slots, order))
        return cls(low, high, intervals, first, order)

    @property
    def dimensions(self) -> range:
        """A dimension that is newer than the block constrains none of it."""
        return range(len(self.low))

    def excluded(self, dimension: int, hull: Hull) -> tuple[Members, Members, Members, Members]:
        """Those that begin after the hull or end before it, in four parts. Each is in one of them at most -
        unless the event lacks the attribute: then most are in two."""
        low, high = self.low[dimension], self.high[dimension]
        greatest, least = hull.greatest[dimension], hull.least[dimension]
        if greatest < least:
            return low.members, low.members[:0], high.members, high.members[:0]
        alpha, beta = low.slot(greatest), high.slot(least)
        return (
            low.members[low.start[alpha + 1] :],
            self._beyond(dimension, low.members[low.start[alpha] : low.start[alpha + 1]], greatest),
            high.members[: high.start[beta]],
            self._before(dimension, high.members[high.start[beta] : high.start[beta + 1]], least),
        )

    def about(self, dimension: int, hull: Hull) -> int:
        """How many the exclusive method would traverse, to the precision of a slot: formula (1). O(1)."""
        low, high = self.low[dimension], self.high[dimension]
        greatest, least = hull.greatest[dimension], hull.least[dimension]
        if greatest < least:
            return max(len(low.members), len(high.members))
        traversed = len(low.members) - low.start[low.slot(greatest)] + high.start[high.slot(least) + 1]
        return int(traversed)

    def _beyond(self, dimension: int, members: Members, value: float) -> Members:
        ends = self.intervals.low(dimension)
        if self.order == "linked":
            return members[ends[self.first + members] > value]
        return members[bisect_right(members, value, key=lambda member: ends[self.first + member]) :]

    def _before(self, dimension: int, members: Members, value: float) -> Members:
        ends = self.intervals.high(dimension)
        if self.order == "linked":
            return members[ends[self.first + members] < value]
        return members[: bisect_left(members, value, key=lambda member: ends[self.first + member])]
