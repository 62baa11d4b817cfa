"""Shapes at the limits: many attributes, many values, many words, and what nobody asks for."""

import random
from pathlib import Path

import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine.buckets import MOST_BUCKETS
from matching.engine.engine import Engine
from matching.engine.lines import MOST_COLUMNS
from schema_registry.core import administration
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse
from tests.unit.matching.engine.lots import SCHEMA, lot, search

MANY = MOST_BUCKETS + 40
STATES = ("fresh", "loaded", "merged", "reopened")


def engine_in(state: str, searches: list[Subscription], directory: Path) -> Engine:
    engine = Engine(searches[0].schema, merging="when asked")
    if state in ("fresh", "merged"):
        for number, each in enumerate(searches):
            engine.add(number, each)
    else:
        engine.load(SubscriptionColumns.of(enumerate(searches)))
    if state == "merged":
        engine.merge()
    if state == "reopened":
        engine.save(directory)
        return Engine.open(directory)
    return engine


def assert_exact(engine: Engine, searches: list[Subscription], events: list[Event]) -> None:
    expected = [
        sorted(number for number, each in enumerate(searches) if each.matches(event)) for event in events
    ]
    assert [sorted(engine.match_ids(event).tolist()) for event in events] == expected
    offsets, ids = engine.match_ids_many(events)
    assert [sorted(ids[offsets[at] : offsets[at + 1]].tolist()) for at in range(len(events))] == expected


@pytest.mark.parametrize("state", STATES)
def test_more_attributes_than_columns_are_answered_exactly(state: str, tmp_path: Path) -> None:
    rng, names = random.Random(1), [f"a{number}" for number in range(2 * MOST_COLUMNS)]
    schema = Schema.from_dict(
        {
            "domains": {"number": {"kind": "numeric"}},
            "attributes": dict.fromkeys(names, "number"),
            "event_types": {"lot": {name: ["optional", "multiple"] for name in names}},
        }
    )
    texts = [
        " and ".join(f"{name} < {rng.randint(1, 9)}" for name in rng.sample(names, 2)) for _ in range(700)
    ]
    texts += [f"not ({name} exists)" for name in names] + [f"{name} != 3" for name in names]
    searches = [parse(text, schema) for text in texts]
    documents = [{name: [rng.randint(0, 9), 3] for name in rng.sample(names, 90)} for _ in range(8)]
    events = [schema.validate({"event_type": ["lot"], **each}) for each in [*documents, {}]]
    assert_exact(engine_in(state, searches, tmp_path), searches, events)


@pytest.mark.parametrize("state", STATES)
def test_a_thousand_values_of_an_attribute_are_answered_exactly(state: str, tmp_path: Path) -> None:
    texts = ["price > 500 and price < 502", "price = 77", "price contains 3 and price contains 999"]
    texts += ["price between 1000 and 2000", "not price = 5", "not (price contains 5)", "price in (-1, 42)"]
    texts += ["seller = s5 and seller != s6", "seller < s1", "not (seller in (s1, s2))", "seller contains s7"]
    searches = [search(text) for text in texts for _ in range(3)]
    events = [lot(price=list(range(1_000))), lot(seller=[f"s{number}" for number in range(1_000)])]
    events += [lot(price=[number + 0.5 for number in range(1_000)]), lot(price=77, seller="s5")]
    assert_exact(engine_in(state, searches, tmp_path), searches, events)


@pytest.mark.parametrize("state", STATES)
def test_values_that_share_an_ancestor_give_an_id_once(state: str, tmp_path: Path) -> None:
    """Also where many have the same key, so that it is found by hashing."""
    searches = [search(text) for text in ["kind <= table", "kind < table", "kind <= desk", "age <= old"] * 40]
    events = [lot(kind=["desk", "writing desk", "table"], age=["new", "old"]), lot(kind=["desk", "chair"])]
    assert_exact(engine_in(state, searches, tmp_path), searches, events)


@pytest.mark.parametrize("state", STATES)
def test_words_and_attributes_that_nobody_asks_for_change_nothing(state: str, tmp_path: Path) -> None:
    searches = [
        search(text) for text in ["title contains omega", "not (title contains omega)", "title exists"]
    ]
    events = [
        lot(title="Omega Seamaster"),
        lot(title=[f"word{number}" for number in range(500)], price=3, seller=["a", "b"], age="old"),
        lot(title="!!!"),
        lot(weight=5),
        lot(),
    ]
    assert_exact(engine_in(state, searches, tmp_path), searches, events)


@pytest.mark.parametrize("state", STATES)
def test_more_words_and_values_than_buckets_are_answered_exactly(state: str, tmp_path: Path) -> None:
    rng = random.Random(2)
    texts = [f"title contains 'w{rng.randrange(MANY)} w{rng.randrange(MANY)}'" for _ in range(600)]
    texts += [f"seller != s{number} and seller >= s{rng.randrange(MANY)}" for number in range(MANY)]
    texts += [f"title contains w{number} or seller = s{number}" for number in range(MANY)]
    searches = [search(text) for text in texts]
    events = [
        lot(
            title=" ".join(f"w{rng.randrange(MANY + 20)}" for _ in range(40)),
            seller=[f"s{rng.randrange(MANY + 20)}" for _ in range(rng.randint(1, 3))],
        )
        for _ in range(12)
    ]
    assert_exact(engine_in(state, searches, tmp_path), searches, events)


@pytest.mark.parametrize(
    "form",
    ["price in ({0}, {1})", "price != {0}", "not price between {0} and {1}", "price > {0} and price != {1}"],
)
def test_whatever_is_said_of_numbers_narrows_the_bitmaps(form: str) -> None:
    """Without cuts each of these would be checked for every event."""
    texts = [form.format(number, number + 7) for number in range(60)]
    engine = Engine(SCHEMA, merging="when asked")
    engine.load(SubscriptionColumns.of(enumerate(map(search, texts))))
    (segment,) = engine._view.segments
    assert len(segment.arrays.cut) > 50
    for price in (-1, 0, 3, 8, 30, 99):
        event = lot(price=price)
        assert engine.match(event) == {at for at, text in enumerate(texts) if search(text).matches(event)}


def test_a_sampled_event_of_a_later_schema_spoils_nothing_after_a_reopening(tmp_path: Path) -> None:
    """The engine has not heard of the version, and keeps the event only to know what is frequent."""
    later = administration.add_values(SCHEMA, "kind", {"stool": "chair"})
    stool = later.validate({"event_type": ["lot"], "kind": "stool"})
    engine = Engine(SCHEMA)
    engine.add(1, search("kind <= chair"))
    assert engine.match(stool) == {1}
    engine.save(tmp_path)
    again = Engine.open(tmp_path)
    again.add(2, search("kind < chair"))
    again.merge()
    assert again.match(stool) == {1, 2}
