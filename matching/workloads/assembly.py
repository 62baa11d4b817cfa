"""From rectangles of predicates to columns.

A generator fills rectangles: one row per conjunction, one place per predicate it may have. Places stand in
the order of the normal form (by attribute name, operator, values), so packing the present ones row by row
gives conjunctions as the core orders them, without sorting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.columns import OPERATOR_CODE, SubscriptionColumns
from schema_registry.core.domains import Value

NO_VALUE = -1

EQUAL, UNEQUAL, IN, BETWEEN, CONTAINS = (
    OPERATOR_CODE[name] for name in ("=", "!=", "in", "between", "contains")
)
BELOW, AT_MOST, ABOVE, AT_LEAST = (OPERATOR_CODE[name] for name in ("<", "<=", ">", ">="))


class Values(Protocol):
    """The values that an attribute's constants are drawn from: code k is the k-th in ascending order."""

    @property
    def size(self) -> int: ...

    def of(self, codes: NDArray[Any]) -> list[Value]:
        """The values of these codes, as the core has them."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """`first`, `first + 1`, ..., all divided by `per_unit`."""

    size: int
    first: int = 0
    per_unit: int = 1

    def of(self, codes: NDArray[Any]) -> list[Value]:
        return ((codes + float(self.first)) / self.per_unit).tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Names:
    """Strings in ascending order."""

    names: Sequence[str]

    @property
    def size(self) -> int:
        return len(self.names)

    def of(self, codes: NDArray[Any]) -> list[Value]:
        return [self.names[code] for code in codes.tolist()]


@dataclass(frozen=True, slots=True)
class Predicates:
    """Rectangles of rows (conjunctions) and places; `values` has a third axis, filled up with NO_VALUE.

    `attribute` numbers the attributes by name; what stands where nothing is `present` does not count.
    """

    present: NDArray[np.bool_]
    attribute: NDArray[Any]
    operator: NDArray[np.int8]
    values: NDArray[np.int32]
    negated: NDArray[np.bool_] | None = None


def assemble(
    predicates: Predicates,
    values_of: Mapping[str, Values],
    conjunctions: NDArray[Any] | None = None,
) -> SubscriptionColumns:
    """The columns of these conjunctions. O(places + values of all the attributes).

    `values_of` has the attributes in ascending order. `conjunctions` says how many of them each subscription
    has, one if it is not given.
    """
    assert list(values_of) == sorted(values_of)
    present = predicates.present
    rows = len(present)
    packed = predicates.values[present]
    filled = packed != NO_VALUE
    lengths = np.count_nonzero(filled, axis=1)
    attribute = predicates.attribute[present]
    negated = predicates.negated
    attribute, value, attributes, constants = _without_unused(
        attribute, packed[filled], np.repeat(attribute, lengths), values_of
    )
    return SubscriptionColumns(
        ids=np.arange(rows if conjunctions is None else len(conjunctions), dtype=np.int64),
        conjunction_start=np.arange(rows + 1) if conjunctions is None else starts(conjunctions),
        predicate_start=starts(np.count_nonzero(present, axis=1)),
        attribute=attribute,
        operator=predicates.operator[present].astype(np.int8),
        negated=np.zeros(len(attribute), np.bool_) if negated is None else negated[present],
        value_start=starts(lengths),
        value=value,
        attributes=attributes,
        constants=constants,
    )


def _without_unused(
    attribute: NDArray[Any],
    value: NDArray[Any],
    attribute_of_value: NDArray[Any],
    values_of: Mapping[str, Values],
) -> tuple[NDArray[np.int32], NDArray[np.int32], tuple[str, ...], tuple[list[Value], ...]]:
    """Attributes and values renumbered without those that do not occur; and the lists of those that do."""
    names, spaces = list(values_of), list(values_of.values())
    first = starts([space.size for space in spaces])
    place = first[attribute_of_value] + value
    used = np.zeros(first[-1], np.bool_)
    used[place] = True
    used_so_far = np.cumsum(used, dtype=np.int32)
    used_before = np.where(first[:-1] > 0, used_so_far[first[:-1] - 1], 0).astype(np.int32)
    new_value = used_so_far[place] - used_before[attribute_of_value] - 1
    occurring = np.flatnonzero(np.bincount(attribute, minlength=len(names)))
    new_attribute = np.zeros(len(names), np.int32)
    new_attribute[occurring] = np.arange(len(occurring))
    constants = tuple(
        spaces[each].of(np.flatnonzero(used[first[each] : first[each + 1]])) for each in occurring.tolist()
    )
    return new_attribute[attribute], new_value, tuple(names[each] for each in occurring.tolist()), constants


def take(columns: SubscriptionColumns, rows: NDArray[Any]) -> SubscriptionColumns:
    """The subscriptions in these rows, some perhaps several times, with new ids 0, 1, ... O(size)."""
    conjunctions, conjunction_start = _runs(columns.conjunction_start, rows)
    predicates, predicate_start = _runs(columns.predicate_start, conjunctions)
    values, value_start = _runs(columns.value_start, predicates)
    return replace(
        columns,
        ids=np.arange(len(rows), dtype=np.int64),
        conjunction_start=conjunction_start,
        predicate_start=predicate_start,
        attribute=columns.attribute[predicates],
        operator=columns.operator[predicates],
        negated=columns.negated[predicates],
        value_start=value_start,
        value=columns.value[values],
    )


def _runs(start: NDArray[Any], owners: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The members of the owners' runs, one run after the other, and where each run begins among them."""
    first = start[owners]
    new_start = starts(start[owners + 1] - first)
    shift = np.repeat(first - new_start[:-1], np.diff(new_start))
    return np.arange(new_start[-1]) + shift, new_start


def starts(lengths: NDArray[Any] | Sequence[int]) -> NDArray[np.int64]:
    """Where each of the runs begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
