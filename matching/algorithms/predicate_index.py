"""Which predicates an event satisfies: a slice for each attribute and operator (paper 003, section 3).

The same predicate of different subscriptions has one number, and is found once. Numbers of predicates that
nobody has any more are given again.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, joined
from matching.algorithms.axes import Axes
from matching.algorithms.conjunctions import Truth
from matching.algorithms.predicate_rows import Ints, Operator, PredicateRows
from matching.algorithms.predicate_slices import NO_PREDICATE, ListSlice, Predicates, Slice, TableSlice
from matching.algorithms.recycling import RecycledNumbers
from matching.algorithms.vocabulary import Vocabulary

Scheme = Literal["auto", "table", "list"]
SEVERAL_THOUSAND = 10_000  # values of a domain that is finite in the paper's sense
MOST_VALUES: dict[Scheme, int] = {"auto": SEVERAL_THOUSAND, "table": 1 << 20, "list": 0}
ANY_AXIS = 0  # atoms have numbers of their own, so that those of all attributes share one slice


class PredicateIndex:
    """`scheme` forces tables wherever values are whole numbers, or lists everywhere.

    Costs: satisfied O(attributes + what holds), with tables also their length; number and release O(1) for
    each predicate in a table, O(log) in a list.
    """

    def __init__(self, vocabulary: Vocabulary, axes: Axes, scheme: Scheme) -> None:
        if scheme not in MOST_VALUES:
            raise ValueError(f"Predicates are kept by {', '.join(MOST_VALUES)}, not by {scheme!r}.")
        self._vocabulary, self._axes, self._scheme = vocabulary, axes, scheme
        self._slices: dict[tuple[Operator, int], Slice] = {}
        self._numbers = RecycledNumbers()
        self._uses = GrowingArray(np.int32)
        # Where a predicate is, for the day nobody uses it any more.
        self._operator = GrowingArray(np.int8)
        self._axis = GrowingArray(np.int32)
        self._value = GrowingArray(np.float64)

    def __len__(self) -> int:
        """How many different predicates there are."""
        return len(self._numbers)

    @property
    def end(self) -> int:
        """One more than the highest number a predicate ever had."""
        return self._numbers.end

    def number(self, rows: PredicateRows) -> NDArray[np.int32]:
        """The number of each row's predicate, a new one if it is new; counts the uses."""
        numbers = np.empty(len(rows.owner), np.int32)
        place = np.where(rows.operator == Operator.IS, ANY_AXIS, rows.axis)
        slices = place.astype(np.int64) * len(Operator) + rows.operator
        order = np.argsort(slices, kind="stable")
        edges = np.flatnonzero(np.diff(slices[order])) + 1
        for members in np.split(order, edges) if len(order) else ():
            axis, operator = divmod(int(slices[members[0]]), len(Operator))
            numbers[members] = self._numbered(Operator(operator), axis, rows.value[members])
        np.add.at(self._uses.array, numbers, 1)
        return numbers

    def _numbered(self, operator: Operator, axis: int, values: NDArray[np.float64]) -> NDArray[np.int32]:
        distinct, inverse = np.unique(values, return_inverse=True)
        a_slice = self._slice_for(operator, axis, distinct)
        found = a_slice.find(distinct)
        missing = found == NO_PREDICATE
        found[missing] = self._new(operator, axis, distinct[missing])
        a_slice.put(distinct[missing], found[missing])
        return found[inverse]

    def _new(self, operator: Operator, axis: int, values: NDArray[np.float64]) -> Ints:
        numbers = self._numbers.take(len(values))
        room = np.zeros(self._numbers.end - len(self._uses))
        for array, entries in (
            (self._uses, 0),
            (self._operator, operator),
            (self._axis, axis),
            (self._value, values),
        ):
            array.extend(room)
            array.array[numbers] = entries
        return numbers

    def _slice_for(self, operator: Operator, axis: int, values: NDArray[np.float64]) -> Slice:
        """A table that these values do not fit into becomes a list, once and for all."""
        known = self._slices.get((operator, axis))
        if known is None:
            # Atoms are numbered without holes, so theirs is a finite domain however many there are.
            dense = operator == Operator.IS and self._scheme == "auto"
            known = TableSlice(MOST_VALUES["table" if dense else self._scheme])
        if isinstance(known, TableSlice) and not known.takes(values):
            known = ListSlice(*known.entries())
        self._slices[operator, axis] = known
        return known

    def release(self, numbers: NDArray[np.int32]) -> None:
        """Each of these, which differ, has one user less; without any it is forgotten."""
        self._uses.array[numbers] -= 1
        unused = numbers[self._uses.array[numbers] == 0]
        for number in unused.tolist():
            where = Operator(self._operator.array[number]), int(self._axis.array[number])
            self._slices[where].drop(float(self._value.array[number]))
        self._numbers.give_back(unused.astype(np.int64))

    def satisfied(self, truth: Truth) -> Predicates:
        """The predicates that the event satisfies, each once."""
        satisfied: Predicates = joined(list(self._satisfied(truth)), np.int32)
        return satisfied

    def _satisfied(self, truth: Truth) -> Iterator[Predicates]:
        is_number = self._axes.is_number
        if atoms := self._slices.get((Operator.IS, ANY_AXIS)):
            yield _found(atoms, truth.atoms)
        for attribute, values in truth.event.values.items():
            axis = self._vocabulary.axes.get(attribute)
            if axis is None:
                continue
            if denied := self._slices.get((Operator.IS_NOT, axis)):
                yield _others(denied, truth.atoms, len(values))
            if is_number[axis]:
                yield from self._compared(axis, np.array(values, np.float64))

    def _compared(self, axis: int, values: NDArray[np.float64]) -> Iterator[Predicates]:
        """By its least value an event satisfies `<`, by its greatest one `>`."""
        slices, least, greatest = self._slices, float(values[0]), float(values[-1])
        if equal := slices.get((Operator.EQUAL, axis)):
            yield _found(equal, values)
        if unequal := slices.get((Operator.UNEQUAL, axis)):
            yield _others(unequal, values, len(values))
        if below := slices.get((Operator.BELOW, axis)):
            yield below.upwards(least, strictly=True)
        if at_most := slices.get((Operator.AT_MOST, axis)):
            yield at_most.upwards(least, strictly=False)
        if above := slices.get((Operator.ABOVE, axis)):
            yield above.downwards(greatest, strictly=True)
        if at_least := slices.get((Operator.AT_LEAST, axis)):
            yield at_least.downwards(greatest, strictly=False)

    @property
    def bytes(self) -> int:
        """The memory of the slices, about."""
        return sum(each.bytes for each in self._slices.values())

    @property
    def tables(self) -> int:
        """How many of the slices are tables."""
        return sum(isinstance(each, TableSlice) for each in self._slices.values())

    def check_invariants(self) -> None:
        self._numbers.check_invariants()
        every = joined([each.every() for each in self._slices.values()], np.int32)
        assert len(np.unique(every)) == len(every) == len(self)
        assert np.flatnonzero(self._uses.array).tolist() == sorted(every.tolist())
        for (operator, axis), each in self._slices.items():
            numbers = each.every()
            assert (self._operator.array[numbers] == operator).all()
            assert (self._axis.array[numbers] == axis).all()
            assert (each.find(self._value.array[numbers]) == numbers).all()


def _found(a_slice: Slice, values: NDArray[np.float64] | NDArray[np.int32]) -> Predicates:
    found = a_slice.find(values.astype(np.float64))
    there: Predicates = found[found != NO_PREDICATE]
    return there


def _others(
    a_slice: Slice, values: NDArray[np.float64] | NDArray[np.int32], values_of_attribute: int
) -> Predicates:
    """All predicates of the slice but those with these values; of several values, one is always another."""
    every = a_slice.every()
    if values_of_attribute > 1:
        return every
    excluded = _found(a_slice, values)
    if len(excluded) < 2:  # nearly always; comparing with one is much quicker than looking for several
        others: Predicates = every[every != excluded[0]] if len(excluded) else every
        return others
    return np.setdiff1d(every, excluded, assume_unique=True)
