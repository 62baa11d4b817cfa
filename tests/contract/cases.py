"""Random worlds with the oracle's answers, and every matcher with its options. A seed names a case.

The engine comes once more for each state that its subscriptions may be in.
"""

import random
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

from matching import registry
from matching.algorithms.base import Matcher
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse
from tests.unit.schema_registry.strategies import random_world

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "equality-preferred": [{"clusters": "hash"}, {"clusters": "ordered"}],
    "gough": [{"node_budget": 8}, {"node_budget": 150}],
    "topss-list": [{"predicates": "auto"}, {"predicates": "list"}],
    "quarantining": [{"clusters": "hash"}, {"clusters": "ordered"}],
    "aguilera": [
        {},
        {"collapse": False, "related": False},
        {"successors": "refined", "index_attributes": 2},
    ],
    "dexin": [
        {},
        {"slots": "linked", "slot_count": 3, "fresh": 4},
        {"methods": "exclusive"},
        {"methods": "inclusive"},
        {"pipeline": "optimal"},
    ],
    "tama": [{}, {"levels": 2, "fresh": 4}],
    "be-tree": [{}, {"capacity": 3}],
    "h-tree": [{}, {"replication": 4, "enough": 0, "fresh": 4}],
    "rein": [{}, {"buckets": 3, "fresh": 4}],
}
LIVES = {"engine one by one": "OneByOne", "engine merged": "Merged", "engine reopened": "Reopened"}
VARIANTS = [(name, options) for name in (*registry.names(), *LIVES) for options in OPTIONS.get(name, [{}])]
VARIANT_NAMES = [f"{name} {' '.join(map(str, options.values()))}".strip() for name, options in VARIANTS]

FEWER_SEEDS = {
    "gough": 20,
    "aguilera": 40,
    "hanson": 50,
    "dbms-sequential": 20,
    "dbms-grouping": 20,
    **dict.fromkeys(("rein", "opindex", "dexin", "tama", "be-tree", "h-tree"), 20),
    "topss-list": 20,
    "topss-bit": 20,
    "topss-byte": 20,
    "engine merged": 30,
    "engine reopened": 15,
    **dict.fromkeys(set(registry.names()) - set(registry.algorithms()), 10),
}
"""For those that take long, or that match plain predicates as another does; instead of the usual number."""

SUBSCRIPTIONS_OF_A_CASE = 30
EVENTS_OF_A_CASE = 12


@dataclass(frozen=True)
class Case:
    """`matching[e]` has the positions of the subscriptions that match the e-th event, by the oracle."""

    schema: Schema
    subscriptions: list[Subscription]
    events: list[Event]
    matching: list[frozenset[int]]


@lru_cache(maxsize=2_000)
def case(seed: int) -> Case:
    world = random_world(random.Random(seed), EVENTS_OF_A_CASE, SUBSCRIPTIONS_OF_A_CASE)
    subscriptions = [each for text in world.texts if (each := _parsed(text, world.schema))]
    events = [world.schema.validate(document) for document in world.documents]
    matching = [
        frozenset(number for number, each in enumerate(subscriptions) if each.matches(event))
        for event in events
    ]
    return Case(world.schema, subscriptions, events, matching)


def create(name: str, schema: Schema, **options: Any) -> Matcher:
    """One of the variants, without subscriptions."""
    if name not in LIVES:
        return registry.create(name, schema, **options)
    lives = import_module("tests.contract.engine_lives")  # now, not before: it brings a compiler with it
    evaluator = options.pop("evaluator", None)
    matcher: Matcher = getattr(lives, LIVES[name])(schema, **options)
    if evaluator is not None:
        matcher.operators.evaluator = evaluator
    return matcher


def assert_agrees(matcher: Matcher, answer: set[int], expected: set[int], about: str) -> None:
    """An exact matcher gives the oracle's answer, an approximate one at least that."""
    if matcher.exact:
        assert answer == expected, about
    else:
        assert answer >= expected, about


def _parsed(text: str, schema: Schema) -> Subscription | None:
    try:
        return parse(text, schema)
    except SubscriptionError:
        return None  # it can never match
