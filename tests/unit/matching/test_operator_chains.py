"""The cost model of linked chains is the true expectation, and many pairs at once give the same."""

from itertools import pairwise, product
from random import Random

import numpy as np
import pytest

from matching.operators import ordering
from matching.operators.chains import Chain, Node, chain_of, cost_difference, cost_of
from matching.operators.estimates import Estimates
from matching.operators.ordering import Chains

SEEDS = range(10)


def some_chains(random: Random, count: int) -> list[Chain]:
    """Over few literals, so that most pairs have several links."""
    nodes = [Node(literal, random.random(), random.choice((1.0, 1.0, 3.0))) for literal in range(8)]
    nodes.sort(key=lambda node: (node.cost / (1 - node.probability), node.literal))
    lengths = [random.randint(1, 5) for _ in range(count)]
    return [tuple(sorted(random.sample(nodes, length), key=nodes.index)) for length in lengths]


def expected_cost(*chains: Chain) -> float:
    """By definition: over all outcomes, the cost of evaluating these chains from left to right (4.2.2)."""
    nodes = sorted({node for chain in chains for node in chain}, key=lambda node: node.literal)
    total = 0.0
    for outcome in product((True, False), repeat=len(nodes)):
        holds = dict(zip(nodes, outcome, strict=True))
        evaluated: set[Node] = set()
        for chain in chains:
            if any(not holds[node] for node in evaluated.intersection(chain)):
                continue
            for node in chain:
                evaluated.add(node)
                if not holds[node]:
                    break
        chance = np.prod([node.probability if holds[node] else 1 - node.probability for node in nodes])
        total += float(chance) * sum(node.cost for node in evaluated)
    return total


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cost_of_a_chain_is_its_expectation(seed: int) -> None:
    (chain,) = some_chains(Random(seed), 1)
    assert cost_of(chain) == pytest.approx(expected_cost(chain))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_difference_of_two_orders_is_that_of_their_expectations(seed: int) -> None:
    first, second = some_chains(Random(seed), 2)
    truly = expected_cost(first, second) - expected_cost(second, first)
    assert cost_difference(first, second) == pytest.approx(truly, abs=1e-12)


def test_with_one_link_the_higher_ratio_of_reaching_it_to_cost_goes_first() -> None:
    shared = Node(0, 0.8)
    near = (Node(1, 0.5), shared)  # P/C at the link: 0.5 / 1
    far = (Node(2, 0.3), Node(3, 0.6), shared)  # 0.18 / 1.3
    assert cost_difference(near, far) == pytest.approx(0.2 * (0.18 * 1 - 0.5 * 1.3))
    assert cost_difference(near, far) < 0 < cost_difference(far, near)


def test_chains_linked_at_their_tops_cost_the_same_in_either_order() -> None:
    shared = Node(0, 0.1)
    assert cost_difference((shared, Node(1, 0.5)), (shared, Node(2, 0.3), Node(3, 0.4))) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_many_pairs_at_once_have_the_same_differences(seed: int) -> None:
    chains = some_chains(Random(seed), 30)
    arrays = as_arrays(chains)
    first, second = ordering.joined(arrays, None)
    shared = [{node.literal for node in chain} for chain in chains]
    pairs = {(i, j) for i in range(30) for j in range(i + 1, 30) if shared[i] & shared[j]}
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == pairs
    singly = [
        cost_difference(chains[i], chains[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)
    ]
    assert ordering.difference(arrays, first, second) == pytest.approx(singly, abs=1e-12)


def as_arrays(chains: list[Chain]) -> Chains:
    nodes = [node for chain in chains for node in chain]
    return Chains.of(
        np.cumsum([0, *map(len, chains)]),
        np.array([node.literal for node in nodes]),
        np.array([node.probability for node in nodes]),
        np.array([node.cost for node in nodes]),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_paths_take_the_greatest_savings_that_the_rules_allow(seed: int) -> None:
    random = Random(seed)
    count = 8
    edges = [(i, j) for i in range(count) for j in range(count) if i != j]
    random.shuffle(edges)
    edges = edges[: random.randint(0, len(edges))]
    before, after = np.array(edges, np.int64).reshape(-1, 2).T
    order = ordering.paths(count, before, after).tolist()
    assert sorted(order) == list(range(count))
    taken: list[tuple[int, int]] = []
    for edge in edges:
        if is_allowed([*taken, edge]):
            taken.append(edge)
    assert set(taken) <= set(pairwise(order))


def is_allowed(edges: list[tuple[int, int]]) -> bool:
    """No two successors, no two predecessors, no cycle."""
    successor = dict(edges)
    if len(successor) < len(edges) or len({there for _, there in edges}) < len(edges):
        return False
    for here in successor:
        there = successor[here]
        while there in successor and there != here:
            there = successor[there]
        if there == here:
            return False
    return True


def test_a_chain_has_the_most_telling_literal_for_its_cost_on_top() -> None:
    estimates = Estimates()
    estimates.expect(1, selectivity=0.9)
    estimates.expect(2, selectivity=0.5, cost=8.0)
    estimates.expect(3, selectivity=0.7)
    assert [node.literal for node in chain_of((1, 2, 3, ~1), estimates)] == [~1, 3, 1, 2]


def test_estimates_follow_what_is_seen_and_forget_what_is_long_past() -> None:
    estimates = Estimates()
    assert estimates.probability(7) == 0.5
    estimates.expect(7, selectivity=0.2, cost=3.0)
    assert (estimates.probability(7), estimates.probability(~7)) == pytest.approx((0.2, 0.8))
    for _ in range(10_000):
        estimates.learn(7, True)
    assert estimates.probability(7) > 0.99
    for _ in range(3_000):
        estimates.learn(7, False)
        estimates.learn_cost(7, 0.5)
    assert estimates.probability(7) < 0.2
    assert estimates.cost(~7) == pytest.approx(0.5, abs=0.05)
