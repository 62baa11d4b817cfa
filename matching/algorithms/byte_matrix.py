"""Predicates and subscriptions as a matrix of bytes: the "regular" one of paper 003, section 5.1.2."""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.associations import NEVER_REACHED, Ints, Numbers
from matching.algorithms.matrices import Matrix

HIGHEST = 255


class ByteMatrix(Matrix):
    """Costs: reached O(true predicates * subscriptions), add O(predicates), remove O(all predicates);
    memory a byte for each predicate and subscription."""

    def __init__(self) -> None:
        super().__init__(np.uint8)
        self._wanted = GrowingArray(np.int32)
        self._most_predicates = 0  # of one subscription

    def _set(self, rows: Numbers, columns: Numbers) -> None:
        self._cells[rows, columns] = 1
        self._most_predicates = max(self._most_predicates, int(np.bincount(columns).max(initial=0)))

    def _set_wanted(self, numbers: Ints, wanted: Ints) -> None:
        self._wanted.extend(np.full(self._columns - len(self._wanted), NEVER_REACHED))
        self._wanted.array[numbers] = wanted

    def remove(self, subscription: int) -> Numbers:
        column = self._cells[: self._rows, subscription]
        predicates = np.flatnonzero(column).astype(np.int32)
        column[predicates] = 0
        self._wanted.array[subscription] = NEVER_REACHED
        return predicates

    def reached(self, predicates: Numbers) -> Ints:
        """Hits are bytes, as in the paper, unless some could be more than a byte can say."""
        fits = self._most_predicates <= HIGHEST
        hits: NDArray[np.uint8 | np.int32] = np.zeros(self._columns, np.uint8 if fits else np.int32)
        for predicate in predicates.tolist():
            np.add(hits, self._cells[predicate, : self._columns], out=hits)
        return np.flatnonzero(hits >= self._wanted.array)

    @property
    def bytes(self) -> int:
        return super().bytes + 4 * len(self._wanted)
