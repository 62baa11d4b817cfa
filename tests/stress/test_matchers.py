"""Long random lives of every matcher, with all its invariants checked after every step."""

import random
from typing import Any

import pytest

from matching.algorithms.columns import SubscriptionColumns
from tests.contract.cases import VARIANT_NAMES, VARIANTS, assert_agrees, case, create

STEPS = 150
USUAL_SEEDS = 3


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=VARIANT_NAMES)
def test_invariants_hold_after_every_step(
    name: str, options: dict[str, Any], pytestconfig: pytest.Config
) -> None:
    for seed in range(7_000, 7_000 + (pytestconfig.getoption("deep") or USUAL_SEEDS)):
        live(name, options, seed)


def live(name: str, options: dict[str, Any], seed: int) -> None:
    this, rng, where = case(seed), random.Random(seed), f"{name} {options} seed {seed}"
    matcher = create(name, this.schema, **options)
    held: dict[int, int] = {}
    for _ in range(STEPS):
        action = rng.random()
        if action < 0.1:
            chosen = {
                rng.randrange(60): rng.randrange(len(this.subscriptions)) for _ in range(rng.randint(0, 8))
            }
            matcher.load(
                SubscriptionColumns.of((number, this.subscriptions[at]) for number, at in chosen.items())
            )
            held |= chosen
        elif action < 0.4:
            number, at = rng.randrange(60), rng.randrange(len(this.subscriptions))
            matcher.add(number, this.subscriptions[at])
            held[number] = at
        elif action < 0.6 and held:
            number = rng.choice(list(held))
            matcher.remove(number)
            del held[number]
        else:
            at = rng.randrange(len(this.events))
            expected = {number for number, position in held.items() if position in this.matching[at]}
            assert_agrees(matcher, matcher.match(this.events[at]), expected, where)
        matcher.check_invariants()
        assert len(matcher) == len(held), where
