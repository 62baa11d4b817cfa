"""Searches for more like an item: what they ask for; and on random items that they parse and match it."""

import contextlib
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schema_registry.core.domains import NumericDomain
from schema_registry.core.errors import SchemaConflict
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from schema_registry.language.nice_bounds import nice_bounds
from schema_registry.language.outline import outline
from schema_registry.language.suggesting import MOST, suggestions
from schema_registry.language.telling_words import telling_words
from tests.unit.schema_registry.reference import reference_matches
from tests.unit.schema_registry.strategies import STEPS, World, worlds

PARTS: dict[str, Any] = {
    "domains": {
        "money": {"kind": "numeric", "min": 0, "max": 250, "unit": "EUR"},
        "sum": {"kind": "numeric", "unit": "EUR"},
        "count": {"kind": "numeric"},
        "words": {"kind": "text"},
        "name": {"kind": "string"},
        "furniture": {
            "kind": "hierarchical",
            "values": {"furniture": None, "table": "furniture", "desk": "table"},
            "labels": {"table": "Tables", "desk": "Writing desks"},
        },
        "place": {"kind": "hierarchical", "values": {"france": None, "lyon": "france"}},
    },
    "attributes": {
        "price": "sum",
        "capped": "money",
        "pieces": "count",
        "title": "words",
        "text": "words",
        "category": "furniture",
        "at": "place",
        "seller": "name",
    },
    "event_types": {
        "lot": {
            name: ["optional", "multiple"]
            for name in ("price", "capped", "pieces", "title", "text", "category", "at", "seller")
        },
        "sale": {"price": ["optional", "unique"]},
    },
}
SCHEMA = Schema.from_dict(PARTS)


def suggested(**values: Any) -> list[str]:
    event = SCHEMA.validate({"event_type": ["lot"], **values})
    return [" ".join(each.text.split()) for each in suggestions(event, SCHEMA)]


def test_kind_price_and_words_first_and_the_next_kind_up_last() -> None:
    assert suggested(category="desk", price=180, title="Desk in walnut with brass handles", at="lyon") == [
        "category <= desk and price between 100 and 300 and title contains 'walnut handles'",
        "category <= desk and price between 100 and 300",
        "category <= table and price between 100 and 300",
    ]


def test_a_root_of_the_tree_is_widened_by_taking_any_price() -> None:
    assert suggested(category="furniture", price=180) == [
        "category <= furniture and price between 100 and 300",
        "category <= furniture",
        "event_type = lot and price between 100 and 300",  # the other type has prices too
    ]


def test_without_a_kind_the_words_are_what_counts() -> None:
    assert suggested(title="Omega Seamaster") == ["title contains 'omega seamaster'", "event_type = lot"]


def test_an_item_that_says_nothing_is_like_others_of_its_type() -> None:
    assert suggested() == ["event_type = lot"]


def test_of_several_types_the_one_that_says_most_is_asked_for() -> None:
    event = SCHEMA.validate({"event_type": ["sale", "lot"], "price": 180})
    narrowest, *_wider = suggestions(event, SCHEMA)
    assert narrowest.text == "event_type = lot and price between 100 and 300"


def test_bounds_stay_within_the_domain() -> None:
    assert suggested(capped=240, category="desk")[0] == "category <= desk and capped between 100 and 250"


def test_what_has_no_unit_is_no_price() -> None:
    assert suggested(pieces=12) == ["event_type = lot"]


def test_a_deprecated_attribute_is_not_suggested() -> None:
    schema = Schema.from_dict({**PARTS, "deprecated": {"attributes": ["category"]}})
    event = schema.validate({"event_type": ["lot"], "category": "desk", "at": "lyon"})
    assert [each.text for each in suggestions(event, schema)] == [
        "at <= lyon",
        "at <= france",
        "event_type = lot",
    ]


@pytest.mark.parametrize(
    ("number", "low", "high"),
    [(180, 100, 300), (1, 0.5, 2), (0.3, 0.15, 0.5), (99, 50, 200), (1_250_000, 600_000, 2_000_000)],
)
def test_bounds_are_numbers_that_people_would_choose(number: float, low: float, high: float) -> None:
    assert nice_bounds(number, NumericDomain()) == (low, high)


def test_round_nothing_there_are_no_bounds() -> None:
    assert nice_bounds(0, NumericDomain()) is nice_bounds(-5, NumericDomain()) is None


@given(st.floats(min_value=1e-9, max_value=1e14))
def test_a_number_lies_between_its_bounds(number: float) -> None:
    bounds = nice_bounds(number, NumericDomain())
    assert bounds is not None
    assert bounds[0] < number < bounds[1]


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("Set of 6 dining chairs in oak, about 1890", ("dining", "chairs")),
        ("Très belle commode en noyer, XVIIIe siècle", ("commode", "noyer")),
        ("A pair of the very old lots", ()),
        ("x" * 50, ()),
    ],
)
def test_words_that_every_auction_has_tell_nothing(text: str, telling: tuple[str, ...]) -> None:
    assert telling_words(text, most=2) == telling


def test_words_that_the_kind_says_are_not_said_again() -> None:
    assert telling_words("Oak dining table", most=2, said={"dining", "table"}) == ("oak",)


@settings(max_examples=200, deadline=None)
@given(worlds(), st.integers(0, 2**32 - 1))
def test_every_suggestion_parses_today_matches_the_item_and_can_be_shown_in_rows(
    world: World, seed: int
) -> None:
    """Judged by the brute-force reading of the language, in the item's schema and in later ones."""
    rng = random.Random(seed)
    later = world.schema
    for step in rng.choices(STEPS, k=4):
        with contextlib.suppress(SchemaConflict):
            later = step(later, rng, f"new{rng.randint(0, 9**6)}")
    for document in world.documents:
        event = world.schema.validate(document)
        check(event, document, world.schema)
        check(event, document, later)


def check(event: Event, document: dict[str, Any], schema: Schema) -> None:
    found = suggestions(event, schema)
    assert 1 <= len(found) <= MOST
    assert len({each.subscription.canonical for each in found}) == len(found)
    for each in found:
        assert parse(each.text, schema).matches(event)
        assert reference_matches(each.text, document, schema.to_dict())
        assert outline(each.text).parts
