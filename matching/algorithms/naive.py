"""`naive`: test every subscription, one predicate after the other, and stop at the first that fails.

Paper 002, section 3.1, figure 1. The yardstick: no index, no sharing. All subscriptions are tested side
by side, literal after literal, and each round looks only at those that have not failed yet; so the number
of predicate evaluations is that of the paper's loop.

Costs: match O(subscriptions * literals tested), add and remove O(1), memory that of the subscriptions.
"""

import numpy as np

from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import REMOVED, Truth
from matching.algorithms.slots import Slots


class NaiveMatcher(IndexMatcher):
    def _matched_slots(self, truth: Truth) -> Slots:
        store = self._conjunctions
        slots = np.flatnonzero(store.ids.array != REMOVED)
        self.work.candidates += len(slots)
        return self._tested(slots, truth)

    def _index_many(self, slots: Slots) -> None:
        pass

    def _index_one(self, slot: int) -> None:
        pass

    def _unindex_one(self, slot: int) -> None:
        pass
