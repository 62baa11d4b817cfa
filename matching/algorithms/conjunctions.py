"""The conjunctions of all subscriptions, numbered, and the exact check of any of them against an event.

Every matcher keeps its conjunctions here. Its own structures find candidates; what they have not decided is
decided here: `tests_hold`, `bounds_hold` and `groups_hold` for many conjunctions at once, `holds` for a
single entangled one (see `literals`).

A conjunction's number, its slot, is never used again, so that structures may keep slots of removed ones
and let `ids_of` pass over them.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, Runs
from matching.algorithms.columns import SubscriptionColumns
from matching.algorithms.literals import LiteralCompiler
from matching.algorithms.slots import Slots, SlotsOfIds
from matching.algorithms.vocabulary import Vocabulary
from schema_registry.core.domains import TextDomain
from schema_registry.core.events import Event
from schema_registry.core.predicates import Conjunction
from schema_registry.core.schema import Schema

Mask = NDArray[np.bool_]
REMOVED = -1


@dataclass(slots=True)
class Truth:
    """What is true of the event being matched; one is reused from event to event."""

    atoms: NDArray[np.int32]
    is_true: NDArray[np.bool_]
    bounds: NDArray[np.float64]
    event: Event
    schema: Schema
    has_several_values: bool


class Conjunctions:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.vocabulary = Vocabulary()
        self.ids = GrowingArray(np.int64)
        self.tests = Runs(atom=np.int32, negative=np.bool_, excuse=np.int32)
        self.bounds = Runs(column=np.int32, operand=np.float64)
        self.groups = Runs(number=np.int64, of_all=np.bool_, negative=np.bool_, excuse=np.int32)
        self.group_atoms = Runs(atom=np.int32)
        self.entangled = GrowingArray(np.bool_)
        self.has_negative = GrowingArray(np.bool_)
        self._bound_columns: dict[str, int] = {}
        self.axis_of_bound = GrowingArray(np.int32)  # for each column, the number of its attribute
        self._sources: list[tuple[int, SubscriptionColumns]] = []
        self.any_negative = False
        self._several_conjunctions = False
        self._any_removed = False
        self._slots_of = SlotsOfIds()
        self._truth: Truth | None = None

    def __len__(self) -> int:
        """How many subscriptions there are."""
        return len(self._slots_of)

    def __contains__(self, subscription: int) -> bool:
        return subscription in self._slots_of

    def load(self, columns: SubscriptionColumns) -> Slots:
        """Take the conjunctions of these subscriptions, whose ids must be new; their numbers, in order."""
        first = len(self.ids)
        compiler = LiteralCompiler(columns, self.schema, self.vocabulary, self._bound_column)
        compiler.run()
        count = len(columns.predicate_start) - 1
        groups_before = len(self.group_atoms.start) - 1
        _extend(self.tests, compiler.tests, count, atom=np.int32, negative=np.bool_, excuse=np.int32)
        _extend(self.bounds, compiler.bounds, count, column=np.int32, operand=np.float64)
        owners, groups = compiler.groups.joined(
            number=np.int64, of_all=np.bool_, negative=np.bool_, excuse=np.int32
        )
        groups["number"] = groups["number"] + groups_before
        self.groups.extend(owners, count, **groups)
        _extend(self.group_atoms, compiler.group_atoms, compiler.group_count, atom=np.int32)
        with_negative = self._with_negative(first, count)
        self.has_negative.extend(with_negative)
        self.any_negative |= bool(with_negative.any())
        lengths = np.diff(columns.conjunction_start)
        self.ids.extend(np.repeat(columns.ids, lengths))
        self._several_conjunctions |= bool((lengths > 1).any())
        entangled = compiler.entangled()
        self.entangled.extend(entangled)
        if entangled.any():
            self._sources.append((first, columns))
        self._slots_of.extend(columns.ids, first + columns.conjunction_start)
        return first + np.arange(count)

    def remove(self, subscription: int) -> Slots:
        """Forget a subscription; the numbers its conjunctions had. Raises KeyError."""
        slots = self._slots_of.pop(subscription)
        self.ids.array[slots] = REMOVED
        self._any_removed = True
        return slots

    def truth_of(self, event: Event) -> Truth:
        """What is true of the event. Valid until the next call."""
        schema = event.schema if event.schema.version > self.schema.version else self.schema
        atoms = self.vocabulary.true_of(event, schema)
        truth = self._cleared_truth(event, schema)
        truth.atoms = atoms
        truth.is_true[atoms] = True
        for attribute, values in event.values.items():
            column = self._bound_columns.get(attribute)
            if column is not None:  # only numbers have bounds, which the types do not say
                truth.bounds[column] = values[0]
                truth.bounds[column + 1] = -values[-1]  # type: ignore[operator]
            if len(values) > 1 and not isinstance(schema.domain_of[attribute], TextDomain):
                truth.has_several_values = True
        return truth

    def tests_hold(self, slots: Slots, truth: Truth) -> Mask:
        """For each of these conjunctions whether all its tests hold."""
        rows, position = self.tests.rows_of(slots)
        return _all_of(self.test_rows_hold(rows, truth), position, len(slots))

    def bounds_hold(self, slots: Slots, truth: Truth) -> Mask:
        rows, position = self.bounds.rows_of(slots)
        return _all_of(self.bound_rows_hold(rows, truth), position, len(slots))

    def groups_hold(self, slots: Slots, truth: Truth) -> Mask:
        rows, position = self.groups.rows_of(slots)
        return _all_of(self.group_rows_hold(rows, truth), position, len(slots))

    def test_rows_hold(self, rows: Slots, truth: Truth) -> Mask:
        holds: Mask = truth.is_true[self.tests["atom"][rows]] != self.tests["negative"][rows]
        holds |= truth.is_true[self.tests["excuse"][rows]]
        return holds

    def bound_rows_hold(self, rows: Slots, truth: Truth) -> Mask:
        holds: Mask = truth.bounds[self.bounds["column"][rows]] <= self.bounds["operand"][rows]
        return holds

    def group_rows_hold(self, rows: Slots, truth: Truth) -> Mask:
        atom_rows, group = self.group_atoms.rows_of(self.groups["number"][rows])
        is_true = truth.is_true[self.group_atoms["atom"][atom_rows]]
        true_atoms = np.bincount(group[is_true], minlength=len(rows))
        wanted = np.where(self.groups["of_all"][rows], np.bincount(group, minlength=len(rows)), 1)
        holds: Mask = (true_atoms >= wanted) != self.groups["negative"][rows]
        holds |= truth.is_true[self.groups["excuse"][rows]]
        return holds

    def holds(self, slot: int, truth: Truth) -> bool:
        """The plain reading of the semantics, for one entangled conjunction."""
        number = bisect_right(self._sources, slot, key=lambda source: source[0]) - 1
        first, columns = self._sources[number]
        return conjunction_holds(columns.conjunction(slot - first), truth.event, truth.schema)

    def ids_of(self, slots: Slots) -> NDArray[np.int64]:
        """The ids of the subscriptions that these conjunctions belong to, each once."""
        ids = self.ids.array[slots]
        if self._any_removed:
            ids = ids[ids != REMOVED]
        return np.unique(ids) if self._several_conjunctions else ids

    @property
    def bound_columns(self) -> Mapping[str, int]:
        """For each attribute with bounds the column of its least value; the next is that of the greatest."""
        return self._bound_columns

    def check_invariants(self) -> None:
        count = len(self.ids)
        for runs in (self.tests, self.bounds, self.groups):
            assert len(runs.start) == count + 1
        assert len(self.entangled) == count
        alive = self.ids.array[self.ids.array != REMOVED]
        assert set(alive.tolist()) == set(self._slots_of)
        for subscription in self._slots_of:
            assert (self.ids.array[self._slots_of[subscription]] == subscription).all()

    def _with_negative(self, first: int, count: int) -> Mask:
        """Which of the newest conjunctions have a negative literal."""
        slots = first + np.arange(count)
        found = np.zeros(count, np.bool_)
        for literals in (self.tests, self.groups):
            rows, position = literals.rows_of(slots)
            found[position[literals["negative"][rows]]] = True
        return found

    def _bound_column(self, attribute: str) -> int:
        if attribute not in self._bound_columns:
            self._bound_columns[attribute] = 2 * len(self._bound_columns)
            self.axis_of_bound.extend([self.vocabulary.axis(attribute)] * 2)
        return self._bound_columns[attribute]

    def _cleared_truth(self, event: Event, schema: Schema) -> Truth:
        truth = self._truth
        if (
            truth is None
            or len(truth.is_true) < len(self.vocabulary)
            or len(truth.bounds) < self._bound_count
        ):
            room = max(64, len(self.vocabulary) * 5 // 4)
            truth = self._truth = Truth(
                atoms=np.empty(0, np.int32),
                is_true=np.zeros(room, np.bool_),
                bounds=np.empty(2 * self._bound_count + 16),
                event=event,
                schema=schema,
                has_several_values=False,
            )
        truth.is_true[truth.atoms] = False
        truth.bounds.fill(np.inf)
        truth.event, truth.schema, truth.has_several_values = event, schema, False
        return truth

    @property
    def _bound_count(self) -> int:
        return 2 * len(self._bound_columns)


def conjunction_holds(conjunction: Conjunction, event: Event, schema: Schema) -> bool:
    """Whether the event satisfies the conjunction, by the core's own reading. O(predicates * values)."""
    return all(
        constraint.holds_for(event.values.get(constraint.attribute), schema.domain_of[constraint.attribute])
        for constraint in conjunction.constraints
    )


def _extend(runs: Runs, rows: Any, count: int, **dtypes: Any) -> None:
    owners, columns = rows.joined(**dtypes)
    runs.extend(owners, count, **columns)


def _all_of(holds: NDArray[np.bool_], position: NDArray[np.int64], count: int) -> Mask:
    """For each of `count` conjunctions whether all its literals hold."""
    result = np.ones(count, np.bool_)
    result[position[~holds]] = False
    return result
