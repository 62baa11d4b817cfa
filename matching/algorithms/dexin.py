"""`dexin`: attribute after attribute, either strike out who does not match or look through who is left.

Paper 004. For a single attribute there are two methods. The *exclusive* one (Algorithm 1) traverses those
that begin after the event's value or end before it, and removes them; its cost falls with the matching
rate. The *inclusive* one (Algorithm 2) traverses those that are left, and tests each; its cost falls as
fewer are left. For each event a pipeline is prepared: from the sizes of slots the rate of every attribute
is known in O(1), and from the rates follow order and methods (see `pipelines`). So the attribute that
excludes most comes first, and the others look at the few that remain.

Parameters, with the paper's values: `slot_count` 1,500 for each array; `slots` "sorted" (the paper's
red-black trees) or "linked" (figures 13 and 14). `methods` "exclusive" or "inclusive" takes only one of
the two (section 4.4), `pipeline` "optimal" tries all orders for each event (section 4.3). What is left is
an array of marks while steps are exclusive, and a list of those that remain from then on: the paper's hash
map and linked list.

Costs: match O(M log M + cost of the pipeline * subscriptions), add amortised O(M * log), remove O(log),
memory two entries for each interval, and its ends.
"""

from collections import deque
from math import prod
from typing import Literal

import numpy as np

from matching.algorithms import pipelines
from matching.algorithms.blocks import FRESH, Block, Living
from matching.algorithms.boundaries import Boundaries, SlotOrder
from matching.algorithms.intervals import Hull
from matching.algorithms.ranges import BlockMatcher
from matching.algorithms.slots import Slots
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

FEW = 0.03
"""The share of a block up to which those left are a list. To look one up costs as much as to run over 30."""

_PREPARED = {
    ("both", "near-optimal"): pipelines.near_optimal,
    ("both", "optimal"): pipelines.optimal,
    ("exclusive", "near-optimal"): pipelines.exclusive_only,
    ("inclusive", "near-optimal"): pipelines.inclusive_only,
}


class DexinMatcher(BlockMatcher[Boundaries]):
    def __init__(
        self,
        schema: Schema,
        *,
        slots: SlotOrder = "sorted",
        methods: Literal["both", "exclusive", "inclusive"] = "both",
        pipeline: Literal["near-optimal", "optimal"] = "near-optimal",
        slot_count: int = 1_500,
        fresh: int = FRESH,
    ) -> None:
        super().__init__(schema, fresh=fresh)
        self._slots = slots
        self._slot_count = slot_count
        self._prepared = _PREPARED[methods, pipeline]

    def rates_of(self, event: Event) -> list[list[float]]:
        """For each block the matching rate of every attribute, as the pipeline of this event is made from."""
        hull = self._intervals.hull_of(self._conjunctions.truth_of(event))
        return [self._rates(block, hull) for block in self._blocks]

    def _pack(self, first: int, living: Living) -> Boundaries:
        return Boundaries.of(self._intervals, first, living, slots=self._slot_count, order=self._slots)

    def _members_within(self, block: Block[Boundaries], hull: Hull) -> Slots:
        """Algorithm 3."""
        rates = self._rates(block, hull)
        pipeline = self._prepared(rates)
        left = block.living.copy()
        for dimension in pipeline.sequence[: pipeline.exclusive]:
            self._exclude(left, block, dimension, hull)
        inclusive = deque(pipeline.sequence[pipeline.exclusive :])
        share = prod(rates[dimension] for dimension in pipeline.sequence[: pipeline.exclusive])
        while inclusive and share > FEW:
            dimension = inclusive.popleft()
            # As the paper counts: running over all marks tests those not left too, but in passing.
            self.work.predicate_evaluations += int(np.count_nonzero(left))
            left &= self._intervals.run_meets(slice(block.first, block.last), dimension, hull)
            share *= rates[dimension]
        slots = block.first + np.flatnonzero(left)
        for dimension in inclusive:
            self.work.predicate_evaluations += len(slots)
            slots = slots.compress(self._intervals.meets(slots, dimension, hull))
        return slots - block.first

    def _rates(self, block: Block[Boundaries], hull: Hull) -> list[float]:
        """Formula (3), to the precision of a slot."""
        size = max(1, block.size)
        about = (block.packed.about(dimension, hull) for dimension in block.packed.dimensions)
        return [1 - min(traversed, size) / size for traversed in about]

    def _exclude(self, left: Living, block: Block[Boundaries], dimension: int, hull: Hull) -> None:
        for members in block.packed.excluded(dimension, hull):
            self.work.predicate_evaluations += len(members)
            left[members] = False
