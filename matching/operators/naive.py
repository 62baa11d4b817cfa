"""`naive`: conjunction after conjunction, literal after literal as written. Paper 001, section 5.2.

It remembers the results of an event, so nothing is evaluated twice. But it looks at a literal only when its
turn comes: that a later one is known to be false saves nothing, so the first one of every conjunction is
evaluated, always.
"""

from collections.abc import Iterable

from matching.operators.strategy import Findings, Strategy


class Naive(Strategy):
    """A match is O(literals looked at)."""

    def _found(self, findings: Findings, candidates: Iterable[int] | None) -> list[int]:
        graph = self._graph
        return [
            number
            for number in (graph if candidates is None else candidates)
            if findings.all_hold(graph[number])
        ]
