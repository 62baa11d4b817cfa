"""Calls of operators as rows of a form, and back. Random cases print their seed."""

import secrets

import pytest

from schema_registry.language import parse
from schema_registry.language.call_rows import CallRow, Place
from schema_registry.language.outline import Group, Part, Raw, Row, outline, written
from tests.contract.operator_cases import OPERATORS, case_with_operators

NEAR_LYON = CallRow(
    "distance",
    (Place("attribute", "location"), Place("text", "Lyon"), Place("result", "km")),
    "<",
    Place("number", "50"),
)
CALL = "distance(location, 'Lyon', ?km)"


def rows(part: Part) -> list[Part]:
    return [leaf for each in part.parts for leaf in rows(each)] if isinstance(part, Group) else [part]


def test_a_call_and_the_comparison_of_its_result_are_one_row() -> None:
    text = f"{CALL} and ?km < 50 and price <= 200"
    assert outline(text).parts == (NEAR_LYON, Row("price", "<=", ("200",)))
    assert written(outline(text)) == text
    either = f"({CALL} and ?km < 50) or (price > 5 and {CALL} and ?km < 50)"
    assert rows(outline(either)).count(NEAR_LYON) == 2  # alternatives share no variables


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"not ({CALL} and ?km < 50)",
        f"{CALL} and ?km < 50 and ?km > 5",
        f"{CALL} and ?km < 50 and (price > 1 or ?km < 2)",
        f"?km < 50 and (price > 1 or {CALL})",
        f"{CALL} and ?km < 50 and near(location, ?km)",
        f"{CALL} and ?km < 2*25",
        "distance(location, ' Lyon', ?km) and ?km < 50",
        "p(location, ?x, ?y) and ?x < 5",
        "p(location, ?x, ?x) and ?x < 5",
    ],
)
def test_what_says_more_than_that_stays_text(text: str) -> None:
    found = rows(outline(text))
    assert not any(isinstance(row, CallRow) for row in found)
    assert any(isinstance(row, Raw) for row in found)


def test_each_row_is_written_with_a_variable_of_its_own() -> None:
    both = Group("all", (NEAR_LYON, NEAR_LYON, Raw("q(title, ?km2)")))
    assert written(both).split("\n") == [
        f"{CALL} and ?km < 50",
        "and distance(location, 'Lyon', ?km3) and ?km3 < 50",
        "and (q(title, ?km2))",
    ]
    assert "?km" not in written(Group("all", (CallRow(NEAR_LYON.operator, NEAR_LYON.places, "<"),)))


def test_what_somebody_types_as_a_number_cannot_become_anything_else() -> None:
    typed = CallRow("distance", NEAR_LYON.places, "<", Place("number", "5 or price > 1"))
    assert str(typed) == f"{CALL} and ?km < '5 or price > 1'"


def test_rows_of_random_searches_say_what_the_search_says() -> None:
    seed = secrets.randbelow(1_000_000)
    print(f"seed {seed}")
    calls = 0
    for number in range(20):
        for each in case_with_operators(seed + number).subscriptions:
            group = outline(each.text)
            calls += sum(isinstance(row, CallRow) for row in rows(group))
            again = parse(written(group), each.schema, operators=OPERATORS)
            assert again.canonical == each.canonical, each.text
    assert calls
