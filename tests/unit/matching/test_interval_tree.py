"""The interval binary search tree finds what contains a point, and stays balanced and marked as it should."""

import math
import random
from itertools import chain

import numpy as np
import pytest

from matching.algorithms.interval_tree import IntervalTree

Interval = tuple[float, float, int]


def an_interval(rng: random.Random, number: int) -> Interval:
    low, high = sorted(rng.choices(range(60), k=2))
    kind = rng.random()
    if kind < 0.3:
        return float(low), float(low), number
    if kind < 0.6:
        return (-math.inf, float(high), number) if kind < 0.45 else (float(low), math.inf, number)
    return (-math.inf, math.inf, number) if kind < 0.65 else (float(low), float(high), number)


def tree_of(intervals: list[Interval]) -> IntervalTree:
    low, high, numbers = (np.array(column) for column in zip(*intervals, strict=True))
    return IntervalTree(low, high, numbers)


def found(tree: IntervalTree, point: float) -> list[int]:
    return sorted(chain.from_iterable(marks.tolist() for marks in tree.find(point)))


@pytest.mark.parametrize("loaded", [1, 2, 40])
def test_it_finds_exactly_what_contains_a_point_while_intervals_come_and_go(loaded: int) -> None:
    for seed in range(10):
        rng = random.Random(seed)
        held = [an_interval(rng, number) for number in range(loaded)]
        tree = tree_of(held)
        for number in range(loaded, loaded + 120):
            if rng.random() < 0.6 or not held:
                held.append(an_interval(rng, number))
                tree.add(*held[-1])
            else:
                assert tree.remove(*held.pop(rng.randrange(len(held)))), f"seed {seed}"
            tree.check_invariants(held)
            for point in (rng.randrange(60), rng.uniform(-5, 65)):
                expected = [number for low, high, number in held if low <= point <= high]
                assert found(tree, point) == expected, f"seed {seed}, point {point}"


def test_what_is_built_at_once_is_marked_as_if_it_had_come_one_by_one() -> None:
    rng = random.Random(5)
    intervals = [an_interval(rng, number) for number in range(300)]
    tree_of(intervals).check_invariants(intervals)


def test_ends_that_come_in_order_do_not_make_it_high() -> None:
    tree = tree_of([(0.0, 0.0, 0)])
    for number in range(1, 1_000):
        tree.add(float(number), float(number), number)
    tree.check_invariants([(float(number), float(number), number) for number in range(1_000)])
    assert tree.height <= 1.45 * math.log2(1_002)  # what an AVL tree allows


def test_an_empty_interval_and_one_that_never_was_here_change_nothing() -> None:
    tree = tree_of([(1.0, 5.0, 0)])
    tree.add(4.0, 3.0, 1)
    assert not tree.remove(4.0, 3.0, 1)
    assert not tree.remove(1.0, 5.0, 2)
    assert not tree.remove(2.0, 5.0, 0)
    tree.check_invariants([(1.0, 5.0, 0)])
