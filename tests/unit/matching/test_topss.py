"""The matchers of paper 003: predicates first, in tables or lists, then subscriptions, by counting."""

import random
from typing import Any

import numpy as np
import pytest

from matching import registry, workloads
from matching.algorithms.columns import SubscriptionColumns
from matching.algorithms.packed_lists import PackedLists
from matching.algorithms.predicate_slices import ListSlice, Slice, TableSlice
from matching.algorithms.topss import TopssMatcher
from schema_registry.core.schema import Schema
from schema_registry.language import parse

MATCHERS = ("topss-list", "topss-bit", "topss-byte")
SCHEMA = Schema.from_dict(
    {
        "domains": {"number": {"kind": "numeric"}, "words": {"kind": "text"}},
        "attributes": {"price": "number", "title": "words"},
        "event_types": {"lot": {"price": ["optional", "unique"], "title": ["optional", "unique"]}},
    }
)


def topss(name: str, schema: Schema = SCHEMA, **options: Any) -> TopssMatcher:
    matcher = registry.create(name, schema, **options)
    assert isinstance(matcher, TopssMatcher)
    return matcher


def loaded(name: str, variant: str, count: int, **options: Any) -> TopssMatcher:
    workload = workloads.create("topss", seed=3, variant=variant)
    matcher = topss(name, workload.schema, **options)
    matcher.load(workload.subscriptions(count))
    return matcher


@pytest.mark.parametrize("name", MATCHERS)
def test_the_papers_subscriptions_are_decided_by_counting_alone(name: str) -> None:
    matcher = loaded(name, "W4", 5_000)
    for event in workloads.create("topss", seed=3, variant="W4").events(20):
        matcher.match_ids(event)
    assert matcher.predicate_count == 10 * 4 * 10  # attributes, operators, values
    assert matcher.work.candidates > 0
    assert matcher.work.residual_checks == 0


@pytest.mark.parametrize("name", MATCHERS)
def test_the_stages_are_timed_apart(name: str) -> None:
    matcher = loaded(name, "W4", 1_000)
    (event,) = workloads.create("topss", seed=3, variant="W4").events(1)
    assert len(matcher.satisfied(event)) > 0
    assert matcher.seconds.predicates == matcher.seconds.subscriptions == 0
    matcher.match_ids(event)
    assert matcher.seconds.predicates > 0
    assert matcher.seconds.subscriptions > 0


def test_tables_are_as_large_as_the_domain_and_lists_as_the_predicates() -> None:
    """Figure 2 (4) and (5) of the paper."""
    tables = {variant: loaded("topss-list", variant, 300, predicates="table") for variant in ("W0", "W2")}
    lists = {variant: loaded("topss-list", variant, 300, predicates="list") for variant in ("W0", "W2")}
    of = {key: each.memory()["predicates"] / each.predicate_count for key, each in tables.items()}
    assert of["W2"] > 50 * of["W0"]
    of = {key: each.memory()["predicates"] / each.predicate_count for key, each in lists.items()}
    assert of["W2"] == of["W0"]


def test_by_itself_a_finite_domain_gets_tables_and_another_lists() -> None:
    for variant, forced in (("W0", "table"), ("W2", "list")):
        itself, other = (
            loaded("topss-list", variant, 500),
            loaded("topss-list", variant, 500, predicates=forced),
        )
        assert itself.memory() == other.memory()


@pytest.mark.parametrize("name", MATCHERS)
def test_numbers_of_removed_subscriptions_and_predicates_are_given_again(name: str) -> None:
    matcher = topss(name)
    matcher.add(0, parse("price > 100", SCHEMA))
    sizes = set()
    for turn in range(60):
        matcher.add(1, parse(f"price < {turn} and price != 7", SCHEMA))
        sizes.add(matcher.memory()["associations"])
        matcher.remove(1)
        matcher.check_invariants()
    assert matcher.predicate_count == 1
    assert len(sizes) == 1


@pytest.mark.parametrize("name", MATCHERS)
def test_a_subscription_may_have_more_predicates_than_a_byte_can_count(name: str) -> None:
    words = [f"w{number}" for number in range(300)]
    matcher = topss(name)
    matcher.add(1, parse(f'title contains "{" ".join(words)}"', SCHEMA))
    matcher.add(2, parse(f'title contains "{" ".join(words[:44])}"', SCHEMA))
    for titled, expected in ((words, {1, 2}), (words[:299], {2}), (words[1:], set())):
        event = SCHEMA.validate({"event_type": ["lot"], "title": " ".join(titled)})
        assert matcher.match(event) == expected


@pytest.mark.parametrize(("name", "size"), [("topss-bit", "0.03 GB"), ("topss-byte", "0.22 GB")])
def test_a_matrix_that_is_too_large_is_refused_with_its_size(name: str, size: str) -> None:
    workload = workloads.create("dexin", seed=1, attributes=3)
    matcher = topss(name, workload.schema, most_bytes=10_000_000)
    matcher.load(workload.subscriptions(100))
    with pytest.raises(ValueError, match=rf"8,100 subscriptions takes {size}, and 0.01 GB.*use topss-list"):
        matcher.load(workload.subscriptions(8_000))
    assert len(matcher) == 100
    matcher.check_invariants()


def test_an_unknown_way_to_keep_predicates_is_refused() -> None:
    with pytest.raises(ValueError, match="kept by auto, table, list, not by 'tree'"):
        registry.create("topss-list", SCHEMA, predicates="tree")


def test_a_table_and_a_list_find_the_same() -> None:
    seed = 11
    rng = random.Random(seed)
    slices: list[Slice] = [TableSlice(1_000), ListSlice()]
    held: dict[float, int] = {}
    for step in range(300):
        value = float(rng.randint(-40, 40))
        if value in held:
            del held[value]
            for each in slices:
                each.drop(value)
        else:
            held[value] = step
            for each in slices:
                each.put(np.array([value]), np.array([step], np.int32))
        at, strictly = rng.choice([value, value + 0.5]), rng.random() < 0.5
        above = {held[v] for v in held if v > at or (v == at and not strictly)}
        below = {held[v] for v in held if v < at or (v == at and not strictly)}
        for each in slices:
            assert set(each.every().tolist()) == set(held.values()), f"seed {seed}"
            assert set(each.upwards(at, strictly=strictly).tolist()) == above, f"seed {seed}"
            assert set(each.downwards(at, strictly=strictly).tolist()) == below, f"seed {seed}"
            assert each.find(np.array([at])).tolist() == [held.get(at, -1)], f"seed {seed}"


def test_lists_in_one_array_are_lists_like_others() -> None:
    seed = 12
    rng = random.Random(seed)
    lists = PackedLists()
    plain: list[list[int]] = [[] for _ in range(9)]
    for _ in range(1_000):
        numbers = sorted(rng.randrange(9) for _ in range(rng.randrange(6)))
        items = [rng.randrange(1_000) for _ in numbers]
        lists.extend(np.array(numbers, np.int32), np.array(items, np.int32), 9)
        for number, item in zip(numbers, items, strict=True):
            plain[number].append(item)
        number = rng.randrange(9)
        if rng.random() < 0.2:
            lists.clear(number)
            plain[number].clear()
        elif plain[number]:
            item = rng.choice(plain[number])
            lists.remove(number, item)
            plain[number].remove(item)
        asked = rng.sample(range(9), 4)
        found = lists.items_of(np.array(asked, np.int32)).tolist()
        assert sorted(found) == sorted(item for number in asked for item in plain[number]), f"seed {seed}"


def test_an_any_of_that_shares_a_value_with_another_predicate_is_still_exact() -> None:
    texts = ["price in (1, 2) and price != 2", "price in (1, 2) and price = 2", "price in (1, 2, 3)"]
    held = {number: parse(text, SCHEMA) for number, text in enumerate(texts)}
    for name in MATCHERS:
        matcher = topss(name)
        matcher.load(SubscriptionColumns.of(held.items()))
        for price in (1, 2, 3, 4):
            event = SCHEMA.validate({"event_type": ["lot"], "price": price})
            expected = {number for number, each in held.items() if each.matches(event)}
            assert matcher.match(event) == expected
