"""Every matcher gives the oracle's answers where subscriptions call operators, however they came and went."""

import random
from typing import Any

import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.operators.circuit import FailurePolicy
from matching.operators.evaluation import Evaluator
from tests.contract.cases import VARIANT_NAMES, VARIANTS, assert_agrees, create
from tests.contract.operator_cases import OPERATORS, case_with_operators

USUAL_SEEDS = 8
MATCHES_OF_A_SEED = 30
NEVER_DISABLED = FailurePolicy(limit=1_000_000)


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=VARIANT_NAMES)
def test_it_agrees_with_the_oracle_on_calls_of_operators(
    name: str, options: dict[str, Any], pytestconfig: pytest.Config
) -> None:
    for seed in range(pytestconfig.getoption("deep") or USUAL_SEEDS):
        come_and_go(name, options, seed)


def come_and_go(name: str, options: dict[str, Any], seed: int) -> None:
    this = case_with_operators(seed)
    rng = random.Random(seed)
    matcher = create(name, this.schema, evaluator=Evaluator(OPERATORS, policy=NEVER_DISABLED), **options)
    positions = range(len(this.subscriptions))
    held = {1000 - 3 * position: position for position in positions if rng.random() < 0.5}
    matcher.load(SubscriptionColumns.of((number, this.subscriptions[at]) for number, at in held.items()))
    matches = 0
    while matches < MATCHES_OF_A_SEED:
        action = rng.random()
        if action < 0.25:
            number, at = 1000 - 3 * rng.choice(positions), rng.choice(positions)
            matcher.add(number, this.subscriptions[at])
            held[number] = at
        elif action < 0.4 and held:
            number = rng.choice(list(held))
            matcher.remove(number)
            del held[number]
        elif action < 0.5:
            expected = [
                {number for number, position in held.items() if position in matching}
                for matching in this.matching
            ]
            for answer, wanted in zip(matcher.match_many(this.events), expected, strict=True):
                assert_agrees(matcher, answer, wanted, f"{name} {options} seed {seed}")
            matches += 1
        else:
            at = rng.randrange(len(this.events))
            wanted = {number for number, position in held.items() if position in this.matching[at]}
            assert_agrees(matcher, matcher.match(this.events[at]), wanted, f"{name} {options} seed {seed}")
            matches += 1
        assert len(matcher) == len(held), f"{name} {options} seed {seed}"
        assert all(number in matcher for number in held)
    matcher.check_invariants()


def test_the_cases_hold_and_fail_in_many_ways() -> None:
    """Otherwise the test above would prove little."""
    cases = [case_with_operators(seed) for seed in range(USUAL_SEEDS)]
    calling = [
        (each, position)
        for each in cases
        for position, subscription in enumerate(each.subscriptions)
        if any(conjunction.operators for conjunction in subscription.conjunctions)
    ]
    matched = sum(position in matching for each, position in calling for matching in each.matching)
    asked = sum(len(each.events) for each, _ in calling)
    assert len(calling) > 100
    assert 0.02 < matched / asked < 0.9
