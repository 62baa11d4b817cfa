"""The order of predicates by what they are expected to decide: the pairs of 4.2.4 taken all together.

Between two chains linked at a literal, it pays to evaluate the one that gets there more likely at less cost,
since a literal that does not hold decides the other as well: P (1 - p) against C. A literal that many chains
have, decides all of those that are still undecided. So the gain of a predicate is the expected number of
chains that it decides, for each unit of its cost,

    (1 - p) * sum of U over the chains that have it / cost,

where U is the probability that a chain is undecided by the predicates that come before: the product of their
p. The greedy order takes the greatest gain first. Gains only shrink, so an old gain is an upper bound: only
the top of a heap is computed anew.
"""

from collections.abc import Iterable
from heapq import heapify, heappop, heapreplace

from matching.operators.estimates import Estimates
from matching.operators.graph import ConjunctionGraph


def gains_of(graph: ConjunctionGraph, estimates: Estimates) -> dict[int, float]:
    """Each predicate's gain at its turn, in descending order.

    O(edges * times that a gain is computed anew), which are few.
    """
    undecided = dict.fromkeys(graph, 1.0)
    predicates = dict.fromkeys(max(literal, ~literal) for literal in graph.literals)
    queue = [(-gain(predicate, graph, estimates), predicate) for predicate in predicates]
    heapify(queue)
    gains: dict[int, float] = {}
    while queue:
        before, predicate = queue[0]
        now = -gain(predicate, graph, estimates, undecided)
        if now > before and len(queue) > 1:
            heapreplace(queue, (now, predicate))
            if queue[0][1] != predicate:
                continue
        heappop(queue)
        gains[predicate] = -now
        for literal in (predicate, ~predicate):
            probability = estimates.probability(literal)
            for number in graph.having(literal):
                undecided[number] *= probability
    return gains


def gain(
    predicate: int,
    graph: ConjunctionGraph,
    estimates: Estimates,
    undecided: dict[int, float] | None = None,
) -> float:
    """Of one predicate, by both of its literals; without `undecided`, as if nothing came before."""
    decided = 0.0
    for literal in (predicate, ~predicate):
        numbers = graph.having(literal)
        if numbers:
            expected = len(numbers) if undecided is None else sum(map(undecided.__getitem__, numbers))
            decided += (1 - estimates.probability(literal)) * expected
    return decided / estimates.cost(predicate)


def contribute(literals: Iterable[int], gains: dict[int, float], estimates: Estimates) -> None:
    """Add one chain to the gains: each of its predicates may decide it, unless one before did."""
    undecided = 1.0
    for literal in sorted(literals, key=lambda literal: -gains.get(max(literal, ~literal), 0.0)):
        probability = estimates.probability(literal)
        predicate = max(literal, ~literal)
        gains[predicate] = gains.get(predicate, 0.0) + (1 - probability) * undecided / estimates.cost(literal)
        undecided *= probability
