"""Every matcher of the registry gives the oracle's answers, however its subscriptions came and went.

A matcher is tested by being registered. `pytest tests/contract --deep N` runs N seeds instead of the usual.
"""

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from matching.algorithms.columns import SubscriptionColumns
from schema_registry.core import administration, extension
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from tests.contract.cases import FEWER_SEEDS, VARIANT_NAMES, VARIANTS, Case, assert_agrees, case, create

MATCHES_OF_A_SEED = 50
USUAL_SEEDS = 100  # times 50 matches: 5,000 comparisons of an event with a set of subscriptions
USUAL_SEEDS_LOADED = 10

pytestmark = pytest.mark.parametrize(("name", "options"), VARIANTS, ids=VARIANT_NAMES)
Options = dict[str, Any]


@pytest.fixture
def seeds(name: str, pytestconfig: pytest.Config) -> range:
    return range(pytestconfig.getoption("deep") or FEWER_SEEDS.get(name, USUAL_SEEDS))


def test_it_agrees_with_the_oracle_while_subscriptions_come_and_go(
    name: str, options: Options, seeds: range
) -> None:
    for seed in seeds:
        come_and_go(name, options, seed)


def come_and_go(name: str, options: Options, seed: int) -> None:
    """Load some, then add, replace, remove and match in random order, under ids that are no positions."""
    this = case(seed)
    rng = random.Random(seed)
    matcher = create(name, this.schema, **options)
    positions = list(range(len(this.subscriptions)))
    held = {1000 - 3 * position: position for position in positions if rng.random() < 0.5}
    matcher.load(SubscriptionColumns.of((number, this.subscriptions[at]) for number, at in held.items()))
    matches = 0
    while matches < MATCHES_OF_A_SEED:
        action = rng.random()
        if action < 0.25 and positions:
            number, at = 1000 - 3 * rng.choice(positions), rng.choice(positions)
            matcher.add(number, this.subscriptions[at])
            held[number] = at
        elif action < 0.4 and held:
            number = rng.choice(list(held))
            matcher.remove(number)
            del held[number]
        else:
            at = rng.randrange(len(this.events))
            expected = {number for number, position in held.items() if position in this.matching[at]}
            assert_agrees(matcher, matcher.match(this.events[at]), expected, f"{name} {options} seed {seed}")
            matches += 1
        assert len(matcher) == len(held), f"{name} {options} seed {seed}"


def test_loading_at_once_is_the_same_as_adding_one_by_one(
    name: str, options: Options, pytestconfig: pytest.Config
) -> None:
    for seed in range(pytestconfig.getoption("deep") or USUAL_SEEDS_LOADED):
        this = case(seed)
        loaded, added = (create(name, this.schema, **options) for _ in range(2))
        loaded.load(SubscriptionColumns.of(enumerate(this.subscriptions)))
        for number, subscription in enumerate(this.subscriptions):
            added.add(number, subscription)
        for event, expected in zip(this.events, this.matching, strict=True):
            assert_agrees(loaded, loaded.match(event), set(expected), f"seed {seed}")
            assert_agrees(added, added.match(event), set(expected), f"seed {seed}")


def test_a_second_load_replaces_what_it_names_and_keeps_the_rest(name: str, options: Options) -> None:
    this = case_with_matches()
    matcher = create(name, this.schema, **options)
    matcher.load(SubscriptionColumns.of(enumerate(this.subscriptions)))
    swapped = [(0, this.subscriptions[1]), (len(this.subscriptions), this.subscriptions[0])]
    matcher.load(SubscriptionColumns.of(swapped))
    at = {number: number for number in range(len(this.subscriptions))} | {0: 1, len(this.subscriptions): 0}
    for event, matching in zip(this.events, this.matching, strict=True):
        expected = {number for number, position in at.items() if position in matching}
        assert_agrees(matcher, matcher.match(event), expected, "after a second load")
    assert len(matcher) == len(at)
    matcher.check_invariants()


def test_ids_come_as_an_array_without_duplicates(name: str, options: Options) -> None:
    this = case_with_matches()
    matcher = create(name, this.schema, **options)
    matcher.load(SubscriptionColumns.of(enumerate(this.subscriptions)))
    for event in this.events:
        ids = matcher.match_ids(event)
        assert isinstance(ids, np.ndarray)
        assert ids.dtype == np.int64
        assert len(set(ids.tolist())) == len(ids)


def test_many_events_at_once_give_the_same_as_one_by_one(name: str, options: Options) -> None:
    this = case_with_matches()
    matcher = create(name, this.schema, **options)
    matcher.load(SubscriptionColumns.of(enumerate(this.subscriptions)))
    one_by_one = [matcher.match(event) for event in this.events]
    offsets, ids = matcher.match_ids_many(this.events)
    assert offsets.dtype == ids.dtype == np.int64
    assert [set(ids[a:b].tolist()) for a, b in pairwise(offsets)] == one_by_one
    assert matcher.match_many(this.events) == one_by_one
    assert matcher.match_many([]) == []


def test_without_subscriptions_nothing_matches(name: str, options: Options) -> None:
    this = case(0)
    matcher = create(name, this.schema, **options)
    assert len(matcher) == 0
    assert matcher.match(this.events[0]) == set()
    matcher.load(SubscriptionColumns.of([]))
    assert matcher.match(this.events[0]) == set()


def test_removing_an_unknown_id_is_a_key_error(name: str, options: Options) -> None:
    this = case(0)
    matcher = create(name, this.schema, **options)
    matcher.add(7, this.subscriptions[0])
    matcher.remove(7)
    for unknown in (7, 8):
        with pytest.raises(KeyError):
            matcher.remove(unknown)


def test_events_and_subscriptions_of_later_schema_versions_are_understood(
    name: str, options: Options
) -> None:
    """New values, attributes and event types never need a new matcher."""
    old = Schema.from_dict(
        {
            "domains": {
                "kind": {"kind": "hierarchical", "values": {"table": None, "desk": "table"}},
                "age": {"kind": "enumerated", "values": ["new", "old"], "order": [["new", "old"]]},
                "money": {"kind": "numeric"},
            },
            "attributes": {"kind": "kind", "age": "age"},
            "event_types": {"lot": {"kind": ["optional", "multiple"], "age": ["optional", "multiple"]}},
        }
    )
    texts = [
        "kind <= table",
        "kind < desk",
        "kind >= desk",
        "age > new",
        "age < old",
        "age >= old",
        "age != old",
    ]
    matcher = create(name, old, **options)
    held = {number: parse(text, old) for number, text in enumerate(texts)}
    for number, subscription in held.items():
        matcher.add(number, subscription)
    new = administration.add_values(old, "kind", {"writing desk": "desk", "chair": None})
    new = administration.add_values(new, "age", ["ancient"], order=[["old", "ancient"]])
    new = extension.create_attribute(new, "price", "money")
    new = extension.extend_event_type(new, "lot", "price")
    held[99] = parse("price < 5 and kind < table", new)
    matcher.add(99, held[99])
    documents: list[tuple[Schema, dict[str, Any]]] = [
        (new, {"kind": "writing desk", "age": "ancient", "price": 3}),
        (new, {"kind": ["chair", "desk"], "age": ["new", "ancient"], "price": 3}),
        (new, {"kind": "chair", "price": 7}),
        (old, {"kind": "desk", "age": "old"}),
    ]
    for schema, document in documents:
        event = schema.validate({"event_type": ["lot"], **document})
        expected = {number for number, subscription in held.items() if subscription.matches(event)}
        assert_agrees(matcher, matcher.match(event), expected, str(document))


def case_with_matches() -> Case:
    return next(this for seed in range(100) if sum(map(len, (this := case(seed)).matching)) > 50)
