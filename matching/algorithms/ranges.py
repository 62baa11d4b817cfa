"""What the matchers of paper 004 share: intervals, blocks of them, and the residual check of what is no
range.
"""

from abc import abstractmethod
from typing import Generic

import numpy as np

from matching.algorithms.arrays import joined
from matching.algorithms.base import IndexMatcher
from matching.algorithms.blocks import FRESH, Block, Blocks, Living, Packed
from matching.algorithms.conjunctions import Truth
from matching.algorithms.intervals import Hull, Intervals
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema


class RangeMatcher(IndexMatcher):
    """A matcher that finds conjunctions by their intervals."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._intervals = Intervals(self._conjunctions)

    def _matched_slots(self, truth: Truth) -> Slots:
        return self._rest_settled(self._slots_within(self._intervals.hull_of(truth)), truth)

    @abstractmethod
    def _slots_within(self, hull: Hull) -> Slots:
        """The conjunctions whose intervals all meet the hull, each once; removed ones may be among them."""

    def _rest_settled(self, slots: Slots, truth: Truth) -> Slots:
        """The shared residual check: those whose literals hold that are no intervals; with several values
        of an attribute, all literals of all."""
        store = self._conjunctions
        self.work.candidates += len(slots)
        if truth.has_several_values:
            doubtful, sure = slots, slots[:0]
        else:
            in_doubt = self._intervals.rest.array[slots]
            doubtful, sure = slots[in_doubt], slots[~in_doubt]
        if not len(doubtful):
            return sure
        self.work.residual_checks += len(doubtful)
        doubtful = doubtful[store.bounds_hold(doubtful, truth)]
        doubtful = doubtful[store.tests_hold(doubtful, truth)]
        doubtful = doubtful[store.groups_hold(doubtful, truth)]
        return np.concatenate((sure, doubtful))

    def check_invariants(self) -> None:
        super().check_invariants()
        self._intervals.check_invariants()


class BlockMatcher(RangeMatcher, Generic[Packed]):
    """One whose structure is packed block by block."""

    def __init__(self, schema: Schema, *, fresh: int = FRESH) -> None:
        super().__init__(schema)
        self._blocks: Blocks[Packed] = Blocks(self._pack, fresh=fresh)

    @abstractmethod
    def _pack(self, first: int, living: Living) -> Packed:
        """The structure of the conjunctions from `first` on that live."""

    @abstractmethod
    def _members_within(self, block: Block[Packed], hull: Hull) -> Slots:
        """Those of the block whose intervals all meet the hull, numbered from the block's first on."""

    def _slots_within(self, hull: Hull) -> Slots:
        found = [block.first + self._members_within(block, hull) for block in self._blocks]
        found.append(self._fresh_within(hull))
        return joined(found, np.int64)

    def _fresh_within(self, hull: Hull) -> Slots:
        fresh = self._blocks.fresh
        met = np.ones(fresh.stop - fresh.start, np.bool_)
        if len(met):
            for dimension in range(self._intervals.dimensions):
                met &= self._intervals.run_meets(fresh, dimension, hull)
        slots: Slots = fresh.start + np.flatnonzero(met)
        return slots

    def _index_many(self, slots: Slots) -> None:
        self._intervals.extend(len(slots))
        self._blocks.extend(len(slots), at_once=True)

    def _index_one(self, slot: int) -> None:
        # A subscription's conjunctions are indexed one by one after all of them were numbered.
        self._intervals.extend(1)
        self._blocks.extend(1, at_once=False)

    def _unindex_one(self, slot: int) -> None:
        self._blocks.remove(slot)

    def check_invariants(self) -> None:
        super().check_invariants()
        self._blocks.check_invariants()
