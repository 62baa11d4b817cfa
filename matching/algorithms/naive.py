"""`naive`: test every subscription, one predicate after the other, and stop at the first that fails.

Paper 002, section 3.1, figure 1. The yardstick: no index, no sharing. All subscriptions are tested side
by side, literal after literal, and each round looks only at those that have not failed yet; so the number
of predicate evaluations is that of the paper's loop.

Costs: match O(subscriptions * literals tested), add and remove O(1), memory that of the subscriptions.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import Runs, joined
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import REMOVED, Truth
from matching.algorithms.slots import Slots


class NaiveMatcher(IndexMatcher):
    def _matched_slots(self, truth: Truth) -> Slots:
        store = self._conjunctions
        slots = np.flatnonzero(store.ids.array != REMOVED)
        self.work.candidates += len(slots)
        slots = self._survivors(slots, store.tests, lambda rows: store.test_rows_hold(rows, truth))
        slots = self._survivors(slots, store.bounds, lambda rows: store.bound_rows_hold(rows, truth))
        return self._survivors(slots, store.groups, lambda rows: store.group_rows_hold(rows, truth))

    def _survivors(
        self, slots: Slots, literals: Runs, hold: Callable[[NDArray[np.int64]], NDArray[np.bool_]]
    ) -> Slots:
        """Those of the conjunctions whose literals of one family all hold, tested in rounds."""
        passed = []
        at, end = literals.start[slots], literals.start[slots + 1]
        while len(slots):
            tested_all = at == end
            passed.append(slots[tested_all])
            slots, at, end = slots[~tested_all], at[~tested_all], end[~tested_all]
            self.work.predicate_evaluations += len(slots)
            held = hold(at)
            slots, at, end = slots[held], at[held] + 1, end[held]
        return joined(passed, np.int64)

    def _index_many(self, slots: Slots) -> None:
        pass

    def _index_one(self, slot: int) -> None:
        pass

    def _unindex_one(self, slot: int) -> None:
        pass
