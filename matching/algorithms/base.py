"""The contract of all matchers: subscriptions in, events in, ids of the matching subscriptions out.

Every matcher answers every subscription exactly, whatever its paper restricted itself to. Those of the papers
keep the conjunctions of all subscriptions in `Conjunctions`, index what their structure can hold, find
candidates by it, and have the rest of a candidate decided by the shared residual check: `IndexMatcher`.
Expensive operators are the same for all: what a matcher finds by plain predicates goes through
`OperatorStage`, so a matcher defines only the methods that begin with an underscore.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import Runs, joined
from matching.algorithms.columns import Matchable, SubscriptionColumns
from matching.algorithms.conjunctions import Conjunctions, Mask, Truth
from matching.algorithms.residual import rechecked
from matching.algorithms.slots import Slots
from matching.algorithms.work import Work
from matching.operators.stage import OperatorStage
from matching.operators.strategy import Strategy
from matching.operators.suborder import SubOrder
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.events import Event
from schema_registry.core.predicates import Conjunction, Predicate
from schema_registry.core.schema import Schema

Ids = NDArray[np.int64]

_ALWAYS = Predicate(EVENT_TYPE, "exists")  # every event has a type


@dataclass(frozen=True, slots=True)
class _Given:
    """A subscription, or a part of one."""

    conjunctions: tuple[Conjunction, ...]
    schema: Schema


class Matcher(ABC):
    """What all matchers can do. Unless it says otherwise, one is used by one thread at a time."""

    exact = True
    strategy: ClassVar[type[Strategy]] = SubOrder

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        """The newest schema version it has seen."""
        self.work = Work()
        self.operators = OperatorStage(self.strategy)

    def __len__(self) -> int:
        """How many subscriptions there are."""
        return self._size() - self.operators.surplus

    def __contains__(self, number: int) -> bool:
        """Whether there is a subscription of this id."""
        return number in self.operators or self._holds(number)

    def follow(self, schema: Schema) -> None:
        """Move on to this schema version if it is newer; what is loaded from now on may use its names."""
        if schema.version > self.schema.version:
            self.schema = schema

    def add(self, number: int, subscription: Matchable) -> None:
        """Take a subscription under this id; a known id gets the new subscription instead of its old one."""
        with self.operators.changing():
            conjunctions = subscription.conjunctions
            if number not in self.operators and not any(each.operators for each in conjunctions):
                self._add(number, subscription)
            else:
                self._add_with_operators(number, subscription)

    def remove(self, number: int) -> None:
        """Forget a subscription. Raises KeyError for an unknown id."""
        with self.operators.changing():
            if not self.operators.is_alone(number):
                self._remove(number)
            _, gone = self.operators.put(number, ())
            self._forget(gone)

    def load(self, columns: SubscriptionColumns) -> None:
        """Take many subscriptions at once; the same as adding them one by one, and much quicker."""
        with self.operators.changing():
            plain, others = columns.without_operators()
            if self.operators.is_used:
                for number in plain.ids.tolist():
                    if number in self.operators:
                        self.remove(number)
            self._load(plain)
            for row in others:
                subscription = _Given(tuple(columns.conjunctions_of(row)), self.schema)
                self.add(int(columns.ids[row]), subscription)

    def match_ids(self, event: Event) -> Ids:
        """The ids of the subscriptions that match, each once, in no order."""
        if not self.operators.is_used:
            return self._match_ids(event)
        with self.operators.reading():
            return self.operators.decided(event, self._match_ids(event))

    def match_ids_many(self, events: Iterable[Event]) -> tuple[Ids, Ids]:
        """(offsets, ids): the ids for the k-th event are ids[offsets[k]:offsets[k + 1]]."""
        if not self.operators.is_used:
            return self._match_ids_many(events)
        several = list(events)
        with self.operators.reading():
            return self.operators.decided_many(several, *self._match_ids_many(several))

    def match(self, event: Event) -> set[int]:
        return set(self.match_ids(event).tolist())

    def match_many(self, events: Iterable[Event]) -> list[set[int]]:
        offsets, ids = self.match_ids_many(events)
        return [set(ids[first:last].tolist()) for first, last in pairwise(offsets.tolist())]

    def check_invariants(self) -> None:
        """Assert that the structures fit each other; O(everything), for tests."""
        self.operators.check_invariants()

    def _add_with_operators(self, number: int, subscription: Matchable) -> None:
        """What is new comes first and what was there goes last, so that nobody finds neither."""
        plain = tuple(each for each in subscription.conjunctions if not each.operators)
        others = [each for each in subscription.conjunctions if each.operators]
        was_alone = self.operators.is_alone(number)
        ids, gone = self.operators.put(number, [each.operators for each in others], alone=not plain)
        for conjunction, own in zip(others, ids, strict=True):
            cheap = Conjunction.of(conjunction.predicates or (_ALWAYS,))
            self._add(own, _Given((cheap,), subscription.schema))
        if plain:
            self._add(number, _Given(plain, subscription.schema))
        elif not was_alone and self._holds(number):
            self._remove(number)
        self._forget(gone)

    def _forget(self, conjunctions: Sequence[int]) -> None:
        for number in conjunctions:
            self._remove(number)
        self.operators.forget(conjunctions)

    @abstractmethod
    def _size(self) -> int:
        """How many ids it holds."""

    @abstractmethod
    def _holds(self, number: int) -> bool:
        """Whether it holds this id."""

    @abstractmethod
    def _add(self, number: int, subscription: Matchable) -> None:
        """Take conjunctions without operators under this id, instead of what it has under it."""

    @abstractmethod
    def _remove(self, number: int) -> None:
        """Forget what it has under this id. Raises KeyError."""

    @abstractmethod
    def _load(self, columns: SubscriptionColumns) -> None:
        """Take many subscriptions without operators at once."""

    @abstractmethod
    def _match_ids(self, event: Event) -> Ids:
        """The ids under which something matches, each once, in no order."""

    def _match_ids_many(self, events: Iterable[Event]) -> tuple[Ids, Ids]:
        found = [self._match_ids(event) for event in events]
        ends = np.cumsum([len(ids) for ids in found], dtype=np.int64)
        return np.concatenate(([0], ends)).astype(np.int64), joined(found, np.int64)


class IndexMatcher(Matcher):
    """A matcher that indexes the conjunctions in `Conjunctions`."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._conjunctions = Conjunctions(schema)

    def _size(self) -> int:
        return len(self._conjunctions)

    def _holds(self, number: int) -> bool:
        return number in self._conjunctions

    def follow(self, schema: Schema) -> None:
        super().follow(schema)
        self._conjunctions.schema = self.schema

    def _add(self, number: int, subscription: Matchable) -> None:
        self.follow(subscription.schema)
        if number in self._conjunctions:
            self._remove(number)
        columns = SubscriptionColumns.of([(number, subscription)])
        for slot in self._conjunctions.load(columns).tolist():
            self._index_one(slot)

    def _remove(self, number: int) -> None:
        for slot in self._conjunctions.remove(number).tolist():
            self._unindex_one(slot)

    def _load(self, columns: SubscriptionColumns) -> None:
        for number in columns.ids.tolist() if self._size() else ():
            if number in self._conjunctions:
                self._remove(number)
        self._index_many(self._conjunctions.load(columns))

    def _match_ids(self, event: Event) -> Ids:
        truth = self._conjunctions.truth_of(event)
        return self._conjunctions.ids_of(self._disentangled(self._matched_slots(truth), truth))

    def check_invariants(self) -> None:
        super().check_invariants()
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
        return rechecked(slots, store.has_negative.array[slots], truth, store, self.work)

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
