"""Operator calls, variables and value constraints: what parses to what, canonical texts, what is offered."""

import pytest

from schema_registry.core.operators import (
    Arithmetic,
    Constant,
    OfAttribute,
    OperatorCall,
    OperatorPart,
    ValueConstraint,
    Variable,
)
from schema_registry.core.predicates import Predicate
from schema_registry.core.schema import Schema
from schema_registry.language import complete, parse
from schema_registry.language.operator_sentences import call_in_words, constraint_in_words
from schema_registry.language.outline import Group, Raw, Row, outline, written
from tests.unit.schema_registry.examples import PAPER_SCHEMA
from tests.unit.schema_registry.operators import OPERATORS, asking


def test_a_conjunction_has_calls_and_constraints_beside_its_predicates() -> None:
    (conjunction,) = asking(
        "50 > ?far and distance(material, 'Lyon', ?far) and price < 5 and not broken(title)"
        " and distance(material, 'Lyon', ?far)"
    ).conjunctions
    assert conjunction.predicates == (Predicate("price", "<", (5.0,)),)
    near = OperatorCall("distance", (OfAttribute("material"), Constant("Lyon"), Variable("km")))
    assert conjunction.operators == OperatorPart(
        (OperatorCall("broken", (OfAttribute("title"),), negated=True), near),
        (ValueConstraint(Variable("km"), "<", Constant(50.0)),),
    )


def test_calls_alone_make_a_subscription() -> None:
    (conjunction,) = asking("is_long(title, 5)").conjunctions
    assert conjunction.predicates == ()
    assert conjunction.operators.calls[0].attributes == ("title",)


def test_equal_texts_have_equal_conjunctions_wherever_they_stand() -> None:
    one = asking("price < 5 and is_long(title, 5)").conjunctions
    two = asking("  is_long(title,5.0) and not price>=5").conjunctions
    assert one == two
    assert hash(one) == hash(two)


@pytest.mark.parametrize(
    ("text", "left", "comparator", "right"),
    [
        ("?one > 2*?other", Variable("one"), ">", Arithmetic("*", Constant(2.0), Variable("other"))),
        ("2-?one<?other", Variable("other"), ">", Arithmetic("-", Constant(2.0), Variable("one"))),
        (
            "(?one + 1) / 2 <= ?other",
            Variable("other"),
            ">=",
            Arithmetic("/", Arithmetic("+", Constant(1.0), Variable("one")), Constant(2.0)),
        ),
        (
            "?other < ?one - 1 - -2 * ?one",
            Variable("other"),
            "<",
            Arithmetic(
                "-",
                Arithmetic("-", Variable("one"), Constant(1.0)),
                Arithmetic("*", Constant(-2.0), Variable("one")),
            ),
        ),
        ("((?one)) = (5)", Variable("one"), "=", Constant(5.0)),
    ],
)
def test_arithmetic_has_its_usual_precedence(text: str, left: object, comparator: str, right: object) -> None:
    (conjunction,) = asking(f"pairs(price, quantity, ?one, ?other) and {text}").conjunctions
    (constraint,) = conjunction.operators.constraints
    assert (constraint.left, constraint.comparator, constraint.right) == (left, comparator, right)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('distance(material,"Lyon",?x)AND ?x<50', "distance(material, 'Lyon', ?km) and ?km < 50"),
        ("50.0 > ?y and distance(material, 'Lyon', ?y)", "distance(material, 'Lyon', ?km) and ?km < 50"),
        (
            "distance(material, 'it''s', ?x) and not (?x <= 3 or ?x = 7)",
            "distance(material, 'it''s', ?km) and ?km != 7 and ?km > 3",
        ),
        ("not distance(material, 'Lyon', ?any_name)", "not distance(material, 'Lyon', ?km)"),
        (
            "not distance(material, 'Lyon', ?a) and distance(title, 'Lyon', ?a)",
            "not distance(material, 'Lyon', ?km) and distance(title, 'Lyon', ?km)",
        ),
        (
            "pairs(price, price, ?x, ?x) and pairs(price, price, ?x, ?y)",
            "pairs(price, price, ?one, ?one) and pairs(price, price, ?one, ?other)",
        ),
        (
            "letters(title, ?b, ?a) and ?b / (?b - 1) * 2 > 4 - ?b and ?a = 'x'",
            "letters(title, ?count, ?first) and ?count / (?count - 1) * 2 > 4 - ?count and ?first = 'x'",
        ),
        (
            "letters(title, ?b, ?a) and 3 - (1 - ?b) < 2 * (?b * 3) + (?b + 1)",
            "letters(title, ?count, ?first) and 3 * ?count * 2 + (1 + ?count) > 3 - (1 - ?count)",
        ),
        (
            "letters(title, ?b, ?a) and ?b < 1 + 2*?b and ?b > ?b*2 + 1",
            "letters(title, ?count, ?first) and ?count < 2 * ?count + 1 and ?count > 2 * ?count + 1",
        ),
        ("is_long(title, 5) or price < 3", "price < 3 or is_long(title, 5)"),
        (
            "(is_long(title, 5) or price < 3) and not is_long(material, -1e30)",
            "not is_long(material, -1e+30) and (price < 3 or is_long(title, 5))",
        ),
        ("anything(price, ?v) and ?v = 'x'", "anything(price, ?it) and ?it = 'x'"),
        ("[is_long(title, 5)]", "is_long(title, 5)"),
    ],
)
def test_texts_have_a_canonical_form_that_parses_to_itself(text: str, expected: str) -> None:
    assert asking(text).canonical == expected
    assert asking(expected).canonical == expected


@pytest.mark.parametrize(
    "texts",
    [
        (
            "pairs(price, price, ?x, ?y) and ?x < ?y and ?y > 3",
            "?b > 3 and ?a < ?b and pairs(price, price, ?a, ?b)",
            "pairs(price, price, ?y, ?x) and ?x > ?y and 3 < ?x",
        ),
        (
            "pairs(price, price, ?x, ?z) and pairs(quantity, price, ?y, ?x) and ?x * ?z >= ?z * ?y",
            "pairs(price, price, ?b, ?a) and pairs(quantity, price, ?c, ?b) and ?a * ?c <= ?b * ?a",
        ),
        (
            "distance(material, 'Lyon', ?a) and distance(material, 'Paris', ?b) and ?a < ?b",
            "distance(material, 'Lyon', ?b) and distance(material, 'Paris', ?a) and ?b < ?a",
        ),
        (
            "anything(price, ?x) and anything(price, ?y) and ?x < 5 and ?y > 5",
            "anything(price, ?y) and anything(price, ?x) and ?y < 5 and ?x > 5",
        ),
        (
            "pairs(price, price, ?a, ?c) and pairs(price, price, ?b, ?d) and ?a > ?d and ?b > ?c",
            "pairs(price, price, ?a, ?d) and pairs(price, price, ?b, ?c) and ?a > ?c and ?b > ?d",
        ),
    ],
)
def test_texts_that_differ_by_the_names_of_variables_share_a_canonical_text(texts: tuple[str, ...]) -> None:
    assert len({asking(text).canonical for text in texts}) == 1


def test_texts_that_differ_by_more_than_names_do_not() -> None:
    texts = (
        "pairs(price, price, ?x, ?y)",
        "pairs(price, price, ?x, ?x)",
        "pairs(price, price, ?x, ?y) and ?x < ?y",
        "pairs(price, price, ?x, ?y) and ?x > ?y",
        "pairs(price, price, ?x, ?y) and pairs(price, price, ?y, ?x)",
        "pairs(price, price, ?x, ?y) and pairs(price, price, ?y, ?z)",
    )
    assert len({asking(text).canonical for text in texts}) == len(texts)


def test_an_attribute_may_be_called_like_an_operator() -> None:
    schema = Schema.from_dict(
        {"domains": {"n": {"kind": "numeric"}}, "attributes": {"is_long": "n", "x": "n"}, "event_types": {}}
    )
    assert parse("is_long < 5", schema, operators=OPERATORS).canonical == "is_long < 5"
    wanted = parse("pairs(is_long, x, ?a, ?b) and ?a > ?b and is_long < 5", schema, operators=OPERATORS)
    assert wanted.canonical == "is_long < 5 and pairs(is_long, x, ?one, ?other) and ?one > ?other"


def test_what_is_said_by_operators_stays_text_in_a_form() -> None:
    text = (
        "price < 5 and not is_long(title,  5) and (letters(title, ?n, ?a) and (?n + 1) * 2 > 3 or 5 < (?n))"
    )
    group = outline(text)
    assert group.parts == (
        Row("price", "<", ("5",)),
        Group("all", (Raw("is_long(title,  5)"),), negated=True),
        Group(
            "any",
            (
                Group("all", (Raw("letters(title, ?n, ?a)"), Raw("(?n + 1) * 2 > 3"))),
                Raw("5 < (?n)"),
            ),
        ),
    )
    assert outline(written(group)) == group


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("dis", ["distance("]),
        ("price < 5 and le", ["letters("]),
        ("distance(", ["event_type", "furniture_category", "material", "period", "title"]),
        ("distance(m", ["material"]),
        ("distance(material", ["material"]),
        ("distance(material ", [","]),
        ("is_long(title, ", ["price", "quantity"]),
        ("distance(material, 'Lyon', ", ["?km"]),
        ("distance(material, 'Lyon', ?", ["?km"]),
        ("letters(title, ?n, ?a) and letters(material, ", ["?count", "?n", "?a"]),
        ("distance(material, 'Lyon', ?km ", [")"]),
        ("distance(material, 'Lyon', ?km) ", ["and", "or"]),
        ("distance(material, 'Lyon', ?km) and ?", ["?km"]),
        ("distance(material, 'Lyon', ?km) and ?km ", ["=", "!=", "<", "<=", ">", ">="]),
        ("distance(material, 'Lyon', ?km) and ?km <", ["<", "<="]),
        ("distance(material, 'Lyon', ?km) and ?km < ?", ["?km"]),
        ("distance(material, 'Lyon', ?km) and ?km < 5 ", ["and", "or"]),
        ("distance", ["distance("]),
        ("distance ", ["("]),
        ("unknown(", []),
    ],
)
def test_offers_fit_the_place(text: str, offers: list[str]) -> None:
    assert [offer.text for offer in complete(text, len(text), PAPER_SCHEMA, OPERATORS).offers] == offers


def test_an_operator_is_offered_with_the_way_it_is_called() -> None:
    (offer,) = complete("dis", 3, PAPER_SCHEMA, OPERATORS).offers
    assert (offer.kind, offer.detail) == ("call", "distance(location, place, ?km): how far it is")
    assert complete("dis", 3, PAPER_SCHEMA).offers == ()


def test_calls_and_constraints_have_words() -> None:
    (conjunction,) = asking(
        "distance(material, 'Lyon', ?km) and ?km < 1200 and not is_long(furniture_category, 5)"
    ).conjunctions
    calls, constraints = conjunction.operators.calls, conjunction.operators.constraints
    assert [call_in_words(call) for call in calls] == [
        "distance (material, Lyon) gives km",
        "not is long (furniture category, 5)",
    ]
    assert [constraint_in_words(each) for each in constraints] == ["km below 1,200"]
