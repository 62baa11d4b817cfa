"""`equality-preferred`: look subscriptions up by their equalities, count only the other predicates.

Paper 002, section 3.1, figure 4. Subscriptions with equality predicates are in clusters (see `clusters`);
what is not an equality is found and counted as in `fair-predicate`. A subscription matches when its
equalities hold, or it has none, and its other predicates have been counted in full.

Costs: match O(clusters + satisfied other predicates * their subscriptions + candidates), add and remove
O(predicates * log), memory one entry per predicate plus the keys.
"""

import numpy as np

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.base import IndexMatcher
from matching.algorithms.clusters import EqualityClusters, Layout
from matching.algorithms.conjunctions import Truth
from matching.algorithms.counting import CountingIndex
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema


class EqualityPreferredMatcher(IndexMatcher):
    def __init__(self, schema: Schema, *, clusters: Layout = "hash") -> None:
        super().__init__(schema)
        self._clusters = EqualityClusters(self._conjunctions, self.work, clusters)
        self._counting = CountingIndex(self._conjunctions, self.work, leave_out_tests=self._clusters.is_key)
        self._without_equality = GrowingArray(np.int64)

    def _matched_slots(self, truth: Truth) -> Slots:
        candidates = np.concatenate((self._clusters.candidates(truth), self._without_equality.array))
        return self._settled(self._counting.reached_among(candidates, truth), truth)

    def _index_many(self, slots: Slots) -> None:
        in_cluster = self._clusters.load(slots)
        self._counting.load(slots)
        self._without_equality.extend(slots[~in_cluster])

    def _index_one(self, slot: int) -> None:
        if not self._clusters.add(slot):
            self._without_equality.extend([slot])
        self._counting.add(slot)

    def _unindex_one(self, slot: int) -> None:
        self._clusters.remove(slot)
        self._counting.remove(slot)

    def check_invariants(self) -> None:
        super().check_invariants()
        self._clusters.check_invariants()
        self._counting.check_invariants()
