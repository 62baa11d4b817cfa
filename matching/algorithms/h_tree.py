"""`h-tree`: hash subscriptions by the cells that their intervals lie in, attribute after attribute.

H-Tree, "hash tree": S. Qian, J. Cao, Y. Zhu, M. Li, J. Wang, IEEE TPDS 26(6), 2015; paper 004, section
1.1. Some attributes are *indexed*: the range of each is divided into cells, and the lists of cells are
chained to a tree, whose leaves are buckets, one for each combination of cells. Cells may overlap: an
interval that lies within the cell round its centre, widened into its neighbours, is stored there alone; a
wider one is stored in every cell it touches, so in as many buckets as the product says. An event probes
the cells that its values lie in, one or two for each indexed attribute, and checks all subscriptions of
those buckets.

Which attributes are indexed, with how many cells, and whether these overlap (by half a cell, or not at
all) is chosen for each block from a sample of its intervals: greedily what most reduces the share of
subscriptions that an event must check, for values spread evenly, per factor of replication - while a
subscription is stored at most `replication` times on average, 8 unless told, and until an event would
check no more than `enough`, 500. Who does not constrain an indexed attribute has a cell of its own there,
which every event probes.

Our choices, about which paper 004 says nothing: the budget itself, `replication` 8 and `enough` 500
(without one, `dexin`'s wide ranges would be copied without end: the paper's "exponential increase of
storage"); 2 to 128 cells by powers of two, which overlap by half or not at all; the greedy choice from a
sample of 2,000; at most 2^20 buckets and 1,024 probes; `fresh`, the 1,000 in front of the packed blocks.

Costs: match O(buckets probed + subscriptions in them * attributes), add amortised O(replication * log),
remove O(log), memory `replication` entries for each subscription.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.blocks import FRESH, Block, Living
from matching.algorithms.cells import Cells, chosen_cells
from matching.algorithms.intervals import Hull
from matching.algorithms.ranges import BlockMatcher
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema


@dataclass(frozen=True, slots=True)
class _Buckets:
    """The leaves: bucket k has `members` from `start[k]` on. `indexed` are attributes and their cells."""

    indexed: list[tuple[int, Cells]]
    members: Slots
    start: NDArray[np.int64]


class HTreeMatcher(BlockMatcher[_Buckets]):
    def __init__(
        self, schema: Schema, *, replication: float = 8.0, enough: int = 500, fresh: int = FRESH
    ) -> None:
        super().__init__(schema, fresh=fresh)
        self._replication, self._enough = replication, enough

    def stored(self) -> float:
        """How often a subscription that is in a block is stored, on average."""
        sizes = sum(block.size for block in self._blocks)
        return sum(len(block.packed.members) for block in self._blocks) / max(1, sizes)

    def _pack(self, first: int, living: Living) -> _Buckets:
        members = np.flatnonzero(living)
        ends = [
            (self._intervals.low(each)[first + members], self._intervals.high(each)[first + members])
            for each in range(self._intervals.dimensions)
        ]
        indexed = chosen_cells(ends, replication=self._replication, enough=self._enough)
        owner, bucket, buckets = np.arange(len(members)), np.zeros(len(members), np.int64), 1
        for dimension, cells in indexed:
            low, high = ends[dimension]
            begin, end = cells.storing(low, high)
            stored = (end - begin)[owner]
            place = np.arange(int(stored.sum())) - np.repeat(np.cumsum(stored) - stored, stored)
            owner, bucket = np.repeat(owner, stored), np.repeat(bucket, stored)
            bucket = bucket * cells.size + begin[owner] + place
            buckets *= cells.size
        order = np.argsort(bucket, kind="stable")
        start = np.concatenate(([0], np.cumsum(np.bincount(bucket, minlength=buckets))))
        return _Buckets(indexed, members[owner[order]], start)

    def _members_within(self, block: Block[_Buckets], hull: Hull) -> Slots:
        tree = block.packed
        bucket, single = np.zeros(1, np.int64), True
        for dimension, cells in tree.indexed:
            probed = cells.probed(hull.least[dimension], hull.greatest[dimension])
            bucket = (bucket[:, None] * cells.size + probed).ravel()
            single &= len(probed) - cells.any_free <= 1
        begin, stored = tree.start[bucket], tree.start[bucket + 1] - tree.start[bucket]
        places = np.arange(int(stored.sum())) + np.repeat(begin - (np.cumsum(stored) - stored), stored)
        self.work.predicate_evaluations += len(places)
        slots = self._intervals.within(block.first + tree.members.take(places), hull)
        return (slots if single else np.unique(slots)) - block.first
