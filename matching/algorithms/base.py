"""The contract of all matchers: subscriptions in, events in, ids of the matching subscriptions out.

Every matcher answers every subscription exactly, whatever its paper restricted itself to. Those of the papers
keep the conjunctions of all subscriptions in `Conjunctions`, index what their structure can hold, find
candidates by it, and have the rest of a candidate decided by the shared residual check: `IndexMatcher`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import Runs, joined
from matching.algorithms.columns import Matchable, SubscriptionColumns
from matching.algorithms.conjunctions import Conjunctions, Mask, Truth
from matching.algorithms.slots import Slots
from matching.algorithms.work import Work
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

Ids = NDArray[np.int64]


class Matcher(ABC):
    """What all matchers can do. Unless it says otherwise, one is used by one thread at a time."""

    exact = True

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        """The newest schema version it has seen."""
        self.work = Work()

    @abstractmethod
    def __len__(self) -> int:
        """How many subscriptions there are."""

    @abstractmethod
    def __contains__(self, number: int) -> bool:
        """Whether there is a subscription of this id."""

    def follow(self, schema: Schema) -> None:
        """Move on to this schema version if it is newer; what is loaded from now on may use its names."""
        if schema.version > self.schema.version:
            self.schema = schema

    @abstractmethod
    def add(self, number: int, subscription: Matchable) -> None:
        """Take a subscription under this id; a known id gets the new subscription instead of its old one."""

    @abstractmethod
    def remove(self, number: int) -> None:
        """Forget a subscription. Raises KeyError for an unknown id."""

    @abstractmethod
    def load(self, columns: SubscriptionColumns) -> None:
        """Take many subscriptions at once; the same as adding them one by one, and much quicker."""

    @abstractmethod
    def match_ids(self, event: Event) -> Ids:
        """The ids of the subscriptions that match, each once, in no order."""

    def match_ids_many(self, events: Iterable[Event]) -> tuple[Ids, Ids]:
        """(offsets, ids): the ids for the k-th event are ids[offsets[k]:offsets[k + 1]]."""
        found = [self.match_ids(event) for event in events]
        ends = np.cumsum([len(ids) for ids in found], dtype=np.int64)
        return np.concatenate(([0], ends)).astype(np.int64), joined(found, np.int64)

    def match(self, event: Event) -> set[int]:
        return set(self.match_ids(event).tolist())

    def match_many(self, events: Iterable[Event]) -> list[set[int]]:
        offsets, ids = self.match_ids_many(events)
        return [set(ids[first:last].tolist()) for first, last in pairwise(offsets.tolist())]

    @abstractmethod
    def check_invariants(self) -> None:
        """Assert that the structures fit each other; O(everything), for tests."""


class IndexMatcher(Matcher):
    """A matcher that indexes the conjunctions in `Conjunctions`."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._conjunctions = Conjunctions(schema)

    def __len__(self) -> int:
        return len(self._conjunctions)

    def __contains__(self, number: int) -> bool:
        return number in self._conjunctions

    def follow(self, schema: Schema) -> None:
        super().follow(schema)
        self._conjunctions.schema = self.schema

    def add(self, number: int, subscription: Matchable) -> None:
        self.follow(subscription.schema)
        if number in self._conjunctions:
            self.remove(number)
        columns = SubscriptionColumns.of([(number, subscription)])
        for slot in self._conjunctions.load(columns).tolist():
            self._index_one(slot)

    def remove(self, number: int) -> None:
        for slot in self._conjunctions.remove(number).tolist():
            self._unindex_one(slot)

    def load(self, columns: SubscriptionColumns) -> None:
        for number in columns.ids.tolist() if len(self) else ():
            if number in self._conjunctions:
                self.remove(number)
        self._index_many(self._conjunctions.load(columns))

    def match_ids(self, event: Event) -> Ids:
        truth = self._conjunctions.truth_of(event)
        return self._conjunctions.ids_of(self._disentangled(self._matched_slots(truth), truth))

    def check_invariants(self) -> None:
        self._conjunctions.check_invariants()

    @abstractmethod
    def _matched_slots(self, truth: Truth) -> Slots:
        """The numbers of the conjunctions all of whose literals hold; removed ones may be among them."""

    def _tested(self, slots: Slots, truth: Truth) -> Slots:
        """Those of the conjunctions all of whose literals hold, each tested until one fails."""
        store = self._conjunctions
        slots = self._survivors(slots, store.tests, lambda rows: store.test_rows_hold(rows, truth))
        slots = self._survivors(slots, store.bounds, lambda rows: store.bound_rows_hold(rows, truth))
        return self._survivors(slots, store.groups, lambda rows: store.group_rows_hold(rows, truth))

    def _survivors(self, slots: Slots, literals: Runs, hold: Callable[[Slots], Mask]) -> Slots:
        """Those of the conjunctions whose literals of one family all hold, tested in rounds."""
        if literals.start[-1] == 0:
            return slots
        passed = []
        at, end = literals.start[slots], literals.start[slots + 1]
        while len(slots):
            tested_all = at == end
            passed.append(slots[tested_all])
            slots, at, end = slots[~tested_all], at[~tested_all], end[~tested_all]
            self.work.predicate_evaluations += len(slots)
            held = hold(at)
            slots, at, end = slots[held], at[held] + 1, end[held]
        return joined(passed, np.int64)

    def _settled(self, slots: Slots, truth: Truth) -> Slots:
        """The shared residual check: those of the candidates whose negative literals hold too.

        With several values of an attribute an "any of" group may have been counted twice: checked too.
        """
        store = self._conjunctions
        self.work.candidates += len(slots)
        if not (store.any_negative or truth.has_several_values):
            return slots
        open_to_doubt = store.has_negative.array[slots]
        if truth.has_several_values:
            open_to_doubt |= store.groups.start[slots + 1] > store.groups.start[slots]
        doubtful = slots[open_to_doubt]
        self.work.residual_checks += len(doubtful)
        holds = store.tests_hold(doubtful, truth) & store.groups_hold(doubtful, truth)
        holds &= store.bounds_hold(doubtful, truth)
        return np.concatenate((slots[~open_to_doubt], doubtful[holds]))

    def _disentangled(self, slots: Slots, truth: Truth) -> Slots:
        """Those of the conjunctions that hold for one value each, where an event has several."""
        if not truth.has_several_values:
            return slots
        store = self._conjunctions
        holds = np.ones(len(slots), np.bool_)
        for position in np.flatnonzero(store.entangled.array[slots]).tolist():
            self.work.residual_checks += 1
            holds[position] = store.holds(int(slots[position]), truth)
        return slots[holds]

    @abstractmethod
    def _index_many(self, slots: Slots) -> None:
        """Index these conjunctions, which are new."""

    @abstractmethod
    def _index_one(self, slot: int) -> None:
        """Index one new conjunction."""

    @abstractmethod
    def _unindex_one(self, slot: int) -> None:
        """Take a removed conjunction out of the index, or leave it there to be passed over."""
