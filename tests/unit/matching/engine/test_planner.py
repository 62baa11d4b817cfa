"""Plans make sense: rare equalities become keys, keys grow where that pays, the rest goes to the bitmaps."""

import random

import numpy as np
import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine.planner import Plan, plan
from matching.engine.programs import programs_of
from matching.engine.statistics import Statistics
from matching.engine.vocabulary import Vocabulary
from schema_registry.core.events import Event
from schema_registry.core.predicates import Predicate
from tests.unit.matching.engine.lots import SCHEMA, Wish, raw_lot


def plan_of(wishes: list[Wish], events: list[Event]) -> Plan:
    vocabulary = Vocabulary()
    programs = programs_of(SubscriptionColumns.of(enumerate(wishes)), SCHEMA, vocabulary)
    statistics = Statistics.of(
        vocabulary.coded(events, SCHEMA), attributes=len(vocabulary.attributes), atoms=vocabulary.atom_count
    )
    return plan(programs, statistics)


def sellers_and_prices(count: int, values: int) -> list[Wish]:
    rng = random.Random(3)
    return [
        Wish.of(
            Predicate("seller", "=", (f"s{rng.randrange(values)}",)),
            Predicate("price", "=", (float(rng.randrange(values)),)),
        )
        for _ in range(count)
    ]


def lots_with(values: int) -> list[Event]:
    rng = random.Random(4)
    return [
        raw_lot(seller=(f"s{rng.randrange(values)}",), price=(float(rng.randrange(values)),))
        for _ in range(500)
    ]


def test_what_has_a_rare_equality_is_found_by_it() -> None:
    wishes = sellers_and_prices(2_000, values=500)
    assert not plan_of(wishes, lots_with(500)).in_bitmaps.any()


@pytest.mark.parametrize("events", [[], lots_with(50)], ids=["guessed", "learnt"])
def test_keys_are_longer_where_that_spares_more_checks_than_it_costs_probes(events: list[Event]) -> None:
    of_many = plan_of(sellers_and_prices(5_000, values=50), events)
    of_few = plan_of(sellers_and_prices(15, values=50), events)
    assert of_many.in_key.sum() == 2 * 5_000
    assert of_few.in_key.sum() <= 15


def test_what_has_no_equality_is_left_to_the_bitmaps() -> None:
    wishes = [Wish.of(Predicate("price", "<", (float(number),))) for number in range(1_000)]
    made = plan_of(wishes, [])
    assert made.in_bitmaps.all()
    assert not made.in_key.any()


def test_what_nearly_every_event_has_is_no_key() -> None:
    wishes = [
        Wish.of(Predicate("event_type", "=", ("lot",)), Predicate("price", "<", (float(number),)))
        for number in range(1_000)
    ]
    assert plan_of(wishes, lots_with(50)).in_bitmaps.all()


def test_of_two_equalities_the_rarer_is_the_key() -> None:
    """By what events have, not by what subscriptions ask for."""
    wishes = [
        Wish.of(Predicate("kind", "=", ("desk",)), Predicate("seller", "=", (f"s{number}",)))
        for number in range(50)
    ]
    events = [raw_lot(kind=("desk",), seller=(f"s{number}",)) for number in range(500)]
    made = plan_of(wishes, events)
    vocabulary = Vocabulary()
    programs = programs_of(SubscriptionColumns.of(enumerate(wishes)), SCHEMA, vocabulary)
    chosen = np.unique(programs.attribute[made.in_key]).tolist()
    assert chosen == [vocabulary.attributes["seller"].number]
