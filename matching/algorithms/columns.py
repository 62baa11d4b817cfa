"""Many subscriptions as a few arrays: what workload generators return and matchers load.

A subscription is a run of conjunctions, a conjunction a run of predicates, a predicate a run of values; the
`*_start` arrays say where each run begins, and have one entry more than there are runs. Values are
numbers into `constants`, which lists each attribute's distinct canonical values in ascending order. So a
million subscriptions are a dozen arrays, and no Python object stands for a single predicate.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from schema_registry.core.domains import OPERATORS, Value
from schema_registry.core.operators import NO_OPERATORS, OperatorPart
from schema_registry.core.predicates import Conjunction, Predicate
from schema_registry.core.schema import Schema
from schema_registry.language.spelling import predicate_text

OPERATOR_CODE = {operator: code for code, operator in enumerate(OPERATORS)}


class Matchable(Protocol):
    """What a matcher needs of a subscription: a parsed one, or one that was stored."""

    @property
    def conjunctions(self) -> tuple[Conjunction, ...]: ...

    @property
    def schema(self) -> Schema: ...


@dataclass(frozen=True, slots=True)
class SubscriptionColumns:
    """`attribute` and `operator` are indices into `attributes` and the core's OPERATORS.

    `operators` has what conjunctions say by expensive operators, by their numbers; few have any.
    """

    ids: NDArray[np.int64]
    conjunction_start: NDArray[np.int64]
    predicate_start: NDArray[np.int64]
    attribute: NDArray[np.int32]
    operator: NDArray[np.int8]
    negated: NDArray[np.bool_]
    value_start: NDArray[np.int64]
    value: NDArray[np.int32]
    attributes: tuple[str, ...]
    constants: tuple[Sequence[Value], ...]
    operators: Mapping[int, OperatorPart] = field(default_factory=dict)

    @classmethod
    def of(cls, subscriptions: Iterable[tuple[int, Matchable]]) -> "SubscriptionColumns":
        """The columns of parsed subscriptions. O(predicates * log)."""
        rows = list(subscriptions)
        conjunctions = [conjunction for _, each in rows for conjunction in each.conjunctions]
        predicates = [predicate for conjunction in conjunctions for predicate in conjunction.predicates]
        distinct: dict[str, set[Value]] = {}
        for predicate in predicates:
            distinct.setdefault(predicate.attribute, set()).update(predicate.values)
        constants = {attribute: sorted(values) for attribute, values in distinct.items()}
        attribute_code = {attribute: code for code, attribute in enumerate(constants)}
        value_code = {
            (attribute, value): code
            for attribute, values in constants.items()
            for code, value in enumerate(values)
        }
        return cls(
            ids=np.array([number for number, _ in rows], np.int64),
            conjunction_start=_starts(len(each.conjunctions) for _, each in rows),
            predicate_start=_starts(len(conjunction.predicates) for conjunction in conjunctions),
            attribute=np.array([attribute_code[each.attribute] for each in predicates], np.int32),
            operator=np.array([OPERATOR_CODE[each.operator] for each in predicates], np.int8),
            negated=np.array([each.negated for each in predicates], np.bool_),
            value_start=_starts(len(each.values) for each in predicates),
            value=np.array(
                [value_code[each.attribute, value] for each in predicates for value in each.values], np.int32
            ),
            attributes=tuple(constants),
            constants=tuple(constants.values()),
            operators={
                number: conjunction.operators
                for number, conjunction in enumerate(conjunctions)
                if conjunction.operators
            },
        )

    def __len__(self) -> int:
        return len(self.ids)

    def conjunctions_of(self, row: int) -> list[Conjunction]:
        """The conjunctions of one subscription, as the core knows them; for checks one at a time."""
        first, last = self.conjunction_start[row : row + 2]
        return [self.conjunction(number) for number in range(first, last)]

    def conjunction(self, number: int) -> Conjunction:
        first, last = self.predicate_start[number : number + 2]
        predicates = (self._predicate(each) for each in range(first, last))
        return Conjunction.of(predicates, self.operators.get(number, NO_OPERATORS))

    def _predicate(self, number: int) -> Predicate:
        attribute = self.attribute[number]
        constants = self.constants[attribute]
        first, last = self.value_start[number : number + 2]
        return Predicate(
            self.attributes[attribute],
            OPERATORS[self.operator[number]],
            tuple(_plain(constants[code]) for code in self.value[first:last]),
            bool(self.negated[number]),
        )

    def without_operators(self) -> tuple["SubscriptionColumns", list[int]]:
        """The subscriptions none of whose conjunctions has operators, and the rows of the others. O(size)."""
        owner = np.searchsorted(self.conjunction_start, list(self.operators), side="right") - 1
        rows = np.unique(owner).tolist()
        return (self._of_rows(np.delete(np.arange(len(self)), rows)), rows) if rows else (self, [])

    def _of_rows(self, rows: NDArray[np.int64]) -> "SubscriptionColumns":
        conjunctions, conjunction_start = _runs(self.conjunction_start, rows)
        predicates, predicate_start = _runs(self.predicate_start, conjunctions)
        values, value_start = _runs(self.value_start, predicates)
        return SubscriptionColumns(
            ids=self.ids[rows],
            conjunction_start=conjunction_start,
            predicate_start=predicate_start,
            attribute=self.attribute[predicates],
            operator=self.operator[predicates],
            negated=self.negated[predicates],
            value_start=value_start,
            value=self.value[values],
            attributes=self.attributes,
            constants=self.constants,
        )

    def text(self, row: int, schema: Schema) -> str:
        """One subscription in the language."""
        return " or ".join(
            " and ".join(
                predicate_text(each, schema.domain_of[each.attribute]) for each in conjunction.predicates
            )
            for conjunction in self.conjunctions_of(row)
        )

    def check(self) -> None:
        """Assert that the arrays fit each other. O(size)."""
        for starts, count, target in (
            (self.conjunction_start, len(self.ids), len(self.predicate_start) - 1),
            (self.predicate_start, len(self.predicate_start) - 1, len(self.attribute)),
            (self.value_start, len(self.attribute), len(self.value)),
        ):
            assert len(starts) == count + 1
            assert starts[0] == 0
            assert starts[-1] == target
            assert (np.diff(starts) >= 0).all()
        assert len(np.unique(self.ids)) == len(self.ids)
        assert len(self.operator) == len(self.negated) == len(self.attribute)
        for values in self.constants:
            # All of one attribute's values are numbers, or all are strings, which the types do not say.
            assert all(low < high for low, high in pairwise(values))  # type: ignore[operator]


def _starts(lengths: Iterable[int]) -> NDArray[np.int64]:
    ends = np.cumsum(np.fromiter(lengths, np.int64), dtype=np.int64)
    return np.concatenate(([0], ends))


def _runs(start: NDArray[np.int64], chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places in the chosen runs, one after the other, and where each run begins among them."""
    lengths = np.diff(start)[chosen]
    begins = np.concatenate(([0], np.cumsum(lengths)))
    return np.repeat(start[:-1][chosen] - begins[:-1], lengths) + np.arange(begins[-1]), begins


def _plain(value: Value) -> Value:
    """A NumPy number as the float that the core compares."""
    return value if isinstance(value, str) else float(value)
