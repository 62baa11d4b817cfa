"""What the two association matrices share: a row for each predicate, a column for each subscription.

A matrix needs predicates * subscriptions cells whether they are used or not. One that would be larger than
allowed is refused before anything is changed, with its size.
"""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.associations import Associations, Ints, Numbers
from matching.algorithms.columns import OPERATOR_CODE, SubscriptionColumns
from schema_registry.core.domains import OPERATORS

MOST_BYTES = 4_000_000_000


class Matrix(Associations):
    """Its cells are kept in units (words or bytes); a unit has the cells of `per_unit` subscriptions."""

    per_unit = 1

    def __init__(self, unit: type[np.unsignedinteger]) -> None:
        self._cells = np.zeros((0, 0), unit)
        self._rows = 0
        self._columns = 0

    @classmethod
    def size(cls, predicates: int, subscriptions: int) -> int:
        """The bytes of a matrix."""
        units = -(-subscriptions // cls.per_unit)
        return predicates * units * (8 if cls.per_unit > 1 else 1)

    def add(self, subscriptions: Numbers, predicates: Numbers, numbers: Ints, wanted: Ints) -> None:
        self._rows = max(self._rows, int(predicates.max(initial=-1)) + 1)
        self._columns = max(self._columns, int(numbers.max(initial=-1)) + 1)
        self._make_room()
        self._set_wanted(numbers, wanted)
        self._set(predicates, subscriptions)

    def _make_room(self) -> None:
        units = -(-self._columns // self.per_unit)
        rows, columns = self._cells.shape
        if rows >= self._rows and columns >= units:
            return
        # The first time as large as needed, then by an eighth: a matrix is too large to be moved often.
        room = [
            have if have >= need else max(need, have + have // 8 if have else need)
            for have, need in ((rows, self._rows), (columns, units))
        ]
        wider = np.zeros(room, self._cells.dtype)
        wider[:rows, :columns] = self._cells
        self._cells = wider

    @property
    def bytes(self) -> int:
        return self._cells.nbytes

    @abstractmethod
    def _set(self, rows: Numbers, columns: Numbers) -> None:
        """Set these cells."""

    @abstractmethod
    def _set_wanted(self, numbers: Ints, wanted: Ints) -> None: ...


def predicates_in(columns: SubscriptionColumns) -> int:
    """How many different predicates these are, about: each value of one counts. O(values * log)."""
    lengths = np.diff(columns.value_start)
    kind = (columns.attribute.astype(np.int64) * len(OPERATORS) + columns.operator) * 2
    of_value: NDArray[np.int64] = np.repeat(kind, lengths)
    upper = columns.value_start[:-1][columns.operator == OPERATOR_CODE["between"]] + 1
    of_value[upper] += 1
    return len(np.unique(of_value << 32 | columns.value)) + len(np.unique(kind[lengths == 0]))
