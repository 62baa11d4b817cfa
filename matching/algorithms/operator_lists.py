"""The predicate lists of a partition of OpIndex, and counting along them.

The same lists as in `counting`, by attribute and operator. But there are few and they are long, so each is
counted where it stands, in counters of two bytes that stay in the cache, instead of being joined first.
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined
from matching.algorithms.conjunctions import Truth
from matching.algorithms.counting import CountingIndex
from matching.algorithms.slots import Slots

_LONG = 1_000


class OperatorLists(CountingIndex):
    """Costs as of `CountingIndex`."""

    def counts(self, truth: Truth) -> NDArray[np.uint16]:  # type: ignore[override] # more than a byte holds
        counters = np.zeros(len(self._members), np.uint16)
        short: list[Slots] = []
        for members in self._true_literals(truth):
            self._work.predicate_evaluations += len(members)
            if len(members) < _LONG:
                short.append(members)
            else:
                np.add.at(counters, members, _ONE)
        np.add.at(counters, joined(short, np.int64), _ONE)
        return counters


_ONE = np.uint16(1)
