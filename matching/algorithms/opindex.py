"""`opindex`: partition subscriptions by their rarest attribute, predicates by attribute and operator, and
count.

OpIndex: D. Zhang, C.-Y. Chan, K.-L. Tan, PVLDB 7(8), 2014; paper 004, section 1.1. Two levels. The first
gives each subscription to its *pivot*, the attribute of its own that the fewest subscriptions use, so an
event looks only at the partitions of attributes that it carries. The second keeps the predicates of a
partition in lists by attribute and operator: equalities hashed by value, `<=` and `>=` sorted by operand,
so that what an event satisfies is one entry, or one end of a list. Each satisfied predicate is counted,
and a subscription whose count is full matches. Its strength is many attributes of which each event has
few; where all subscriptions constrain all attributes, as in `dexin`, there is one partition, and it counts
everything.

An attribute's frequency is that among the subscriptions so far; a pivot once given stays. What cannot be
counted, negations, is left to the residual check, and a subscription of nothing else has no pivot: every
event looks at it.

Our choices, about which paper 004 says nothing: frequencies that are not learnt again, so that pivots never
move; a range as two predicates, `>=` and `<=`; lists sorted by operand, without the two hash maps that
OpIndex has for range scans; counters of two bytes. There is no parameter.

Costs: match O(partitions + satisfied predicates in those looked at + their subscriptions), add and remove
O(predicates * log), memory one entry per predicate.
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, joined
from matching.algorithms.base import IndexMatcher
from matching.algorithms.conjunctions import Truth
from matching.algorithms.operator_lists import OperatorLists
from matching.algorithms.slots import Slots
from schema_registry.core.schema import Schema

_NO_PIVOT = -1


class OpIndexMatcher(IndexMatcher):
    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._attributes: dict[str, int] = {}
        self._uses = GrowingArray(np.int64)
        self._pivot = GrowingArray(np.int32)
        self._partitions: dict[int, OperatorLists] = {}

    def _matched_slots(self, truth: Truth) -> Slots:
        carried = [self._attributes.get(name) for name in truth.event.values]
        looked_at = [self._partitions[each] for each in (*carried, _NO_PIVOT) if each in self._partitions]
        reached = [partition.reached(truth) for partition in looked_at]
        return self._settled(joined(reached, np.int64), truth)

    def _index_many(self, slots: Slots) -> None:
        pivots = self._take_pivots(slots)
        for pivot in np.unique(pivots).tolist():
            self._partition(pivot).load(slots[pivots == pivot])

    def _index_one(self, slot: int) -> None:
        pivot = int(self._take_pivots(np.array([slot]))[0])
        self._partition(pivot).add(slot)

    def _unindex_one(self, slot: int) -> None:
        self._partitions[int(self._pivot.array[slot])].remove(slot)

    def check_invariants(self) -> None:
        super().check_invariants()
        assert len(self._pivot) == len(self._conjunctions.ids)
        for partition in self._partitions.values():
            partition.check_invariants()

    def _partition(self, pivot: int) -> OperatorLists:
        if pivot not in self._partitions:
            self._partitions[pivot] = OperatorLists(self._conjunctions, self.work)
        return self._partitions[pivot]

    def _take_pivots(self, slots: Slots) -> NDArray[np.int32]:
        """The pivots of these conjunctions, which are new, after counting what attributes they use."""
        owners, attributes = self._attributes_of(slots)
        pairs = np.unique(owners * len(self._attributes) + attributes)
        owners, attributes = np.divmod(pairs, max(1, len(self._attributes)))
        self._uses.extend(np.zeros(len(self._attributes) - len(self._uses), np.int64))
        self._uses.array[:] += np.bincount(attributes, minlength=len(self._uses))
        rarest_last = np.lexsort((-self._uses.array[attributes], owners))
        pivots = np.full(len(slots), _NO_PIVOT, np.int32)
        pivots[owners[rarest_last]] = attributes[rarest_last]  # of several for one owner the last stays
        self._pivot.extend(pivots)
        return pivots

    def _attributes_of(self, slots: Slots) -> tuple[Slots, Slots]:
        """Whose literals that can be counted are about which attributes, by our own numbers for them."""
        store, vocabulary = self._conjunctions, self._conjunctions.vocabulary
        number_of_atom = np.array([self._number(name) for name in vocabulary.axes], np.int64)
        number_of_column = np.array([self._number(name) for name in store.bound_columns], np.int64)
        test_rows, of_test = store.tests.rows_of(slots)
        counted = ~store.tests["negative"][test_rows]
        bound_rows, of_bound = store.bounds.rows_of(slots)
        group_rows, of_group = store.groups.rows_of(slots)
        positive = ~store.groups["negative"][group_rows]
        first_atoms = store.group_atoms.start[store.groups["number"][group_rows[positive]]]
        atoms = np.concatenate(
            (store.tests["atom"][test_rows[counted]], store.group_atoms["atom"][first_atoms])
        )
        columns = store.bounds["column"][bound_rows] // 2
        return (
            np.concatenate((of_test[counted], of_group[positive], of_bound)),
            np.concatenate((number_of_atom[vocabulary.axis_of[atoms]], number_of_column[columns])),
        )

    def _number(self, attribute: str) -> int:
        return self._attributes.setdefault(attribute, len(self._attributes))
