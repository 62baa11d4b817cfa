"""DEXIN's orders: the observations of paper 004, section 3.5, how near its greedy order is to the best."""

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matching import workloads
from matching.algorithms.dexin import DexinMatcher
from matching.algorithms.pipelines import Pipeline, exclusive_only, inclusive_only, near_optimal, optimal

EXCLUSIVE, INCLUSIVE = True, False
Steps = tuple[tuple[float, bool], ...]  # of each step the matching rate and the method
rates = st.lists(st.floats(0, 1), min_size=1, max_size=4)
steps = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=7).map(tuple)
TINY = 1e-12  # what rounding may do


def cost(steps: Steps) -> float:
    """Formula (6): a step costs its non-matching rate, or the product of the matching rates before."""
    return sum(
        1 - rate if method is EXCLUSIVE else float(np.prod([before for before, _ in steps[:place]]))
        for place, (rate, method) in enumerate(steps)
    )


def every_pipeline(rates: Sequence[float]) -> Iterator[Steps]:
    for order in permutations(rates):
        for methods in product((EXCLUSIVE, INCLUSIVE), repeat=len(rates)):
            yield tuple(zip(order, methods, strict=True))


@given(steps)
def test_observation_1_the_first_step_is_best_exclusive(steps: Steps) -> None:
    (rate, _), *others = steps
    assert cost(((rate, EXCLUSIVE), *others)) <= cost(((rate, INCLUSIVE), *others)) + TINY


@given(steps)
def test_observation_2_exclusive_steps_are_best_before_inclusive_ones(steps: Steps) -> None:
    regrouped = tuple(sorted(steps, key=lambda step: step[1] is INCLUSIVE))
    assert cost(regrouped) <= cost(steps) + TINY


@given(steps)
def test_observation_3_inclusive_steps_are_best_by_ascending_rate(steps: Steps) -> None:
    exclusive = [step for step in steps if step[1] is EXCLUSIVE]
    inclusive = [step for step in steps if step[1] is INCLUSIVE]
    assert cost((*exclusive, *sorted(inclusive))) <= cost((*exclusive, *inclusive)) + TINY


@given(rates)
def test_the_optimum_is_the_cheapest_of_all_orders_and_methods(rates: list[float]) -> None:
    assert optimal(rates).cost(rates) == pytest.approx(min(map(cost, every_pipeline(rates))), abs=TINY)


@given(rates)
def test_every_pipeline_has_each_attribute_once_and_costs_what_the_formula_says(rates: list[float]) -> None:
    for pipeline in (near_optimal(rates), optimal(rates), exclusive_only(rates), inclusive_only(rates)):
        assert sorted(pipeline.sequence) == list(range(len(rates)))
        steps = tuple(
            (rates[each], place < pipeline.exclusive) for place, each in enumerate(pipeline.sequence)
        )
        assert pipeline.cost(rates) == pytest.approx(cost(steps), abs=TINY)
        assert pipeline.cost(rates) >= optimal(rates).cost(rates) - TINY


def test_the_greedy_order_compares_what_is_left_with_delta_and_not_with_rho() -> None:
    # 0.3 is left and 0.1 would be excluded: exclusive is cheaper. The prose of section 3.5, which compares
    # with the matching rate 0.9, would go on inclusively.
    assert near_optimal([0.9, 0.3]) == Pipeline((1, 0), 2)
    assert near_optimal([0.5, 0.3]) == Pipeline((1, 0), 1)


@pytest.mark.parametrize(
    ("attributes", "most"), [(4, 0.15), (5, 0.15), (6, 0.15), (8, 0.01), (10, 0.01), (14, 0.01)]
)
@pytest.mark.parametrize("zipf", [0.0, 1.0])
def test_the_greedy_order_is_near_the_optimum(attributes: int, most: float, zipf: float) -> None:
    """Per event, for 95 of 100: section 4.3 and figure 15."""
    workload = workloads.create("dexin", seed=3, attributes=attributes, zipf=zipf)
    matcher = DexinMatcher(workload.schema)
    matcher.load(workload.subscriptions(2_000))
    above = []
    for event in workload.events(200):
        (rates,) = matcher.rates_of(event)
        above.append(near_optimal(rates).cost(rates) / optimal(rates).cost(rates) - 1)
    assert np.quantile(above, 0.95) <= most
