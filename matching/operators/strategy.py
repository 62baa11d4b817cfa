"""In what order expensive predicates are evaluated, so that few are: what all strategies share.

Paper 001, section 3. Conjunctions are sets of literals: predicate t, or `~t` for a negated one. `evaluate(t)`
costs; it says whether predicate t is true of the event, or None if its operator failed, which makes both t
and `~t` not hold. For an event no predicate is evaluated twice, and as soon as one literal of a conjunction
is known not to hold, nothing is evaluated for the sake of that conjunction any more.

A strategy knows numbers only. What variables are bound to, their join and the value constraints are decided
by `satisfies`, which is asked once for each conjunction all of whose literals hold.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from matching.operators.estimates import Estimates
from matching.operators.graph import ConjunctionGraph

Evaluate = Callable[[int], bool | None]
Satisfies = Callable[[int], bool]


class Findings:
    """What is known of one event: `known[literal]` says whether it holds."""

    def __init__(self, evaluate: Evaluate, estimates: Estimates) -> None:
        self.known: dict[int, bool] = {}
        self.evaluations = 0
        self._evaluate = evaluate
        self._estimates = estimates

    def find_out(self, literal: int) -> bool:
        """Evaluate the predicate of a literal that is not known; whether the literal holds."""
        predicate = literal if literal >= 0 else ~literal
        outcome = self._evaluate(predicate)
        self.evaluations += 1
        self.known[predicate] = outcome is True
        self.known[~predicate] = outcome is False
        if outcome is not None:
            self._estimates.learn(predicate, outcome)
        return self.known[literal]

    def all_hold(self, literals: Iterable[int]) -> bool:
        """Find out one literal after the other until one does not hold."""
        known = self.known
        for literal in literals:
            holds = known.get(literal)
            if holds is None:
                holds = self.find_out(literal)
            if not holds:
                return False
        return True


class Strategy(ABC):
    """Used by one thread at a time. `evaluations` counts exactly, over all events; `estimates` may be shared
    with whoever measures costs, and calls `learn_cost`."""

    def __init__(self, estimates: Estimates | None = None) -> None:
        self.estimates = estimates or Estimates()
        self.evaluations = 0
        self._graph = ConjunctionGraph()

    def __len__(self) -> int:
        return len(self._graph)

    def __contains__(self, number: int) -> bool:
        return number in self._graph

    def add(self, number: int, literals: Iterable[int]) -> None:
        """Take a conjunction; a known number gets these literals instead of its old ones."""
        if number in self._graph:
            self.remove(number)
        self._graph.add(number, literals)

    def remove(self, number: int) -> None:
        """Raises KeyError."""
        self._graph.remove(number)

    def load(self, numbers: NDArray[np.int64], start: NDArray[np.int64], literals: NDArray[np.int64]) -> None:
        """Take many: number k has literals[start[k]:start[k + 1]]; the same as adding them, and quicker."""
        for number in numbers.tolist() if len(self) else ():
            if number in self._graph:
                self.remove(number)
        self._graph.load(numbers, start, literals)

    def match(
        self,
        evaluate: Evaluate,
        candidates: Iterable[int] | None = None,
        *,
        satisfies: Satisfies | None = None,
    ) -> list[int]:
        """The conjunctions that hold for the event, in no order.

        `candidates`, each once, are those whose cheap part holds: only they are looked at, and the work is
        in proportion to them. Raises KeyError for a candidate that is not there.
        """
        findings = Findings(evaluate, self.estimates)
        try:
            found = self._found(findings, candidates)
        finally:
            self.evaluations += findings.evaluations
        return found if satisfies is None else [number for number in found if satisfies(number)]

    @property
    def is_reordering_due(self) -> bool:
        """Whether `reorder` would be worth its time."""
        return False

    def reorder(self) -> None:
        """Take what was learnt since into account; changes what is evaluated, never what is found."""
        return  # nothing to do by default

    def check_invariants(self) -> None:
        """Assert that the structures fit each other; O(everything), for tests."""
        self._graph.check_invariants()

    @abstractmethod
    def _found(self, findings: Findings, candidates: Iterable[int] | None) -> list[int]:
        """Those of the candidates, or of all, whose literals all hold."""
