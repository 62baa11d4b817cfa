"""The shared residual check of conjunctions that were found by counting `predicate_rows`."""

import numpy as np

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.conjunctions import Conjunctions, Mask, Truth
from matching.algorithms.slots import Slots
from matching.algorithms.work import Work


class ResidualDoubt:
    """For each conjunction, in the order of their slots, whether counting its rows is not enough."""

    def __init__(self, conjunctions: Conjunctions, work: Work) -> None:
        self._conjunctions = conjunctions
        self._work = work
        self._doubtful = GrowingArray(np.bool_)
        self._any_doubtful = False

    def extend(self, doubtful: Mask) -> None:
        self._doubtful.extend(doubtful)
        self._any_doubtful |= bool(doubtful.any())

    def decided(self, slots: Slots, truth: Truth) -> Slots:
        """Those of the counted conjunctions that hold, if each of them holds for one value of an attribute.

        With several values of an attribute an "any of" may have been counted twice: checked too.
        """
        store = self._conjunctions
        self._work.candidates += len(slots)
        if not (self._any_doubtful or truth.has_several_values):
            return slots
        return rechecked(slots, self._doubtful.array[slots], truth, store, self._work)

    def check_invariants(self) -> None:
        assert len(self._doubtful) == len(self._conjunctions.ids)


def rechecked(slots: Slots, in_doubt: Mask, truth: Truth, store: Conjunctions, work: Work) -> Slots:
    """Those of the conjunctions that hold, where only the ones in doubt are looked at again."""
    if truth.has_several_values:
        in_doubt |= store.groups.start[slots + 1] > store.groups.start[slots]
    doubtful = slots[in_doubt]
    work.residual_checks += len(doubtful)
    holds = store.tests_hold(doubtful, truth) & store.groups_hold(doubtful, truth)
    holds &= store.bounds_hold(doubtful, truth)
    return np.concatenate((slots[~in_doubt], doubtful[holds]))
