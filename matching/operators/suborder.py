"""`suborder`: linked chains, evaluated from left to right, each from top to bottom. Paper 001, section 4.2.

A chain is a conjunction, its nodes are its literals; chains are linked where they have the same literal. For
an event (4.2.2), a chain is passed over if one of its nodes is known not to hold; otherwise those that are
not known yet are evaluated until one does not hold. What is found goes along the links: here it is looked up,
since all nodes that are linked with each other stand for the same literal.

The order is what there is to choose. Nodes and chains are in descending order of gain (`gains`): on top of
each chain is what decides most chains for its cost, and to the left are the chains whose tops decide most.
`pairwise` has the order of 4.2.5.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from sortedcontainers import SortedList

from matching.operators.estimates import Estimates
from matching.operators.gains import contribute, gains_of
from matching.operators.graph import Literals
from matching.operators.strategy import Findings, Strategy

Place = tuple[float, ...]

FIRST_REORDERING = 16  # events
LONGEST_WITHOUT = 65_536  # events
CHANGED = 0.5  # of the chains
LOADED = 0.1  # of the chains; fewer are placed one by one


class SubOrder(Strategy):
    """Adding and removing are O(literals + log conjunctions), a match O(literals of what is looked at).

    A new chain adds to the gains of its predicates, and is placed by them; other chains stay where they are.
    `reorder` computes gains and places anew with what was learnt, in O(edges * log). It is due after 16
    events, 32, 64 and so on, as estimates change ever less, but at least every 65,536; and after as many
    changes as half of the chains. Whoever matches decides when there is time for it.
    """

    def __init__(self, estimates: Estimates | None = None) -> None:
        super().__init__(estimates)
        self._chains: dict[int, Literals] = {}
        self._places: dict[int, Place] = {}
        self._order: SortedList = SortedList()  # of (place, number)
        self._left_to_right: list[int] | None = None
        self._gains: dict[int, float] = {}
        self._events = 0
        self._next_reordering = FIRST_REORDERING
        self._changes = 0

    def add(self, number: int, literals: Iterable[int]) -> None:
        super().add(number, literals)
        self._insert(number)
        self._changes += 1

    def remove(self, number: int) -> None:
        super().remove(number)
        self._order.remove((self._places.pop(number), number))
        del self._chains[number]
        self._left_to_right = None
        self._changes += 1

    def load(self, numbers: NDArray[np.int64], start: NDArray[np.int64], literals: NDArray[np.int64]) -> None:
        super().load(numbers, start, literals)
        if len(numbers) > LOADED * len(self):
            self.reorder()
            return
        for number in numbers.tolist():
            self._insert(number)
        self._changes += len(numbers)

    @property
    def is_reordering_due(self) -> bool:
        return self._events >= self._next_reordering or self._changes > CHANGED * len(self)

    def reorder(self) -> None:
        self._arrange()
        self._order = SortedList((place, number) for number, place in self._places.items())
        self._left_to_right = None
        self._next_reordering = min(max(FIRST_REORDERING, 2 * self._events), LONGEST_WITHOUT)
        self._events = self._changes = 0

    def check_invariants(self) -> None:
        super().check_invariants()
        assert self._chains.keys() == self._places.keys() == set(self._graph)
        assert all(set(chain) == set(self._graph[number]) for number, chain in self._chains.items())
        assert list(self._order) == sorted((place, number) for number, place in self._places.items())

    def _found(self, findings: Findings, candidates: Iterable[int] | None) -> list[int]:
        self._events += 1
        chains, known = self._chains, findings.known
        found = []
        for number in self._ordered(candidates):
            chain = chains[number]
            for literal in chain:
                if known.get(literal) is False:
                    break
            else:
                if findings.all_hold(chain):
                    found.append(number)
        return found

    def _ordered(self, candidates: Iterable[int] | None) -> Sequence[int]:
        if candidates is not None:
            return sorted(candidates, key=self._places.__getitem__)
        if self._left_to_right is None:
            self._left_to_right = [number for _, number in self._order]
        return self._left_to_right

    def _insert(self, number: int) -> None:
        self._chains[number], self._places[number] = self._placed(number)
        self._order.add((self._places[number], number))
        self._left_to_right = None

    def _arrange(self) -> None:
        """Chains and places of all."""
        self._gains = gains_of(self._graph, self.estimates)
        placed = {number: self._by_gain(number) for number in self._graph}
        self._chains = {number: chain for number, (chain, _) in placed.items()}
        self._places = {number: place for number, (_, place) in placed.items()}

    def _placed(self, number: int) -> tuple[Literals, Place]:
        """The chain of a new conjunction, and its place among the others."""
        contribute(self._graph[number], self._gains, self.estimates)
        return self._by_gain(number)

    def _by_gain(self, number: int) -> tuple[Literals, Place]:
        by_gain = sorted((-self._gains[max(literal, ~literal)], literal) for literal in self._graph[number])
        return tuple(literal for _, literal in by_gain), tuple(negative for negative, _ in by_gain)
