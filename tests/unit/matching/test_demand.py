"""Demand: what is told of a population, held against what its people really ask for."""

from collections.abc import Iterable
from functools import cache
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matching.demand import price_steps
from matching.demand.publication import is_empty, published
from matching.demand.tally import Tally
from matching.demand.threshold import FEWEST, MARGINS, STEP, told
from matching.demand.wishes import MOST_WISHES, Wishes, WishReader
from matching.stored import compiled
from schema_registry.core.schema import Schema
from schema_registry.language import parse

SCHEMA = Schema.from_dict(
    {
        "domains": {
            "money": {"kind": "numeric", "min": 0, "unit": "EUR"},
            "kinds": {
                "kind": "hierarchical",
                "values": {"furniture": None, "table": "furniture", "dining": "table", "chair": "furniture"},
            },
            "texts": {"kind": "text"},
        },
        "attributes": {"price": "money", "kind": "kinds", "title": "texts"},
        "event_types": {"lot": {"price": ["mandatory", "unique"]}, "coin": {}},
    }
)
KINDS = ("furniture", "table", "dining", "chair")
ABOVE = {
    "furniture": {"furniture"},
    "table": {"table", "furniture"},
    "dining": {"dining", "table", "furniture"},
    "chair": {"chair", "furniture"},
}
MOST_ABOVE = MARGINS + STEP - 2  # so much more may there be than is told

Person = tuple[str, ...]  # the texts of somebody's searches
# (text, the category, the word, and the highest price it asks for)
SEARCHES: dict[str, tuple[str | None, str | None, float | None]] = {
    **{f"kind <= {kind}": (kind, None, None) for kind in KINDS},
    **{f"kind = {kind} and price <= {most}": (kind, None, most) for kind in KINDS for most in (40, 200, 700)},
    **{f"title contains {word}": (None, word, None) for word in ("oak", "delft")},
    "title contains oak and kind in (table)": ("table", "oak", None),
    "price <= 90": (None, None, 90),
    "not kind <= chair": (None, None, None),
    "kind > table": (None, None, None),
    "not title contains delft": (None, None, None),
    "price != 50": (None, None, None),
}
COMPILED = {text: compiled(parse(text, SCHEMA).conjunctions) for text in SEARCHES}

people = st.lists(st.sampled_from(sorted(SEARCHES)), min_size=1, max_size=6).map(tuple)
# Some kinds of people, and how many there are of each: around the threshold, and around steps.
populations = st.lists(st.tuples(people, st.integers(0, 45)), min_size=1, max_size=6).map(
    lambda groups: [person for person, count in groups for _ in range(count)]
)
margins = st.integers(0, 2**32).map(lambda seed: lambda cell: crc32(f"{seed} {cell}".encode()) % MARGINS)


def publication(population: Iterable[Person], margin: Any) -> dict[str, Any]:
    reader = WishReader(SCHEMA)
    tally = Tally(reader)
    for person in population:
        wishes = Wishes()
        for text in person:
            reader.read(COMPILED[text], wishes)
        tally.add(wishes)
    return published(tally, reader, margin=margin)


def cells_told(document: dict[str, Any]) -> dict[tuple[Any, ...], int]:
    found: dict[tuple[Any, ...], int] = {}
    found |= {("place", value): number for _attribute, value, number in document["places"]}
    found |= {("word", word): number for word, number in document["words"]}
    for place, _attribute, ranges in document["ranges"]:
        value = place[1] if place else None
        found |= {("range", value, int(number)): count for number, count in ranges.items()}
    return found


@cache
def cells_of(person: Person) -> set[tuple[Any, ...]]:
    """Worked out anew, from what the texts say."""
    found: set[tuple[Any, ...]] = set()
    for text in person:
        kind, word, most = SEARCHES[text]
        above = ABOVE[kind] if kind else set()
        found |= {("place", value) for value in above}
        if word:
            found.add(("word", word))
        if most is not None:
            for number in range(1, price_steps.RANGES):
                low = price_steps.ends_of(number)[0]
                if low is not None and low < most:
                    found |= {("range", value, number) for value in (None, *above)}
    return found


def real_counts(population: Iterable[Person]) -> dict[tuple[Any, ...], int]:
    counts: dict[tuple[Any, ...], int] = {}
    for person in population:
        for cell in cells_of(person):
            counts[cell] = counts.get(cell, 0) + 1
    return counts


@given(populations, margins)
@settings(max_examples=80, deadline=None)
def test_nothing_is_told_of_fewer_than_twenty_people_and_no_count_closer_than_nineteen(
    population: list[Person], margin: Any
) -> None:
    numbers, real = cells_told(publication(population, margin)), real_counts(population)
    for cell, number in numbers.items():
        assert number % STEP == 0
        assert FEWEST <= number <= real[cell] <= number + MOST_ABOVE
    for cell, count in real.items():
        assert cell in numbers or count < FEWEST + MARGINS - 1
    assert is_empty(publication(population[: FEWEST - 1], margin))


@given(populations, people, margins)
@settings(max_examples=80, deadline=None)
def test_one_person_more_changes_only_what_they_ask_for_and_that_by_one_step(
    population: list[Person], newcomer: Person, margin: Any
) -> None:
    before = cells_told(publication(population, margin))
    after = cells_told(publication([*population, newcomer], margin))
    for cell in before.keys() | after.keys():
        if before.get(cell) != after.get(cell):
            assert cell in cells_of(newcomer)
            first = FEWEST if cell not in before else before[cell] + STEP
            assert after[cell] == first


@given(populations, margins)
@settings(max_examples=25, deadline=None)
def test_somebody_with_a_thousand_searches_counts_like_somebody_with_one(
    population: list[Person], margin: Any
) -> None:
    busy = [person * 40 for person in population]
    assert publication(busy, margin) == publication(population, margin)
    assert publication(reversed(busy), margin) == publication(population, margin)


@given(populations, margins)
@settings(max_examples=60, deadline=None)
def test_subtracting_never_shows_that_a_group_of_fewer_than_twenty_is_there(
    population: list[Person], margin: Any
) -> None:
    """Of a category without one below it: if there must be anybody, there may be 38 for all one knows."""
    numbers = cells_told(publication(population, margin))
    for below, above in (("dining", "table"), ("table", "furniture"), ("chair", "furniture")):
        whole, part = numbers.get(("place", above), 0), numbers.get(("place", below), 0)
        assert whole >= part
        most_of_part = part + MOST_ABOVE if part else FEWEST + MARGINS - 2
        surely = whole - most_of_part
        at_most = whole + MOST_ABOVE - part
        assert surely <= 0 or at_most >= FEWEST
        together = [person for person in population if ("place", above) in cells_of(person)]
        alone = sum(("place", below) not in cells_of(person) for person in together)
        assert not whole or max(0, surely) <= alone <= at_most


def test_what_somebody_wants_left_out_is_no_demand() -> None:
    unwanted = [("not kind <= chair", "not title contains delft", "price != 50", "kind > table")] * 100
    assert is_empty(publication(unwanted, lambda cell: 0))


def test_a_category_counts_whoever_looks_below_it_once() -> None:
    document = publication(
        [("kind <= dining", "kind <= chair")] * 15 + [("kind <= table",)] * 10, lambda cell: 0
    )
    assert cells_told(document) == {("place", "furniture"): 20, ("place", "table"): 20}


def test_event_types_are_categories_without_a_tree() -> None:
    COMPILED["event_type contains coin"] = compiled(parse("event_type contains coin", SCHEMA).conjunctions)
    document = publication([("event_type contains coin",)] * 25, lambda cell: 0)
    assert document["places"] == [["event_type", "coin", 20]]


@pytest.mark.parametrize(
    ("people_there", "margin", "number"),
    [(19, 0, 0), (20, 0, 20), (20, 1, 0), (28, 9, 0), (29, 9, 20), (30, 0, 30), (39, 9, 30), (1000, 5, 990)],
)
def test_the_threshold(people_there: int, margin: int, number: int) -> None:
    assert told(people_there, margin) == number


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [
        (None, 200.0, (None, 200.0)),
        (100.0, 200.0, (100.0, 200.0)),
        (120.0, 180.0, (100.0, 200.0)),
        (200.0, 200.0, (100.0, 200.0)),
        (99.0, 201.0, (50.0, 500.0)),
        (0.0, None, (0.0, None)),
        (3e9, None, (1e9, None)),
        (-5.0, -1.0, (None, 0.0)),
    ],
)
def test_ranges_have_the_numbers_that_are_asked_for(low: Any, high: Any, ends: Any) -> None:
    ((first, end),) = price_steps.runs(price_steps.between(low, high))
    assert (price_steps.ends_of(first)[0], price_steps.ends_of(end - 1)[1]) == ends


def test_limits_of_one_search_count_together_and_nothing_asked_is_no_range() -> None:
    reader, wishes = WishReader(SCHEMA), Wishes()
    reader.read([[["price", ">=", [120], False], ["price", "<=", [180], False]]], wishes)
    assert wishes.ranges == {(None, "price"): price_steps.between(120, 180)}
    reader.read([[["price", ">", [500], False], ["price", "<", [200], False]]], wishes)
    reader.read([[["gone", "=", ["x"], False], ["kind", "=", ["no such value"], False]]], wishes)
    assert wishes.ranges == {(None, "price"): price_steps.between(120, 180)}
    assert not wishes.places


def test_what_one_person_can_make_us_remember_is_bounded() -> None:
    reader, wishes = WishReader(SCHEMA), Wishes()
    for number in range(3 * MOST_WISHES):
        reader.read([[["title", "contains", [f"w{number}"], False]]], wishes)
    assert len(wishes.words) == MOST_WISHES + 1
