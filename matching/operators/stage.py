"""The last stage of every matcher: conjunctions with expensive operators, where their cheap part holds.

A conjunction with operators gets an id of its own, above all ids of subscriptions; under it the matcher holds
its plain predicates, as if it were a subscription. What the matcher then finds under such ids are the
candidates. For these alone operators are evaluated, in the order of a strategy, each predicate once for the
event, and those that hold are turned into the ids of their subscriptions. So no matcher knows of operators,
and one without such conjunctions pays for a look at a flag.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.operators import documents, of_process
from matching.operators.evaluation import Evaluator
from matching.operators.numbering import PredicateNumbers
from matching.operators.strategy import Strategy
from matching.operators.suborder import SubOrder
from schema_registry.core.events import Event
from schema_registry.core.operator_meaning import Rows, joint_binding
from schema_registry.core.operators import OperatorPart, OperatorPredicate

Ids = NDArray[np.int64]
FIRST = 1 << 62
"""The first id of a conjunction; those of subscriptions are below."""


@dataclass(frozen=True, slots=True)
class _Conjunction:
    subscription: int
    part: OperatorPart
    literals: tuple[int, ...]


class OperatorStage:
    """Which conjunctions have operators, and whether they hold for an event.

    Threads may decide beside each other, though only one at a time evaluates, and beside one that changes it.
    What is forgotten while somebody decides stays until all have ended, so that each finds a subscription
    that is being replaced as it was or as it will be.
    """

    def __init__(self, strategy: Callable[[], Strategy] = SubOrder) -> None:
        self._strategy = strategy()
        self._evaluator: Evaluator | None = None
        self._numbers = PredicateNumbers()
        self._conjunctions: dict[int, _Conjunction] = {}
        self._ids_of: dict[int, tuple[int, ...]] = {}
        self._alone: set[int] = set()
        self._next = FIRST
        self._changing = threading.RLock()
        self._deciding = threading.Lock()
        self._readers = 0
        self._gone: list[int] = []
        self.is_used = False
        """Whether there ever was a conjunction with operators; if not, no id is one of theirs."""

    @property
    def evaluator(self) -> Evaluator:
        """The one that was given, or that of this process, which imports all operators."""
        return of_process.evaluator() if self._evaluator is None else self._evaluator

    @evaluator.setter
    def evaluator(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    @property
    def evaluations(self) -> int:
        """How many predicates were evaluated so far, over all events."""
        return self._strategy.evaluations

    @property
    def surplus(self) -> int:
        """How many more ids a matcher holds than there are subscriptions, on account of conjunctions here."""
        return len(self._conjunctions) - len(self._gone) - len(self._alone)

    def start(self) -> None:
        """Prepare the operators that are called here, so that no event waits for that. May take seconds."""
        if self.is_used:
            self.evaluator.start(self._numbers.operators())

    def __contains__(self, subscription: int) -> bool:
        """Whether this subscription has conjunctions here."""
        return subscription in self._ids_of

    def changing(self) -> AbstractContextManager[bool]:
        """Held by who changes the matcher, so that both change as one."""
        return self._changing

    def put(
        self, subscription: int, parts: Sequence[OperatorPart], *, alone: bool = False
    ) -> tuple[Sequence[int], Sequence[int]]:
        """These are the conjunctions of a subscription from now on; `alone` if it has no plain ones.

        The ids that they got, and those of the conjunctions that it had; these are decided as before until
        they are forgotten.
        """
        before = self._ids_of.pop(subscription, ())
        self._alone.discard(subscription)
        if not parts:
            return (), before
        self.is_used = True
        ids = tuple(range(self._next, self._next + len(parts)))
        self._next += len(parts)
        with self._deciding:
            for number, part in zip(ids, parts, strict=True):
                self._take(number, subscription, part)
        self._ids_of[subscription] = ids
        if alone:
            self._alone.add(subscription)
        return ids, before

    def forget(self, ids: Iterable[int]) -> None:
        """Of conjunctions that no subscription has any more, nor any matcher."""
        with self._deciding:
            self._gone += ids
            self._forget_the_gone()

    def is_alone(self, subscription: int) -> bool:
        """Whether the subscription has conjunctions here and nowhere else."""
        return subscription in self._alone

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Held by who looks for candidates and has them decided."""
        with self._deciding:
            self._readers += 1
        try:
            yield
        finally:
            with self._deciding:
                self._readers -= 1
                self._forget_the_gone()

    def decided(self, event: Event, ids: Ids) -> Ids:
        """The ids of the subscriptions among what a matcher found: those of candidates that hold, and the
        rest as they are; each once."""
        of_conjunctions = ids >= FIRST
        if not of_conjunctions.any():
            return ids
        with self._deciding:
            found = self._matching(event, ids[of_conjunctions].tolist())
        return np.unique(np.concatenate((ids[~of_conjunctions], np.array(found, np.int64))))

    def decided_many(self, events: Sequence[Event], offsets: Ids, ids: Ids) -> tuple[Ids, Ids]:
        """The same for many events: (offsets, ids) as `match_ids_many` gives them.

        Only events that have candidates are asked for.
        """
        of_conjunctions = ids >= FIRST
        if not of_conjunctions.any():
            return offsets, ids
        decided = [
            self.decided(events[place], ids[first:last])
            if of_conjunctions[first:last].any()
            else ids[first:last]
            for place, (first, last) in enumerate(pairwise(offsets.tolist()))
        ]
        ends = np.cumsum([len(each) for each in decided], dtype=np.int64)
        return np.concatenate(([0], ends)).astype(np.int64), np.concatenate(decided)

    def reorder(self) -> None:
        """Take what was learnt of operators into account, if it is time to. O(conjunctions * log)."""
        with self._deciding:
            if self._strategy.is_reordering_due:
                self._strategy.reorder()

    def to_document(self) -> dict[str, Any]:
        """All of it as JSON; whoever writes it holds `changing`."""
        return {
            "next": self._next,
            "alone": sorted(self._alone),
            "subscriptions": [
                [number, [[each, documents.document_of(self._conjunctions[each].part)] for each in ids]]
                for number, ids in self._ids_of.items()
            ],
        }

    def restore(self, document: Mapping[str, Any]) -> None:
        """Take what `to_document` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        self._next = document["next"]
        self._alone = set(document["alone"])
        for subscription, conjunctions in document["subscriptions"]:
            for number, written in conjunctions:
                self._take(number, subscription, documents.part_of(written))
            self._ids_of[subscription] = tuple(number for number, _ in conjunctions)
        self.is_used = bool(self._ids_of)
        self._strategy.reorder()

    def check_invariants(self) -> None:
        assert self._readers == 0, "somebody is reading"
        assert not self._gone
        numbers = [number for ids in self._ids_of.values() for number in ids]
        assert sorted(numbers) == sorted(self._conjunctions)
        assert set(self._ids_of) >= self._alone
        assert all(FIRST <= number < self._next for number in numbers)
        assert len(self._strategy) == len(numbers)
        self._numbers.check_invariants(each.literals for each in self._conjunctions.values())
        self._strategy.check_invariants()

    def _take(self, number: int, subscription: int, part: OperatorPart) -> None:
        literals = tuple(self._literal(call.predicate, call.negated) for call in part.calls)
        self._conjunctions[number] = _Conjunction(subscription, part, literals)
        self._strategy.add(number, literals)

    def _literal(self, predicate: OperatorPredicate, negated: bool) -> int:
        number, is_new = self._numbers.take(predicate)
        if is_new:
            declaration = self.evaluator.operators.get(predicate.operator)
            cost = declaration.cost if declaration is not None else None
            self._strategy.estimates.expect(number, selectivity=0.5, cost=cost)
        return ~number if negated else number

    def _forget_the_gone(self) -> None:
        if self._readers:
            return
        for number in self._gone:
            gone = self._conjunctions.pop(number)
            self._strategy.remove(number)
            self._numbers.release(gone.literals)
        self._gone.clear()

    def _matching(self, event: Event, candidates: Iterable[int]) -> list[int]:
        rows_of: dict[int, Rows | None] = {}

        def evaluate(number: int) -> bool | None:
            started = perf_counter()
            rows = rows_of[number] = self.evaluator.evaluate(self._numbers[number], event)
            self._strategy.estimates.learn_cost(number, perf_counter() - started)
            return None if rows is None else bool(rows)

        def satisfies(number: int) -> bool:
            conjunction = self._conjunctions[number]
            return (
                joint_binding(conjunction.part, lambda predicate: rows_of[self._numbers.of(predicate)])
                is not None
            )

        known = [number for number in candidates if number in self._conjunctions]
        found = self._strategy.match(evaluate, known, satisfies=satisfies)
        return [self._conjunctions[number].subscription for number in found]
