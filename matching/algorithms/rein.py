"""`rein`: begin with all subscriptions, and strike out whoever begins after the event's value or ends before
it.

REIN, "rectangle intersection": S. Qian, J. Cao, Y. Zhu, M. Li, INFOCOM 2014; paper 004, section 1.1. A
subscription is a rectangle, an event a point. For each attribute two lists of buckets hold the
subscriptions by the low and by the high end of their intervals; a bit set has a bit for each subscription.
For each attribute of an event, what lies in the buckets beyond its value is marked; within the value's own
bucket ends are compared. Who is left unmarked in the end matches. Buckets are not sorted.

Our choices, about which paper 004 says nothing: 1,000 `buckets` for each list, where its own DEXIN has 1,500
slots; an array of bytes as bit set, since NumPy marks no single bits; packed blocks, with up to 1,000
(`fresh`) in front of them that are looked at singly. An attribute that the event lacks marks all that
constrain it.

Costs: match O(excluded, summed over the attributes, + subscriptions), add amortised O(attributes * log),
remove O(log), memory two entries for each interval.
"""

import numpy as np

from matching.algorithms.blocks import FRESH, Block, Living
from matching.algorithms.boundaries import Boundaries
from matching.algorithms.intervals import Hull
from matching.algorithms.ranges import BlockMatcher
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema


class ReinMatcher(BlockMatcher[Boundaries]):
    def __init__(self, schema: Schema, *, buckets: int = 1_000, fresh: int = FRESH) -> None:
        super().__init__(schema, fresh=fresh)
        self._buckets = buckets

    def _pack(self, first: int, living: Living) -> Boundaries:
        return Boundaries.of(self._intervals, first, living, slots=self._buckets, order="linked")

    def _members_within(self, block: Block[Boundaries], hull: Hull) -> Slots:
        unmarked = block.living.copy()
        for dimension in block.packed.dimensions:
            for members in block.packed.excluded(dimension, hull):
                self.work.predicate_evaluations += len(members)
                unmarked[members] = False
        return np.flatnonzero(unmarked)
