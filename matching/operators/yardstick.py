"""What could be reached: evaluations by who knows the truth of every predicate before the event comes.

Whatever the order, an algorithm must have evaluated all literals of the conjunctions that hold, and of every
other one at least one that does not hold (paper 001, section 3). `GreedyYardstick` chooses the latter
greedily, as for set cover: always the predicate that refutes most of what is left. `least_evaluations` is the
true minimum, for small instances.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heapreplace

Truth = Callable[[int], bool]
"""Whether a literal holds."""


class GreedyYardstick:
    """Made once for all events. An event is O(edges * log)."""

    def __init__(self, conjunctions: Mapping[int, Sequence[int]]) -> None:
        self._literals = list(conjunctions.values())
        self._having: dict[int, list[int]] = {}
        for place, literals in enumerate(self._literals):
            for literal in literals:
                self._having.setdefault(literal, []).append(place)
        self._popularity = {literal: len(places) for literal, places in self._having.items()}

    def evaluations(self, truth: Truth) -> int:
        """How many predicates the greedy evaluates for an event of which all literals are known."""
        failing = {literal: places for literal, places in self._having.items() if not truth(literal)}
        is_open = bytearray(len(self._literals))
        for places in failing.values():
            for place in places:
                is_open[place] = True
        needed = {
            _predicate(literal)
            for place, literals in enumerate(self._literals)
            if not is_open[place]
            for literal in literals
        }
        left = self._popularity.copy()

        def refute(literal: int) -> None:
            for place in failing.get(literal, ()):
                if is_open[place]:
                    is_open[place] = False
                    for other in self._literals[place]:
                        left[other] -= 1

        for predicate in needed:
            refute(~predicate)
        queue = [(-left[literal], literal) for literal in failing]
        heapify(queue)
        chosen = 0
        while queue:
            before, literal = queue[0]
            now = -left[literal]
            if now == 0:
                heappop(queue)
            elif now > before:  # some of its conjunctions were refuted since
                heapreplace(queue, (now, literal))
            else:
                heappop(queue)
                chosen += 1
                refute(literal)
                refute(~literal)  # which fails as well if the operator did
        return len(needed) + chosen


def least_evaluations(conjunctions: Mapping[int, Sequence[int]], truth: Truth) -> int:
    """Exactly, by trying; exponential in the conjunctions that do not hold."""
    needed, open_ones = _split(conjunctions, truth)
    sets = {frozenset(_predicate(literal) for literal in literals) for literals in open_ones.values()}
    minimal = [each for each in sets if not any(other < each for other in sets)]
    return len(needed) + _least_hitting(minimal, len(minimal))


def _least_hitting(sets: Sequence[frozenset[int]], most: int) -> int:
    """The size of the smallest set that meets all of these, if at most `most`; otherwise more than that."""
    if not sets:
        return 0
    if most <= 0:
        return 1
    best = most + 1
    for element in min(sets, key=len):  # one of its elements is needed
        rest = [each for each in sets if element not in each]
        best = min(best, 1 + _least_hitting(rest, best - 2))
    return best


def _split(conjunctions: Mapping[int, Sequence[int]], truth: Truth) -> tuple[set[int], dict[int, list[int]]]:
    """The predicates of what holds, and, unless those refute it, for each other conjunction the literals that
    do not hold."""
    needed: set[int] = set()
    refutable: dict[int, list[int]] = {}
    for number, literals in conjunctions.items():
        failing = [literal for literal in literals if not truth(literal)]
        if failing:
            refutable[number] = failing
        else:
            needed.update(map(_predicate, literals))
    open_ones = {
        number: failing
        for number, failing in refutable.items()
        if needed.isdisjoint(map(_predicate, failing))
    }
    return needed, open_ones


def _predicate(literal: int) -> int:
    return literal if literal >= 0 else ~literal
