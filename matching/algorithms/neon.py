"""`neon`: tables of operations, predicates and counts; every predicate that may apply is evaluated.

Paper 002, section 3.1, figure 8 (NEONRules). `operations` says which (event type, attribute, comparison)
occur; an event goes through those of its types and, for each, evaluates all rows of `predicates` that have
it, one by one, whether or not another row has the same value. What holds is counted per subscription, and
compared with `n_predicates`. A subscription that names no event type applies to events of every type.

Costs: match O(predicates on the event's attributes + subscriptions), add O(predicates), remove O(predicates *
log), memory one row per predicate. Nothing is shared, so nothing has to be kept in order.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, joined
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import Truth
from matching.algorithms.counting import NEVER_REACHED
from matching.algorithms.slots import Slots
from matching.algorithms.vocabulary import NEVER, NO_SPACE
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.schema import Schema

ANY_TYPE = NEVER

Numbers = NDArray[np.int64]


class Operation(NamedTuple):
    """An event type's atom, or ANY_TYPE; and an attribute with a comparison, as the vocabulary numbers it.

    Comparisons of numbers have columns, all others spaces, and those without a space share NO_SPACE.
    """

    event_type: int
    of_numbers: bool
    comparison: int

    def applies_to(self, truth: Truth, spaces: NDArray[np.int32]) -> bool:
        """Whether the event is of the type and has a value to compare; `spaces` are those of its atoms."""
        if self.event_type != ANY_TYPE and not truth.is_true[self.event_type]:
            return False
        if self.of_numbers:
            return bool(truth.bounds[self.comparison] < np.inf)
        return self.comparison == NO_SPACE or bool((spaces == self.comparison).any())


@dataclass(frozen=True, slots=True)
class PredicateRows:
    """The rows of one operation. One that was removed has a constant that no event satisfies."""

    constant: GrowingArray
    subscription: GrowingArray

    def satisfied(self, operation: Operation, truth: Truth, spaces: NDArray[np.int32]) -> Numbers:
        """The subscriptions of the rows that hold, once for each."""
        if operation.of_numbers:
            holds = self.constant.array >= truth.bounds[operation.comparison]
        else:
            values = truth.atoms[spaces == operation.comparison]
            if len(values) == 1:
                holds = self.constant.array == values[0]
            else:
                holds = truth.is_true[self.constant.array]
        satisfied: Numbers = self.subscription.array[holds]
        return satisfied


class NeonMatcher(IndexMatcher):
    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._operations: dict[Operation, PredicateRows] = {}
        self._n_predicates = GrowingArray(np.int64)

    def check_invariants(self) -> None:
        super().check_invariants()
        assert len(self._n_predicates) == len(self._conjunctions.ids)
        for operation, rows in self._operations.items():
            assert len(rows.constant) == len(rows.subscription)
            assert (np.diff(rows.subscription.array) >= 0).all()
            if not operation.of_numbers:
                kept = rows.constant.array[rows.constant.array != NEVER]
                assert (self._conjunctions.vocabulary.space_of[kept] == operation.comparison).all()

    def _matched_slots(self, truth: Truth) -> Slots:
        spaces = self._conjunctions.vocabulary.space_of[truth.atoms]
        found = []
        for operation, rows in self._operations.items():
            if operation.applies_to(truth, spaces):
                self.work.predicate_evaluations += len(rows.constant)
                found.append(rows.satisfied(operation, truth, spaces))
        counts = np.bincount(joined(found, np.int64), minlength=len(self._n_predicates))
        return self._settled(np.flatnonzero(counts >= self._n_predicates.array), truth)

    def _index_many(self, slots: Slots) -> None:
        store = self._conjunctions
        types = self._event_types(slots)
        rows, of_test = store.tests.rows_of(slots)
        positive = ~store.tests["negative"][rows]
        rows, of_test = rows[positive], of_test[positive]
        groups, of_group = store.groups.rows_of(slots)
        any_of = ~store.groups["negative"][groups]
        groups, of_group = groups[any_of], of_group[any_of]
        atom_rows, group = store.group_atoms.rows_of(store.groups["number"][groups])
        atoms = np.concatenate((store.tests["atom"][rows], store.group_atoms["atom"][atom_rows]))
        owners = np.concatenate((of_test, of_group[group]))
        spaces = store.vocabulary.space_of[atoms]
        self._insert(types[owners], spaces, atoms, slots[owners], of_numbers=False)
        rows, of_bound = store.bounds.rows_of(slots)
        columns, operands = store.bounds["column"][rows], store.bounds["operand"][rows]
        self._insert(types[of_bound], columns, operands, slots[of_bound], of_numbers=True)
        predicates = np.concatenate((of_test, of_bound, of_group))
        self._n_predicates.extend(np.bincount(predicates, minlength=len(slots)))

    def _index_one(self, slot: int) -> None:
        self._index_many(np.array([slot]))

    def _unindex_one(self, slot: int) -> None:
        self._n_predicates.array[slot] = NEVER_REACHED
        event_type = int(self._event_types(np.array([slot]))[0])
        for operation, rows in self._operations.items():
            if operation.event_type == event_type:
                first, last = np.searchsorted(rows.subscription.array, (slot, slot + 1))
                rows.constant.array[first:last] = -np.inf if operation.of_numbers else NEVER

    def _event_types(self, slots: Slots) -> NDArray[np.int32]:
        """For each conjunction an event type that it asks for, or ANY_TYPE."""
        store = self._conjunctions
        space = store.vocabulary.spaces.get((EVENT_TYPE, "="))
        types = np.full(len(slots), ANY_TYPE, np.int32)
        if space is not None:
            rows, position = store.tests.rows_of(slots)
            atoms = store.tests["atom"][rows]
            asking = (store.vocabulary.space_of[atoms] == space) & ~store.tests["negative"][rows]
            types[position[asking]] = atoms[asking]
        return types

    def _insert(
        self,
        types: NDArray[np.int32],
        comparisons: NDArray[np.int32],
        constants: NDArray[np.int32] | NDArray[np.float64],
        slots: Slots,
        *,
        of_numbers: bool,
    ) -> None:
        """Append rows to the operations they belong to, in ascending order of slots."""
        order = np.lexsort((slots, comparisons, types))
        changes = (np.diff(types[order]) != 0) | (np.diff(comparisons[order]) != 0)
        for part in np.split(order, np.flatnonzero(changes) + 1) if len(order) else ():
            operation = Operation(int(types[part[0]]), of_numbers, int(comparisons[part[0]]))
            rows = self._operations.get(operation)
            if rows is None:
                dtype = np.float64 if of_numbers else np.int32
                rows = self._operations[operation] = PredicateRows(
                    GrowingArray(dtype), GrowingArray(np.int64)
                )
            rows.constant.extend(constants[part])
            rows.subscription.extend(slots[part])
