"""The language: what parses to what, and its canonical text."""

import pytest

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.predicates import Constraint, Interval, Predicate, intersection
from schema_registry.core.schema import Schema
from schema_registry.language import STORED, parse
from tests.unit.schema_registry.examples import subscription


def canonical(text: str) -> str:
    return subscription(text).canonical


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[(event_type contains antiques) and (furniture_category < 'dining table')]",
            "event_type contains antiques and furniture_category < 'dining table'",
        ),
        ("price<=200", "price <= 200"),
        ("  price\n<=\t200.00 ", "price <= 200"),
        ("PRICE <= 200".replace("PRICE", "price"), "price <= 200"),
        ("price <= 2e2", "price <= 200"),
        ("price <= +.5", "price <= 0.5"),
        ("price <= '200'", "price <= 200"),
        ("price = 1e300", "price = 1e+300"),
        ("material = oak", "material = oak"),
        ("material = 'oak'", "material = oak"),
        ('material = "oak"', "material = oak"),
        ("material = ''", "material = ''"),
        ("material = 'it''s'", "material = 'it''s'"),
        ('material = "it\'s"', "material = 'it''s'"),
        ('material = "a""b"', "material = 'a\"b'"),
        ("material = 'not'", "material = 'not'"),
        ("material = 007", "material = '007'"),
        ("material = 18th-century", "material = '18th-century'"),
        ("material = Möbel.x-1", "material = Möbel.x-1"),
        ("material = 'a (b) and [c'", "material = 'a (b) and [c'"),
        ("title contains 'Omega  SEAMASTER, omega'", "title contains 'omega seamaster'"),
        ("title contains 300", "title contains '300'"),
        ("price in (3, 1, 2, 1.0)", "price in (1, 2, 3)"),
        ("price in (1)", "price = 1"),
        ("not price in (1)", "price != 1"),
        ("not price = 1", "price != 1"),
        ("not price != 1", "price = 1"),
        ("not price < 1", "price >= 1"),
        ("not price >= 1", "price < 1"),
        ("not period < XVII", "not period < XVII"),
        ("not not not period < XVII", "not period < XVII"),
        ("NOT price EXISTS", "not price exists"),
        ("not price between 1 and 2", "not price between 1 and 2"),
        ("price = 1 and price = 1", "price = 1"),
        ("(price = 1 or price = 2) and (price = 2 or price = 1)", "price = 1 or price = 2"),
        ("price < 5 or material = a and period = XVI", "price < 5 or material = a and period = XVI"),
        ("(price < 5 or material = a) and period = XVI", "period = XVI and (material = a or price < 5)"),
        (
            "not (price < 5 and (material = a or period = XVI))",
            "price >= 5 or material != a and period != XVI",
        ),
        ("not price < 5 and material = a", "material = a and price >= 5"),
        ("material = a and (material = a and (price < 5))", "material = a and price < 5"),
        ("furniture_category = 'furniture > table'", "furniture_category = table"),
    ],
)
def test_texts_have_a_canonical_form_that_parses_to_itself(text: str, expected: str) -> None:
    assert canonical(text) == expected
    assert canonical(expected) == expected


def test_not_binds_before_and_and_and_before_or() -> None:
    assert canonical("not price = 1 and price < 9") == "price != 1 and price < 9"
    assert canonical("price = 1 or price = 2 and material = x") == "price = 1 or material = x and price = 2"


def test_reordering_spacing_quoting_double_negation_and_repetition_share_a_canonical_text() -> None:
    texts = (
        "price < 5 and (material = 'oak' or title contains omega)",
        '( title contains "OMEGA" OR material=oak )and price<5.0',
        "not not (price < 5 and price < 5) and (material = oak or title contains 'omega' or material = oak)",
        "not (price >= 5 or not (material = oak or title contains omega))",
    )
    assert len({canonical(text) for text in texts}) == 1


def test_a_label_becomes_an_identifier_in_the_canonical_text() -> None:
    schema = Schema.from_dict(
        {
            "domains": {
                "c": {
                    "kind": "hierarchical",
                    "values": {"c1": None, "c2": "c1", "c3": None, "c4": "c3"},
                    "labels": {"c1": "Home", "c2": "Lamps", "c3": "Garden", "c4": "Lamps"},
                }
            },
            "attributes": {"c": "c"},
            "event_types": {},
        }
    )
    assert parse("c <= 'Home > Lamps' or c = Garden", schema).canonical == "c <= c2 or c = c3"
    with pytest.raises(SubscriptionError, match=r"'c2' \(Home > Lamps\), 'c4' \(Garden > Lamps\)"):
        parse("c = Lamps", schema)


@pytest.mark.parametrize(
    ("operators", "text", "expected"),
    [
        (["<"], "not x < 5", "not x < 5"),
        (["="], "not x = 5", "not x = 5"),
        (["!="], "not x != 5", "not x != 5"),
        (["in"], "x in (5)", "x in (5)"),
        (["in"], "not x in (5)", "not x in (5)"),
        (["in", "="], "x in (5)", "x = 5"),
        (["<", ">="], "not x < 5", "x >= 5"),
    ],
)
def test_the_canonical_text_uses_only_operators_that_the_domain_has(
    operators: list[str], text: str, expected: str
) -> None:
    schema = Schema.from_dict(
        {
            "domains": {"d": {"kind": "numeric", "operators": operators}},
            "attributes": {"x": "d"},
            "event_types": {},
        }
    )
    assert parse(text, schema).canonical == expected
    assert parse(expected, schema).canonical == expected


def test_a_restricted_domain_refuses_its_other_operators() -> None:
    schema = Schema.from_dict(
        {
            "domains": {"d": {"kind": "numeric", "operators": ["=", "<"]}},
            "attributes": {"x": "d"},
            "event_types": {},
        }
    )
    with pytest.raises(SubscriptionError, match="knows = <") as caught:
        parse("x >= 5", schema)
    assert caught.value.expected == ("=", "<")


def test_a_canonical_text_over_the_length_limit_parses_as_stored() -> None:
    values = {f"c{i}": None for i in range(400)}
    domain = {"kind": "hierarchical", "values": {f"{key}-{'x' * 100}": None for key in values}}
    domain["labels"] = {f"{key}-{'x' * 100}": key for key in values}
    schema = Schema.from_dict({"domains": {"d": domain}, "attributes": {"x": "d"}, "event_types": {}})
    wanted = parse(f"x in ({', '.join(values)})", schema)
    assert len(wanted.canonical) > 40_000
    with pytest.raises(SubscriptionError, match="4,096 bytes"):
        parse(wanted.canonical, schema)
    assert parse(wanted.canonical, schema, limits=STORED).canonical == wanted.canonical


def test_conjunctions_are_grouped_by_attribute_for_matchers() -> None:
    (conjunction,) = subscription(
        "price > 5 and price <= 9 and price contains 3 and title contains omega and not material exists"
    ).conjunctions
    material, price, title = conjunction.constraints
    assert price == Constraint(
        "price",
        binding=(Predicate("price", "<=", (9.0,)), Predicate("price", ">", (5.0,))),
        about_set=(Predicate("price", "contains", (3.0,)),),
    )
    assert material.about_set == (Predicate("material", "exists", (), negated=True),)
    assert title.about_set == (Predicate("title", "contains", ("omega",)),)
    bounds = intersection(predicate.interval for predicate in price.binding if predicate.interval)
    assert bounds == Interval(5.0, 9.0, low_open=True, high_open=False)


def test_intervals_of_predicates() -> None:
    assert Predicate("x", "=", (5.0,)).interval == Interval(5.0, 5.0)
    assert Predicate("x", "<", (5.0,)).interval == Interval(None, 5.0, high_open=True)
    assert Predicate("x", "between", (1.0, 2.0)).interval == Interval(1.0, 2.0)
    assert Predicate("x", "between", (1.0, 2.0), negated=True).interval is None
    assert Predicate("x", "in", (1.0, 2.0)).interval is None
    assert Predicate("x", "!=", (1.0,)).interval is None
    narrowest = intersection([Interval(1.0, 5.0), Interval(1.0, 5.0, True, True), Interval(0.0, 9.0)])
    assert narrowest == Interval(1.0, 5.0, True, True)


def test_equal_conjunctions_of_different_subscriptions_are_equal() -> None:
    one = subscription("price < 5 and material = oak").conjunctions
    two = subscription("material = 'oak' and not price >= 5.0").conjunctions
    assert one == two
    assert hash(one) == hash(two)


def test_repeated_branches_become_one_conjunction() -> None:
    assert len(subscription("price < 5 or price < 5 and price < 5").conjunctions) == 1


@pytest.mark.parametrize(
    ("text", "why", "suggestion"),
    [
        ("'price' < 5", "An attribute is written without quotes.", "price"),
        ("price < 5 and 'dining table' = 3", "An attribute is written without quotes.", None),
        ("price < 'x", "This quote is never closed", None),
        ("and price<5", "'and' stands between two predicates", ""),
        ("OR (price<5)", "'OR' stands between two predicates", ""),
        ("price < 5 and and price > 3", "'and' stands between two predicates", ""),
        ("and not price < 5", "'and' stands between two predicates", ""),
        ("exists price", "'exists' comes after its attribute", "price exists"),
        ("in (1, 2)", "'in' comes after an attribute", None),
        ("between 1 and 2", "'between' comes after an attribute", None),
        ("price = 1 and exists", "'exists' comes after an attribute", None),
    ],
)
def test_quotes_and_keywords_out_of_place_are_told_for_what_they_are(
    text: str, why: str, suggestion: str | None
) -> None:
    with pytest.raises(SubscriptionError) as caught:
        subscription(text)
    assert why in caught.value.message
    assert caught.value.suggestion == suggestion
