"""The predicates of one attribute and operator, by value: a table, or a sorted list (paper 003, section 3).

`TableSlice` is the paper's own structure for finite domains: an array from the least value to the greatest,
with the predicate's number at its value. One look-up says what is true: everything beyond the event's
value holds too (inference). `ListSlice` is the general one, sorted by value.

Both map whole arrays of values at once; NO_PREDICATE stands where there is none.
"""

from abc import ABC, abstractmethod
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray
from sortedcontainers import SortedDict

Values = NDArray[np.float64]
Predicates = NDArray[np.int32]
NO_PREDICATE = -1
_EXACT = 2.0**53  # up to here doubles have all whole numbers


class Slice(ABC):
    @abstractmethod
    def find(self, values: Values) -> Predicates:
        """The predicates with these values."""

    @abstractmethod
    def put(self, values: Values, predicates: Predicates) -> None:
        """Enter predicates under values that differ and have none yet."""

    @abstractmethod
    def drop(self, value: float) -> None:
        """Take the predicate out that has this value."""

    @abstractmethod
    def every(self) -> Predicates: ...

    @abstractmethod
    def upwards(self, value: float, *, strictly: bool) -> Predicates:
        """The predicates whose values are greater, or, unless strictly, equal."""

    @abstractmethod
    def downwards(self, value: float, *, strictly: bool) -> Predicates:
        """The predicates whose values are less, or, unless strictly, equal."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """How much memory it takes, about."""


class TableSlice(Slice):
    """Costs: find, put and drop O(1); what holds O(values of the domain beyond). Memory: the domain."""

    def __init__(self, most_values: int) -> None:
        self._most_values = most_values
        self._least = 0
        self._table = np.empty(0, np.int32)

    def takes(self, values: Values) -> bool:
        """Whether these are whole numbers, and the domain that they widen is not too large."""
        if not len(values):
            return True
        least, greatest = self._widened(values)
        if greatest - least >= self._most_values or max(-least, greatest) > _EXACT:
            return False
        return bool((values == np.floor(values)).all())

    def _widened(self, values: Values) -> tuple[float, float]:
        least, greatest = float(values.min()), float(values.max())
        if len(self._table):
            least, greatest = min(least, self._least), max(greatest, self._least + len(self._table) - 1)
        return least, greatest

    def find(self, values: Values) -> Predicates:
        found = np.full(len(values), NO_PREDICATE, np.int32)
        places = values - self._least
        inside = (places >= 0) & (places < len(self._table)) & (places == np.floor(places))
        found[inside] = self._table[places[inside].astype(np.int64)]
        return found

    def put(self, values: Values, predicates: Predicates) -> None:
        if not len(values):
            return
        least, greatest = self._widened(values)
        if int(greatest - least) + 1 > len(self._table):
            self._widen(int(least), int(greatest))
        self._table[(values - self._least).astype(np.int64)] = predicates

    def _widen(self, least: int, greatest: int) -> None:
        """A table that grows again gets room to spare, where its domain may still grow."""
        spare = min(len(self._table) // 8, self._most_values - (greatest - least + 1))
        if least < self._least:
            least -= spare
        else:
            greatest += spare
        wider = np.full(greatest - least + 1, NO_PREDICATE, np.int32)
        wider[self._least - least :][: len(self._table)] = self._table
        self._least, self._table = least, wider

    def drop(self, value: float) -> None:
        self._table[int(value) - self._least] = NO_PREDICATE

    def entries(self) -> tuple[Values, Predicates]:
        places = np.flatnonzero(self._table != NO_PREDICATE)
        return (self._least + places).astype(np.float64), self._table[places]

    def every(self) -> Predicates:
        return _there(self._table)

    def upwards(self, value: float, *, strictly: bool) -> Predicates:
        first = (floor(value) + 1 if strictly else ceil(value)) - self._least
        return _there(self._table[max(0, first) :])

    def downwards(self, value: float, *, strictly: bool) -> Predicates:
        end = (ceil(value) if strictly else floor(value) + 1) - self._least
        return _there(self._table[: max(0, end)])

    @property
    def bytes(self) -> int:
        return self._table.nbytes


class ListSlice(Slice):
    """Costs: find, put and drop O(log), what holds O(log + found). Memory: the predicates.

    What comes in numbers is packed into sorted arrays, single ones go to a container beside them.
    """

    BYTES_OF_AN_ADDED_ONE = 150

    def __init__(self, values: Values | None = None, predicates: Predicates | None = None) -> None:
        self._values = np.empty(0) if values is None else values
        self._predicates = np.empty(0, np.int32) if predicates is None else predicates
        self._added: SortedDict[float, int] = SortedDict()

    def find(self, values: Values) -> Predicates:
        found = np.full(len(values), NO_PREDICATE, np.int32)
        place = np.searchsorted(self._values, values)
        inside = np.flatnonzero(place < len(self._values))
        inside = inside[self._values[place[inside]] == values[inside]]
        found[inside] = self._predicates[place[inside]]
        if self._added:
            for position in np.flatnonzero(found == NO_PREDICATE).tolist():
                found[position] = self._added.get(float(values[position]), NO_PREDICATE)
        return found

    def put(self, values: Values, predicates: Predicates) -> None:
        if len(values) > len(self._values) + len(self._added):
            self._pack(values, predicates)
        else:
            self._added.update(zip(values.tolist(), predicates.tolist(), strict=True))

    def _pack(self, values: Values, predicates: Predicates) -> None:
        there = self._predicates != NO_PREDICATE
        values = np.concatenate((self._values[there], np.array(list(self._added)), values))
        added = np.array(list(self._added.values()), np.int32)
        predicates = np.concatenate((self._predicates[there], added, predicates))
        order = np.argsort(values, kind="stable")
        self._values, self._predicates = values[order], predicates[order]
        self._added.clear()

    def drop(self, value: float) -> None:
        if self._added.pop(value, None) is None:
            self._predicates[np.searchsorted(self._values, value)] = NO_PREDICATE

    def every(self) -> Predicates:
        return self._with_added(_there(self._predicates), None, None, True)

    def upwards(self, value: float, *, strictly: bool) -> Predicates:
        first = np.searchsorted(self._values, value, "right" if strictly else "left")
        return self._with_added(_there(self._predicates[first:]), value, None, not strictly)

    def downwards(self, value: float, *, strictly: bool) -> Predicates:
        end = np.searchsorted(self._values, value, "left" if strictly else "right")
        return self._with_added(_there(self._predicates[:end]), None, value, not strictly)

    def _with_added(
        self, packed: Predicates, low: float | None, high: float | None, inclusive: bool
    ) -> Predicates:
        if not self._added:
            return packed
        values = self._added.irange(low, high, (inclusive, inclusive))
        added = np.fromiter((self._added[value] for value in values), np.int32)
        return np.concatenate((packed, added))

    @property
    def bytes(self) -> int:
        return self._values.nbytes + self._predicates.nbytes + self.BYTES_OF_AN_ADDED_ONE * len(self._added)


def _there(predicates: Predicates) -> Predicates:
    return predicates[predicates >= 0]
