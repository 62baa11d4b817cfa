"""`quarantining`: look up by equalities and check the rest of those few; count only who has no equality.

Paper 002, section 3.1, figure 5, "equality-preferred approach with nonequality quarantining". Subscriptions
with an equality are in clusters, and the other predicates of a candidate are simply tested: few candidates
remain, so testing beats counting. Only subscriptions without any equality, a small quarantine, are counted
as in `fair-predicate`.

Costs: match O(clusters + candidates * other predicates + quarantined), add and remove O(predicates * log),
memory one entry per predicate plus the keys.
"""

import numpy as np

from matching.algorithms.base import IndexMatcher
from matching.algorithms.clusters import EqualityClusters, Layout
from matching.algorithms.conjunctions import Truth
from matching.algorithms.counting import CountingIndex
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema


class QuarantiningMatcher(IndexMatcher):
    def __init__(self, schema: Schema, *, clusters: Layout = "hash") -> None:
        super().__init__(schema)
        self._clusters = EqualityClusters(self._conjunctions, self.work, clusters)
        self._quarantine = CountingIndex(self._conjunctions, self.work)

    def _matched_slots(self, truth: Truth) -> Slots:
        candidates = self._clusters.candidates(truth)
        in_cluster = self._checked(candidates, truth)
        return self._settled(np.concatenate((in_cluster, self._quarantine.reached(truth))), truth)

    def _checked(self, slots: Slots, truth: Truth) -> Slots:
        """Those of the candidates whose other literals hold."""
        store = self._conjunctions
        rows = store.bounds.start[slots + 1] - store.bounds.start[slots]
        self.work.predicate_evaluations += int(rows.sum())
        slots = slots[store.bounds_hold(slots, truth)]
        slots = slots[store.tests_hold(slots, truth)]
        return slots[store.groups_hold(slots, truth)]

    def _index_many(self, slots: Slots) -> None:
        in_cluster = self._clusters.load(slots)
        self._quarantine.load(slots[~in_cluster])

    def _index_one(self, slot: int) -> None:
        if not self._clusters.add(slot):
            self._quarantine.add(slot)

    def _unindex_one(self, slot: int) -> None:
        self._clusters.remove(slot)
        self._quarantine.remove(slot)

    def check_invariants(self) -> None:
        super().check_invariants()
        self._clusters.check_invariants()
        self._quarantine.check_invariants()
