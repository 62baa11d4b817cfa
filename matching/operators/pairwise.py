"""`suborder` with the order as paper 001 has it: pairs of chains, sections 4.2.3 to 4.2.5.

Nodes are in ascending order of selectivity (or cost for each failure), chains along the greedy paths of
`ordering`. A new chain (4.2.1) goes beside the linked chain with which the order of the two makes the
greatest difference.
"""

from itertools import islice

import numpy as np

from matching.operators.chains import Chain, chain_of, cost_difference
from matching.operators.estimates import Estimates
from matching.operators.graph import Literals
from matching.operators.ordering import Chains, order_of
from matching.operators.suborder import Place, SubOrder

NEIGHBOURS = 4
LOOKED_AT = 8  # linked chains for each literal of a new chain; bounds the time to place it


class PairwiseSubOrder(SubOrder):
    """Adding is O(literals * linked chains looked at). `neighbours` is how many chains each node is compared
    with, those next to it by P/C; None for all that share its literal, which is quadratic."""

    def __init__(self, estimates: Estimates | None = None, *, neighbours: int | None = NEIGHBOURS) -> None:
        super().__init__(estimates)
        self._neighbours = neighbours

    def _arrange(self) -> None:
        numbers = np.array(list(self._graph), np.int64)
        lengths = [len(self._graph[number]) for number in numbers.tolist()]
        literals = [literal for number in numbers.tolist() for literal in self._graph[number]]
        estimates = self.estimates
        chains = Chains.of(
            np.cumsum([0, *lengths]),
            np.array(literals, np.int64),
            np.array([estimates.probability(literal) for literal in literals]),
            np.array([estimates.cost(literal) for literal in literals]),
        )
        rows, ordered = chains.literal.tolist(), numbers.tolist()
        self._chains = {
            number: tuple(row[:length]) for number, row, length in zip(ordered, rows, lengths, strict=True)
        }
        order = order_of(chains, neighbours=self._neighbours)
        self._places = {number: (float(place),) for place, number in enumerate(numbers[order].tolist())}

    def _placed(self, number: int) -> tuple[Literals, Place]:
        chain = self._chain(number)
        return tuple(node.literal for node in chain), self._beside(self._nearest(number, chain))

    def _chain(self, number: int) -> Chain:
        return chain_of(self._graph[number], self.estimates)

    def _nearest(self, number: int, chain: Chain) -> tuple[int | None, bool]:
        """The linked chain for which the order matters most, and whether this one should come before it."""
        linked = {
            other: None
            for node in chain
            for other in islice(self._graph.having(node.literal), LOOKED_AT)
            if other != number and other in self._places
        }
        differences = {other: cost_difference(chain, self._chain(other)) for other in linked}
        most = max(differences, key=lambda other: abs(differences[other]), default=None)
        return most, most is not None and differences[most] < 0

    def _beside(self, nearest: tuple[int | None, bool]) -> Place:
        """The middle between that chain and the one on its other side; without one, the end."""
        other, is_before = nearest
        if other is None:
            return (self._order[-1][0][0] + 1.0 if self._order else 0.0,)
        here = self._places[other]
        at = self._order.index((here, other))
        if is_before:
            there = self._order[at - 1][0] if at else (here[0] - 2.0,)
        else:
            there = self._order[at + 1][0] if at + 1 < len(self._order) else (here[0] + 2.0,)
        return ((here[0] + there[0]) / 2,)  # where no number is left between, equal places do no harm
