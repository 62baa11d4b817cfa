"""`sequential`: decide one conjunction, and with it those that share its literals. Paper 001, section 4.1.

Algorithm 1: take any undecided conjunction; go through its literals that are not known yet and evaluate each
one that some undecided conjunction has, also after the conjunction itself has been decided. A conjunction is
decided as soon as one of its literals is known not to hold.

Theorem 2: for every event at most d times as many evaluations as any algorithm needs, where d is the length
of the longest conjunction: the conjunctions that were taken have no literal evaluated in common, and every
one needs at least one. With differing costs (section 4.3) the factor is d * C_max / C_min.
"""

from collections.abc import Iterable

from matching.operators.graph import ConjunctionGraph
from matching.operators.strategy import Findings, Strategy


class Sequential(Strategy):
    """A match is O(literals of the conjunctions looked at)."""

    def _found(self, findings: Findings, candidates: Iterable[int] | None) -> list[int]:
        graph = self._graph if candidates is None else self._graph.part(candidates)
        known = findings.known
        refuted: set[int] = set()
        unwanted: set[int] = set()
        taken = []
        for number in graph:
            if number in refuted:
                continue
            taken.append(number)
            for literal in graph[number]:
                if literal in known or literal in unwanted:
                    continue
                if number in refuted and not _is_wanted(literal, graph, refuted):
                    unwanted.update((literal, ~literal))
                    continue
                findings.find_out(literal)
                for either in (literal, ~literal):
                    if not known[either]:
                        refuted.update(graph.having(either))
        # What is neither refuted nor taken cannot be: all is decided.
        return [number for number in taken if number not in refuted]


def _is_wanted(literal: int, graph: ConjunctionGraph, refuted: set[int]) -> bool:
    """Whether an undecided conjunction has the literal's predicate. Once none has, none ever will again, so
    each predicate is looked at once, and all together are O(edges of the graph)."""
    return any(number not in refuted for either in (literal, ~literal) for number in graph.having(either))
