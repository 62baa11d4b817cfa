"""The order of chains by the greedy of paper 001, section 4.2.5, for many chains at once.

An edge from u to v says what is saved by evaluating u before v (`chains.cost_difference`). The edges are
taken by descending saving, unless one gives a chain a second successor or predecessor (the rule of degrees:
with both, a degree of three) or closes a cycle. What is taken makes up paths.

Of all pairs that share a literal there are hundreds of millions where some literals are popular. So of the
chains that share a literal, in descending order of P/C there, only near ones are joined: O(nodes *
neighbours) edges.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.operators.estimates import LEAST_CHANCE

AT_ONCE = 100_000  # pairs; bounds the memory of their comparison
NOTHING = np.iinfo(np.int64).max
"""Below the last node of a shorter chain."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Chains:
    """Chain k has the nodes literal[k], from top to bottom, then NOTHING, with probability 1 and cost 0."""

    literal: Integers
    probability: Floats
    cost: Floats

    @classmethod
    def of(cls, start: Integers, literals: Integers, probabilities: Floats, costs: Floats) -> "Chains":
        """Conjunction k has literals[start[k]:start[k + 1]], each with its probability and cost."""
        lengths = np.diff(start)
        price = costs / np.maximum(1 - probabilities, LEAST_CHANCE)
        row = np.repeat(np.arange(len(lengths)), lengths)
        order = np.lexsort((literals, price, row))
        shape = len(lengths), int(lengths.max(initial=0))
        at = row, np.arange(len(literals)) - np.repeat(start[:-1], lengths)
        return cls(
            _filled(shape, at, literals[order], NOTHING),
            _filled(shape, at, probabilities[order], 1.0),
            _filled(shape, at, costs[order], 0.0),
        )

    def __len__(self) -> int:
        return len(self.literal)

    @property
    def reached(self) -> Floats:
        """P of each node."""
        return _exclusive_products(self.probability)

    @property
    def cost_above(self) -> Floats:
        """C of each node."""
        spent = self.reached * self.cost
        return np.cumsum(spent, axis=1) - spent


def order_of(chains: Chains, *, neighbours: int | None) -> Integers:
    """The chains from left to right; `neighbours` is how many each node is joined to, None for all pairs.

    O(nodes * neighbours * log), mostly vectorised.
    """
    before, after = joined(chains, neighbours)
    saving = -difference(chains, before, after)
    before, after = np.where(saving >= 0, before, after), np.where(saving >= 0, after, before)
    saving = np.abs(saving)
    worth = np.flatnonzero(saving > 0)
    by_saving = worth[np.argsort(-saving[worth], kind="stable")]
    return paths(len(chains), before[by_saving], after[by_saving])


def joined(chains: Chains, neighbours: int | None) -> tuple[Integers, Integers]:
    """Pairs of chains with a literal in common, each pair once."""
    chain, place = np.nonzero(chains.literal != NOTHING)
    literal = chains.literal[chain, place]
    above = chains.cost_above[chain, place]
    ratio = np.divide(chains.reached[chain, place], above, out=np.full(len(chain), np.inf), where=above > 0)
    order = np.lexsort((chain, -ratio, literal))
    chain, literal = chain[order], literal[order]
    longest = int(np.unique(literal, return_counts=True)[1].max(initial=0))
    pairs = [np.empty(0, np.int64)]
    for distance in range(1, longest if neighbours is None else min(neighbours + 1, longest)):
        same = np.flatnonzero(literal[distance:] == literal[:-distance])
        here, there = chain[same], chain[same + distance]
        pairs.append(np.minimum(here, there) * len(chains) + np.maximum(here, there))
    return np.divmod(np.unique(np.concatenate(pairs)), max(len(chains), 1))


def difference(chains: Chains, first: Integers, second: Integers) -> Floats:
    """`chains.cost_difference` of many pairs."""
    parts = [np.empty(0)]
    for begin in range(0, len(first), AT_ONCE):
        these = slice(begin, begin + AT_ONCE)
        parts.append(_difference(chains, first[these], second[these]))
    return np.concatenate(parts)


def _difference(chains: Chains, first: Integers, second: Integers) -> Floats:
    equal = chains.literal[first][:, :, None] == chains.literal[second][:, None, :]
    equal &= (chains.literal[first] != NOTHING)[:, :, None]
    reached_first, cost_first = _above(chains, first, equal.any(axis=2))
    reached_second, cost_second = _above(chains, second, equal.any(axis=1))
    failing = 1 - chains.probability[first]
    of_second = np.einsum("kij,kj->ki", equal, reached_second)
    cost_of_second = np.einsum("kij,kj->ki", equal, cost_second)
    links = equal.any(axis=2) * failing * (of_second * cost_first - reached_first * cost_of_second)
    result: Floats = links.sum(axis=1)
    return result


def _above(chains: Chains, numbers: Integers, linked: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """P and C' of each node: C' leaves out the linked nodes."""
    unlinked = _exclusive_products(np.where(linked, 1.0, chains.probability[numbers]))
    spent = np.where(linked, 0.0, unlinked * chains.cost[numbers])
    return _exclusive_products(chains.probability[numbers]), np.cumsum(spent, axis=1) - spent


def paths(count: int, before: Integers, after: Integers) -> Integers:
    """All numbers below `count`, in paths made of these edges, the first of which are taken first.

    The paths follow each other in the order of their first edges; what is in none comes last.
    """
    successor = [-1] * count
    has_predecessor = bytearray(count)
    group = list(range(count))
    heads: list[int] = []
    for here, there in zip(before.tolist(), after.tolist(), strict=True):
        if successor[here] >= 0 or has_predecessor[there]:
            continue
        one, other = _root(group, here), _root(group, there)
        if one == other:
            continue
        group[other] = one
        successor[here] = there
        has_predecessor[there] = True
        heads.append(here)
    order: list[int] = []
    for number in [*dict.fromkeys(heads), *range(count)]:
        if has_predecessor[number]:
            continue
        while number >= 0:
            has_predecessor[number] = True  # placed
            order.append(number)
            number = successor[number]
    return np.array(order, np.int64)


def _root(group: list[int], number: int) -> int:
    while group[number] != number:
        group[number] = group[group[number]]
        number = group[number]
    return number


def _exclusive_products(numbers: Floats) -> Floats:
    products = np.ones_like(numbers)
    np.cumprod(numbers[:, :-1], axis=1, out=products[:, 1:])
    return products


def _filled(shape: tuple[int, int], at: tuple[Integers, Integers], values: NDArray, empty: float) -> NDArray:
    filled = np.full(shape, empty, values.dtype)
    filled[at] = values
    return filled
