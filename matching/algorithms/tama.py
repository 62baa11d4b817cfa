"""`tama`: cut intervals into halves of halves, find the pieces an event's value lies in, and count.
Approximate.

TAMA, "table match": Y. Zhao, J. Wu, ICDCS 2011; paper 004, section 1.1. For each attribute there is a
table of levels: level 0 is one cell, the range of all ends, and each level bisects the cells of the one
above. An interval is stored in the fewest cells that cover it, none below the last level: a piece there is
taken whole, even if the interval ends within it. An event's value lies in one cell of each level; whoever
is stored in one of them has, as far as the table knows, a constraint that holds, and whose constraints all
hold is reported.

So the answer may have too many, never too few: those whose interval ends within the value's own last cell,
for all attributes that do not hold. More `levels`, 8 unless told, halve the error each, and store and read
more. What is no interval is still checked exactly, and so is everything for an event with several values
of an attribute.

Our choices, about which paper 004 says nothing: 8 `levels`, at most 14; cells over the range of the ends
that a block has rather than the attribute's whole domain; counters of two bytes; blocks that are packed by
sorting, with up to 1,000 (`fresh`) in front of them that are looked at singly.

Costs: match O(attributes * levels + subscriptions stored in the cells + subscriptions), add amortised
O(attributes * levels * log), remove O(log), memory an entry for each cell, on average fewer than `levels`
per interval.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined
from matching.algorithms.blocks import FRESH, Block, Living
from matching.algorithms.intervals import Ends, Hull
from matching.algorithms.ranges import BlockMatcher
from matching.algorithms.slots import Slots
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

_ONE = np.uint16(1)


@dataclass(frozen=True, slots=True)
class _Table:
    """The cells of one attribute: cell c of level l has the number 2 ** l + c, its halves have twice that."""

    members: Slots
    start: NDArray[np.int64]
    levels: int
    half_least: float
    half_span: float

    @classmethod
    def of(cls, members: Slots, low: Ends, high: Ends, levels: int) -> "_Table":
        finite = np.concatenate((low[np.isfinite(low)], high[np.isfinite(high)]))
        half_least, half_greatest = (
            (float(finite.min() / 2), float(finite.max() / 2)) if len(finite) else (0, 0)
        )
        empty = np.empty(0, np.int64)
        table = cls(empty, empty, levels, half_least, half_greatest - half_least or 1.0)
        cells, stored = table._covering(table.last_cell(low), table.last_cell(high))
        order = np.argsort(cells.astype(np.uint16), kind="stable")
        start = np.concatenate(([0], np.cumsum(np.bincount(cells, minlength=2 << levels))))
        return cls(members[stored[order]], start, levels, half_least, table.half_span)

    def last_cell(self, values: Ends) -> NDArray[np.int64]:
        """The cell of the last level that a value lies in; the first or the last if it lies outside."""
        count = 1 << self.levels
        places = (np.clip(values, 2 * self.half_least, None) / 2 - self.half_least) / self.half_span * count
        return np.minimum(places, count - 1).astype(np.int64)

    def _covering(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Slots, Slots]:
        """The fewest cells that cover the last level from `first` to `last`, and whose each is."""
        begin, end = first + (1 << self.levels), last + (1 << self.levels) + 1
        cells, owners = [], []
        for _ in range(self.levels + 1):
            # A cell that is its parent's second half begins a cover, one that is a first half ends it.
            begins, ends = np.flatnonzero((begin < end) & (begin & 1 == 1)), np.empty(0, np.int64)
            cells.append(begin[begins])
            begin[begins] += 1
            ends = np.flatnonzero((begin < end) & (end & 1 == 1))
            end[ends] -= 1
            cells.append(end[ends])
            owners += [begins, ends]
            begin >>= 1
            end >>= 1
        return np.concatenate(cells), np.concatenate(owners)

    def stored_for(self, least: float, greatest: float) -> list[Slots]:
        """Whoever is stored in a cell with one of the values; for a single value each once."""
        lowest, highest = (self.last_cell(np.array([least, greatest])) + (1 << self.levels)).tolist()
        found = []
        while highest:
            found.append(self.members[self.start[lowest] : self.start[highest + 1]])
            lowest, highest = lowest >> 1, highest >> 1
        return found


@dataclass(frozen=True, slots=True)
class _Tables:
    of_dimension: list[_Table]
    wanted: NDArray[np.uint16]


class TamaMatcher(BlockMatcher[_Tables]):
    exact = False

    def __init__(self, schema: Schema, *, levels: int = 8, fresh: int = FRESH) -> None:
        """At most 14 levels, so that a cell's number has 16 bits."""
        super().__init__(schema, fresh=fresh)
        assert 0 <= levels <= 14
        self._levels = levels

    def false_positives(self, event: Event) -> int:
        """How many subscriptions are reported that do not match. O(reported * attributes)."""
        truth = self._conjunctions.truth_of(event)
        reported = self._matched_slots(truth)
        if truth.has_several_values:
            return 0
        right = self._intervals.within(reported, self._intervals.hull_of(truth))
        return len(self._conjunctions.ids_of(reported)) - len(self._conjunctions.ids_of(right))

    def _pack(self, first: int, living: Living) -> _Tables:
        tables = []
        wanted = np.zeros(len(living), np.uint16)
        block = slice(first, first + len(living))
        for dimension in range(self._intervals.dimensions):
            low, high = self._intervals.low(dimension)[block], self._intervals.high(dimension)[block]
            members = np.flatnonzero(living & (np.isfinite(low) | np.isfinite(high)))
            wanted[members] += _ONE
            tables.append(_Table.of(members, low[members], high[members], self._levels))
        return _Tables(tables, wanted)

    def _members_within(self, block: Block[_Tables], hull: Hull) -> Slots:
        counts = np.zeros(len(block.living), np.uint16)
        for dimension, table in enumerate(block.packed.of_dimension):
            least, greatest = hull.least[dimension], hull.greatest[dimension]
            if greatest < least:
                continue
            stored = table.stored_for(least, greatest)
            if least < greatest:  # one interval may be found in several cells
                stored = [np.unique(joined(stored, np.int64))]
            for members in stored:
                self.work.predicate_evaluations += len(members)
                np.add.at(counts, members, _ONE)
        return np.flatnonzero((counts == block.packed.wanted) & block.living)
