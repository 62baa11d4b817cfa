"""What it is expected to cost to decide one conjunction, or two in either order. Paper 001, 4.2.3-4.2.4.

A chain is a conjunction whose literals, the nodes, are in the order in which they decide it at the least
expected cost: ascending cost for each failure, which with equal costs is ascending selectivity. Two chains
are linked where they have the same literal. All chains follow the same order of literals, so links never
cross.

`P` of a node is the probability that all nodes above it hold, `C` the expected cost of evaluating those. With
differing costs (section 4.3) a node counts with its cost instead of 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from matching.operators.estimates import Estimates


@dataclass(frozen=True, slots=True)
class Node:
    literal: int
    probability: float
    cost: float = 1.0


Chain = tuple[Node, ...]


def chain_of(literals: Iterable[int], estimates: Estimates) -> Chain:
    """The nodes from top to bottom."""
    ordered = sorted(literals, key=lambda literal: (estimates.price_of_failing(literal), literal))
    return tuple(
        Node(literal, estimates.probability(literal), estimates.cost(literal)) for literal in ordered
    )


def cost_of(chain: Iterable[Node]) -> float:
    """The expected cost of one chain by itself: 1 + p1 + p1 p2 + ..."""
    reached, cost = 1.0, 0.0
    for node in chain:
        cost += reached * node.cost
        reached *= node.probability
    return cost


def cost_difference(first: Chain, second: Chain) -> float:
    """C1 - C2: the expected cost of `first` before `second`, less that of the other order.

    The sum over the k links of (1 - p) (P2 C'1 - P1 C'2), where C' leaves out the linked nodes above. With
    one link this is (1 - p) (P2 C1 - P1 C2): the chain with the higher P/C at the link goes first. O(both
    lengths).
    """
    of_first, of_second = _links(first, second), _links(second, first)
    return sum(
        (1 - node.probability) * (there.reached * here.cost - here.reached * there.cost)
        for node, here, there in ((node, of_first[node], of_second[node]) for node in of_first)
    )


@dataclass(frozen=True, slots=True)
class _Above:
    """A linked node's P and C': what lies above it in its chain."""

    reached: float
    cost: float


def _links(chain: Chain, other: Chain) -> dict[Node, _Above]:
    """For each node of a chain that the other chain has too."""
    shared = {node.literal for node in other}
    links = {}
    reached = unlinked = 1.0
    cost = 0.0
    for node in chain:
        if node.literal in shared:
            links[node] = _Above(reached, cost)
        else:
            cost += unlinked * node.cost
            unlinked *= node.probability
        reached *= node.probability
    return links
