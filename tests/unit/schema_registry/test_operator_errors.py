"""What is said of mistakes with operators, variables and value constraints; and limits."""

import pytest

from schema_registry.core.errors import SubscriptionError
from schema_registry.language import parse
from tests.effort import effort
from tests.unit.schema_registry.examples import PAPER_SCHEMA
from tests.unit.schema_registry.operators import asking


@pytest.mark.parametrize(
    ("text", "marked", "why", "suggestion"),
    [
        (
            "distanse(material, 'Lyon', ?x)",
            "distanse",
            "none of that name here. Did you mean 'dist",
            "distance",
        ),
        ("distance(material, ?x)", "distance(material, ?x)", "here the number of arguments is 2", None),
        ("is_long()", "is_long()", "called as is_long(text, least); here", None),
        ("distance(material, 'Lyon', 5)", "5", "km is a result of distance", "?km"),
        ("distance(material, 'Lyon', price)", "price", "km is a result of distance", "?km"),
        ("distance(?x, 'Lyon', ?km)", "?x", "location of distance is no result", None),
        (
            "distance(material, Lyon, ?km)",
            "Lyon",
            "There is no attribute 'Lyon'; a text is in quotes",
            "'Lyon'",
        ),
        ("is_long(titel, 5)", "titel", "Did you mean 'title'?", "'titel'"),
        ("distance(material, New York, ?km)", "New York", "A text in a call is in quotes", "'New York'"),
        ("distance(material, Saint-Ouen, ?km)", "Saint-Ouen", "in a call is in quotes", "'Saint-Ouen'"),
        ("distance(material, 2024-05-01, ?km)", "2024-05-01", "in a call is in quotes", "'2024-05-01'"),
        ("distance(material, 5, ?km)", "5", "5 is a number, and place of distance takes a text", "'5'"),
        ("distance(price, 'Lyon', ?km)", "price", "price is numeric, and location of distance takes a", None),
        ("is_long(title, '5')", "'5'", "'5' is a text, and least of is_long takes a number", None),
        ("is_long(title, period)", "period", "period is enumerated, and least of is_long takes", None),
        ("is_long(title, 1234567890123456)", "1234567890123456", "15 significant", None),
        ("distance(material, 'Lyon' ?km)", "?km", "cannot stand here; what can: ')', ','", None),
        ("distance(material, 'Lyon', ?km", "(", "This '(' is never closed", None),
        ("distance(material, , ?km)", ",", "cannot stand here", None),
        ("distance(material, and, ?km)", "and", "if the word and is meant, write 'and'", "'and'"),
        ("?km < 50", "?km < 50", "?km gets no value: no call has it", None),
        ("is_long(title, 5) and price < ?x", "?x", "An attribute is compared with a value", None),
        ("is_long(title, 5) and ? < 5", "?", "A variable is a name after a question mark", None),
        ("letters(title, ?n, ?a) and ?a = omega", "omega", "A text is in quotes here, 'omega'", "'omega'"),
        ("200 >= price", "price", "an attribute stands on the left", "'price'"),
        ("5 < 7", "5 < 7", "Nothing is asked here", None),
        ("'price' < 5", "'price'", "An attribute is written without quotes.", "price"),
        ("'price' contains 5", "'price'", "An attribute is written without quotes.", "price"),
        ("letters(title, ?n, ?a) and ?n + '5' > 3", "'5'", "Only numbers can be added", "5"),
        ("letters(title, ?n, ?a) and ?n * * 3 > 3", "*", "'*' cannot stand here", None),
        ("letters(title, ?n, ?a) and ?n", "", "ends too early; what can follow: * /, + -, a comp", None),
        (
            "letters(title, ?n, ?a) and ?n > 'x'",
            "?n > 'x'",
            "?n is a number, and here it would be a text",
            None,
        ),
        (
            "letters(title, ?n, ?a) and ?a * 2 > 3",
            "?a * 2 > 3",
            "?a is a text, and here it would be a n",
            None,
        ),
        (
            "letters(title, ?n, ?a) and ?n * 2 = 'x'",
            "?n * 2 = 'x'",
            "number cannot be compared with a t",
            None,
        ),
        (
            "letters(title, ?n, ?a) and ?n = ?a",
            "?n = ?a",
            "?a is a text, and here it would be a number",
            None,
        ),
        ("letters(title, ?n, ?n)", "letters(title, ?n, ?n)", "?n is a number, and here it would be a", None),
        (
            "anything(price, ?a) and anything(title, ?b) and ?a = ?b and ?b = 'x' and ?a < 5",
            None,
            "and here it would be",
            None,
        ),
        ("letters(title, ?num, ?a) and ?nums > 3", "?nums > 3", "Did you mean '?num'?", "?num"),
        (
            "not (distance(material, 'Lyon', ?km) and ?km < 50)",
            "?km < 50",
            "?km gets no value for ?km >= 50: distance(...) is negated there",
            None,
        ),
        (
            "distance(material, 'Lyon', ?km) and price < 5 or ?km < 50",
            "?km < 50",
            "?km gets no value for ?km < 50 in one of the alternatives",
            None,
        ),
        (
            "distance(material, 'Lyon', ?km) and not distance(title, 'Lyon', ?m) and ?m < 3",
            "?m < 3",
            "distance(...) is negated there",
            None,
        ),
        ("is_long(title, 5) and not is_long(title, 5)", None, "can never hold at once", None),
        ("not title exists and not is_long(title, 5)", None, "can never hold at once", None),
        (
            "letters(title, ?n, ?a) and ?n < 5 and ?n >= 5",
            "?n < 5 and ?n >= 5",
            "?count < 5 and ?count >= 5 can never hold at once",
            None,
        ),
        ("letters(title, ?n, ?a) and ?a = 'x' and ?a != 'x'", None, "can never hold at once", None),
    ],
)
def test_a_mistake_is_told_with_its_place(
    text: str, marked: str | None, why: str, suggestion: str | None
) -> None:
    with pytest.raises(SubscriptionError) as caught:
        asking(text)
    error = caught.value
    assert why in error.message
    assert error.suggestion == suggestion
    if marked:
        assert text[error.column - 1 : error.column - 1 + error.length] == marked


def test_without_operators_a_call_is_an_error() -> None:
    with pytest.raises(SubscriptionError, match=r"distance\(...\) calls an operator, and there is none"):
        parse("distance(material, 'Lyon', ?km)", PAPER_SCHEMA)
    with pytest.raises(SubscriptionError, match="no call has it as a result"):
        parse("?km < 5", PAPER_SCHEMA)


def test_an_alternative_that_can_never_hold_is_left_out() -> None:
    wanted = asking("letters(title, ?n, ?a) and (?n < 3 and ?n > 5 or ?a = 'x')")
    assert len(wanted.conjunctions) == 1
    assert wanted.warnings == (
        "?count < 3 and ?count > 5 can never hold at once. That alternative is left out.",
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (" and ".join(["is_long(title, 5)"] * 129), "at most 128 predicates; this one has 129"),
        (" or ".join(f"is_long(title, {number})" for number in range(65)), "gives 65; the limit is 64"),
        ("letters(title, ?n, ?a) and ?n > " + "(" * 32 + "1" + ")" * 32 + " + (1)", None),
        ("letters(title, ?n, ?a) and ?n > " + "(" * 33 + "1" + ")" * 33, "nested 32 deep"),
        ("letters(title, ?n, ?a) and ?n > " + "1+" * 30 + "1", None),
        (
            "letters(title, ?n, ?a) and ?n > " + "1+" * 31 + "1",
            "32 numbers and variables; this one has 33",
        ),
        ("letters(title, ?n, ?a) and ?n > " + "1+" * 2000 + "1", "at most 32 numbers"),
    ],
)
def test_calls_and_constraints_count_towards_the_limits(text: str, why: str | None) -> None:
    if why is None:
        assert asking(text).conjunctions
        return
    with pytest.raises(SubscriptionError, match=why):
        asking(text)


@pytest.mark.parametrize(
    "text",
    [
        " and ".join(f"anything(price,?v{number})" for number in range(128)),
        " and ".join(f"pairs(price,price,?v{n},?v{(n + 1) % 99})" for n in range(99)),
    ],
)
def test_many_like_variables_are_named_with_bounded_work(text: str) -> None:
    with effort() as parsing:
        wanted = asking(text)
    assert asking(wanted.canonical).canonical == wanted.canonical
    assert parsing.calls < 1_500_000
