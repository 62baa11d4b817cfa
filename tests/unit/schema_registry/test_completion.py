"""What is offered where."""

import pytest

from schema_registry.core.schema import Schema
from schema_registry.language import complete
from tests.unit.schema_registry.examples import PAPER_SCHEMA


def offered(text: str, schema: Schema = PAPER_SCHEMA) -> list[str]:
    return [offer.text for offer in complete(text, len(text), schema).offers]


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("pr", ["price"]),
        ("[pr", ["price"]),
        ("price ", ["=", "!=", "in", "<", "<=", ">", ">=", "between", "contains", "exists"]),
        ("title ", ["contains", "exists"]),
        ("price <", ["<", "<="]),
        ("price b", ["between"]),
        ("furniture_category <= ", ["chair", "'dining table'", "'extending table'", "furniture", "table"]),
        ("furniture_category <= t", ["table"]),
        ("furniture_category <= 'di", ["'dining table'"]),
        ('furniture_category <= "di', ["'dining table'"]),
        ("furniture_category in ", ["("]),
        ("furniture_category in (table, c", ["chair"]),
        ("furniture_category in (table ", [")", ","]),
        ("period between XVI ", ["and"]),
        ("period between XVI and X", ["XVI", "XVII", "XVIII"]),
        ("price <= 5 ", ["and", "or"]),
        ("(price <= 5 ", [")", "and", "or"]),
        ("price <= 5 A", ["and"]),
        ("price <= 5 and not pe", ["period"]),
        ("event_type contains an", ["antiques", "anything"]),
        ("price <= ", []),
        ("price = = ", []),
        ("nothing = ", []),
        ("nothing ", []),
        ("material = 'oak' an", ["and"]),
    ],
)
def test_offers_fit_the_place(text: str, offers: list[str]) -> None:
    assert offered(text) == offers


def test_an_empty_text_begins_with_an_attribute_a_parenthesis_or_not() -> None:
    assert offered("") == [
        *("event_type", "furniture_category", "material", "period", "price", "quantity", "title"),
        *("(", "not"),
    ]


def test_the_offer_replaces_what_was_typed_before_the_cursor() -> None:
    text = "furniture_category <= 'di and price < 5"
    completion = complete(text, 25, PAPER_SCHEMA)
    assert (completion.start, completion.end) == (22, 25)
    chosen = completion.offers[0]
    assert chosen.detail == "furniture > table > dining table"
    assert text[: completion.start] + chosen.text == "furniture_category <= 'dining table'"


def test_a_large_domain_is_searched_by_prefix_of_identifier_or_label() -> None:
    values = {f"id{i}": None for i in range(200_000)}
    domain = {"kind": "hierarchical", "values": values, "labels": {"id777": "Zebra print", "id778": "zebra"}}
    schema = Schema.from_dict({"domains": {"d": domain}, "attributes": {"x": "d"}, "event_types": {}})
    assert offered("x = ze", schema) == ["id778", "id777"]
    assert offered("x = id19999", schema)[:3] == ["id19999", "id199990", "id199991"]
    assert len(offered("x = ", schema)) == 50


def test_a_cursor_outside_the_text_and_a_text_over_the_limit_offer_nothing_harmful() -> None:
    assert complete("price", -5, PAPER_SCHEMA).start == 0
    assert complete("price", 99, PAPER_SCHEMA).end == 5
    assert complete("x" * 5000, 5000, PAPER_SCHEMA).offers == ()
