"""Neon evaluates every predicate that the event could satisfy, and counts."""

from matching.algorithms.columns import SubscriptionColumns
from matching.algorithms.neon import NeonMatcher
from schema_registry.core.schema import Schema
from schema_registry.language import parse

SCHEMA = Schema.from_dict(
    {
        "domains": {"money": {"kind": "numeric"}, "name": {"kind": "string"}},
        "attributes": {"price": "money", "wood": "name"},
        "event_types": {
            "lot": {"price": ["optional", "unique"], "wood": ["optional", "unique"]},
            "offer": {"price": ["optional", "unique"], "wood": ["optional", "unique"]},
        },
    }
)
TEXTS = [
    "price <= 10",
    "price <= 20 and wood = oak",
    "price >= 30",
    "wood = oak",
    "event_type contains offer and price <= 5",
    "event_type contains offer and wood = ash",
]


def test_it_evaluates_the_predicates_of_the_operations_that_apply_and_no_others() -> None:
    matcher = NeonMatcher(SCHEMA)
    matcher.load(SubscriptionColumns.of((number, parse(text, SCHEMA)) for number, text in enumerate(TEXTS)))
    assert matcher.match(SCHEMA.validate({"event_type": ["lot"], "price": 15, "wood": "oak"})) == {1, 3}
    assert matcher.work.predicate_evaluations == 5  # all on price and wood that ask for no event type
    matcher.work.reset()
    assert matcher.match(SCHEMA.validate({"event_type": ["offer"], "price": 5})) == {0, 4}
    assert matcher.work.predicate_evaluations == 3 + 1 + 2  # on price; that of offers; their event type


def test_a_removed_subscription_leaves_rows_that_nothing_satisfies() -> None:
    matcher = NeonMatcher(SCHEMA)
    for number, text in enumerate(TEXTS):
        matcher.add(number, parse(text, SCHEMA))
    matcher.remove(1)
    matcher.add(9, parse("wood in (oak, ash)", SCHEMA))
    matcher.check_invariants()
    assert matcher.match(SCHEMA.validate({"event_type": ["lot"], "price": 15, "wood": "oak"})) == {3, 9}
