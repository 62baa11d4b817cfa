"""Texts as nested rows and back. Random cases print their seed."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from schema_registry.language.outline import MOST_LEVELS, Group, Part, Raw, Row, outline, tidied, written
from tests.unit.schema_registry.examples import PAPER_SCHEMA
from tests.unit.schema_registry.strategies import World, worlds

_VALUES = [
    "oak",
    "200",
    "-1.5e3",
    "dining table",
    "it's",
    'a"b',
    "not",
    "18th",
    "2024-05-01",
    "é",
    "a,b",
    "(",
]


def levels(part: Part) -> int:
    return 1 + max(map(levels, part.parts), default=0) if isinstance(part, Group) else 0


def meaning(text: str, schema: Schema) -> str:
    try:
        return parse(text, schema).canonical
    except SubscriptionError as error:
        return "never" if "can never hold" in error.message else error.message


def random_row(rng: random.Random) -> Row:
    operator = rng.choice(["=", "<=", "in", "between", "contains", "exists"])
    count = {"exists": 0, "between": 2, "in": rng.randint(1, 4)}.get(operator, 1)
    values = tuple(rng.choice(_VALUES) for _ in range(count))
    return Row(rng.choice(["price", "made_of", "título"]), operator, values, rng.random() < 0.3)


def random_group(rng: random.Random, depth: int = MOST_LEVELS) -> Group:
    """As somebody might click it together, with rows that are not done and groups that are empty."""
    parts: list[Part] = []
    for _ in range(rng.randint(0, 4)):
        if depth > 1 and rng.random() < 0.4:
            parts.append(random_group(rng, depth - 1))
        elif rng.random() < 0.2:
            parts.append(
                rng.choice([Row(), Row("price"), Row("price", "<="), Row("price", "between", ("1", ""))])
            )
        else:
            parts.append(random_row(rng))
    return Group(rng.choice(["all", "any"]), tuple(parts), depth < MOST_LEVELS and rng.random() < 0.3)


@settings(max_examples=100, deadline=None)
@given(worlds(documents=0))
def test_a_text_and_what_is_written_from_its_rows_mean_the_same(world: World) -> None:
    for text in world.texts:
        group = outline(text)
        assert levels(group) <= MOST_LEVELS
        assert outline(written(group)) == group
        assert meaning(written(group), world.schema) == meaning(text, world.schema)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_a_form_makes_is_read_back_from_its_text(seed: int) -> None:
    group = random_group(random.Random(seed))
    text = written(group)
    if text:
        assert outline(text) == tidied(group)
    else:
        assert tidied(group).parts == ()


def test_a_search_reads_as_rows() -> None:
    group = outline(
        "furniture_category <= 'dining table' AND price between 100 and 200 and not title contains oak"
    )
    assert group == Group(
        "all",
        (
            Row("furniture_category", "<=", ("dining table",)),
            Row("price", "between", ("100", "200")),
            Row("title", "contains", ("oak",), negated=True),
        ),
    )


def test_alternatives_and_exclusions_are_groups() -> None:
    group = outline(
        "price < 5 and (material = oak or material = walnut) and not (period = XVI or quantity > 3)"
    )
    assert group.parts[1] == Group("any", (Row("material", "=", ("oak",)), Row("material", "=", ("walnut",))))
    assert group.parts[2] == Group(
        "any", (Row("period", "=", ("XVI",)), Row("quantity", ">", ("3",))), negated=True
    )


def test_a_search_that_is_excluded_as_a_whole_stands_inside_a_group() -> None:
    group = outline("not (price < 5 or quantity > 3)")
    assert not group.negated
    assert written(group) == "not (price < 5 or quantity > 3)"


def test_what_lies_deeper_than_the_form_goes_stays_text() -> None:
    text = "price > 1 and (price > 2 or (price > 3 and (price > 4 or price > 5)))"
    middle = outline(text).parts[1]
    assert isinstance(middle, Group)
    inner = middle.parts[1]
    assert isinstance(inner, Group)
    assert inner.parts[1] == Raw("price > 4 or price > 5")
    assert parse(written(outline(text)), PAPER_SCHEMA).canonical == parse(text, PAPER_SCHEMA).canonical


@pytest.mark.parametrize("value", ["''", "' oak'", "'oak\nelm'"])
def test_a_value_that_a_field_cannot_hold_stays_text(value: str) -> None:
    text = f"price > 1 and material = {value}"
    assert outline(text).parts[1] == Raw(f"material = {value}")
    assert parse(written(outline(text)), PAPER_SCHEMA).canonical == parse(text, PAPER_SCHEMA).canonical


def test_rows_that_are_not_done_are_left_out() -> None:
    group = Group("all", (Row("price", "<=", ("200",)), Row("title", "contains"), Group("any", (Row(),))))
    assert written(group) == "price <= 200"
    assert written(Group()) == ""


def test_a_long_search_has_a_line_for_each_part() -> None:
    rows = [Row("material", "in", ("oak", "walnut", f"a rather long name {number}")) for number in range(3)]
    lines = written(Group("all", tuple(rows))).split("\n")
    assert len(lines) == 3
    assert lines[1].startswith("and material in (oak, walnut, 'a rather")


def test_what_is_no_syntax_is_refused_with_its_place() -> None:
    with pytest.raises(SubscriptionError) as refused:
        outline("price <= 200 and")
    assert refused.value.column == 17
