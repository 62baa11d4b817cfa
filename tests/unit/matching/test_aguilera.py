"""The matching tree visits what the paper says it visits, and each optimisation lowers it."""

from functools import cache
from math import log
from typing import Any

import numpy as np
import pytest

from benchmarks.reproduce.paper_000 import bound_of_theorem
from matching.algorithms.aguilera import AguileraMatcher
from matching.algorithms.columns import SubscriptionColumns
from matching.algorithms.naive import NaiveMatcher
from matching.workloads import Workload
from matching.workloads.aguilera import Aguilera
from matching.workloads.assembly import take
from matching.workloads.dexin import Dexin
from matching.workloads.lesubscribe import LeSubscribe
from schema_registry.core.schema import Schema
from schema_registry.language import parse

EVENTS = 150


def visited(matcher: AguileraMatcher, events: int = EVENTS) -> float:
    """Nodes visited per event of the workload."""
    matcher.work.reset()
    for event in Aguilera().events(events):
        matcher.match_ids(event)
    return matcher.work.visited_nodes / events


@cache
def loaded(subscriptions: int, **options: Any) -> AguileraMatcher:
    workload = Aguilera()
    matcher = AguileraMatcher(workload.schema, **options)
    matcher.load(workload.subscriptions(subscriptions))
    return matcher


def test_the_bound_of_the_theorem_is_what_the_formula_gives() -> None:
    """By hand, for one attribute of two values: K1 = 2, lambda = 1/2, so 4/3 * (2 * sqrt(n) - 1) * 2."""
    assert bound_of_theorem(16, attributes=1, values=2) == pytest.approx(4 / 3 * (2 * 4 - 1) * 2)


def test_visited_nodes_stay_below_the_bound_and_grow_less_than_linearly() -> None:
    sizes = [500, 2_000, 8_000, 32_000]
    nodes = [visited(loaded(size, collapse=False)) for size in sizes]
    for size, count in zip(sizes, nodes, strict=True):
        assert count <= bound_of_theorem(size, Aguilera().attributes, Aguilera().values)
    exponent = np.polyfit([log(size) for size in sizes], [log(count) for count in nodes], 1)[0]
    assert (
        0 < exponent < 1 - log(5) / (log(5) + log(11))
    )  # that of the theorem, for subscriptions at their worst


def test_each_optimisation_visits_fewer_nodes_and_costs_the_space_it_should() -> None:
    plain, collapsed, annotated, refined, factored = (
        loaded(8_000, **options)
        for options in (
            {"collapse": False},
            {},
            {"successors": "plain"},
            {"successors": "refined"},
            {"index_attributes": Aguilera().index_names},
        )
    )
    nodes = [visited(matcher) for matcher in (plain, collapsed, annotated, refined)]
    assert nodes == sorted(nodes, reverse=True)
    assert len(set(nodes)) == 4
    assert visited(factored) < visited(collapsed) / 2
    assert collapsed.space()["edges"] < plain.space()["edges"]
    assert annotated.space()["edges"] == collapsed.space()["edges"]
    assert annotated.space()["successors"] > 0
    assert factored.space()["edges"] > collapsed.space()["edges"]
    for matcher in (plain, collapsed, annotated, refined, factored):
        matcher.check_invariants()


def test_what_is_added_later_joins_the_same_tree() -> None:
    workload = Aguilera()
    columns = workload.subscriptions(600)
    at_once, half = (AguileraMatcher(workload.schema) for _ in range(2))
    at_once.load(columns)
    half.load(take(columns, np.arange(500)))
    for row in range(500, 600):
        half.add(row, parse(columns.text(row, workload.schema), workload.schema))
    assert half.space() == at_once.space()
    assert visited(half, 30) == visited(at_once, 30)


def test_a_tree_that_has_lost_everything_is_visited_like_an_empty_one() -> None:
    workload = LeSubscribe()
    columns = workload.subscriptions(400)
    matcher = AguileraMatcher(workload.schema)
    matcher.load(columns)
    space = matcher.space()
    for number in range(400):
        matcher.remove(number)
    assert matcher.space() == {"nodes": 0, "edges": 0, "successors": 0}
    matcher.work.reset()
    for event in workload.events(20):
        assert not len(matcher.match_ids(event))
    assert matcher.work.visited_nodes == 0
    matcher.load(columns)
    assert matcher.space() == space
    matcher.check_invariants()


def test_of_related_inequalities_only_those_that_hold_are_asked_and_the_first_that_fails() -> None:
    schema = Schema.from_dict(
        {
            "domains": {"money": {"kind": "numeric"}},
            "attributes": {"price": "money"},
            "event_types": {"lot": {"price": ["mandatory", "unique"]}},
        }
    )
    texts = enumerate(f"price <= {most}" for most in range(1, 101))
    columns = SubscriptionColumns.of((number, parse(text, schema)) for number, text in texts)
    event = schema.validate({"event_type": ["lot"], "price": 91})
    for related, asked in ((True, 10 + 1), (False, 100)):
        matcher = AguileraMatcher(schema, related=related)
        matcher.load(columns)
        assert matcher.match(event) == set(range(90, 100))
        assert matcher.work.predicate_evaluations == asked


@pytest.mark.parametrize("options", [{}, {"successors": "refined"}, {"collapse": False}], ids=str)
@pytest.mark.parametrize(
    "workload", [Aguilera(attributes=25, popularity=0.3), Dexin(attributes=25, matching_rate=0.05)], ids=repr
)
def test_more_attributes_than_a_mask_has_places_for_are_no_problem(
    workload: Workload, options: dict[str, Any]
) -> None:
    naive, tree = NaiveMatcher(workload.schema), AguileraMatcher(workload.schema, **options)
    for matcher in (naive, tree):
        matcher.load(workload.subscriptions(300))
    matches = 0
    for event in workload.events(30):
        assert tree.match(event) == naive.match(event)
        matches += len(naive.match_ids(event))
    assert matches > 0
    tree.check_invariants()


@pytest.mark.parametrize(
    ("names", "reason"), [(("number_1",), "cannot be listed"), (("nothing",), "cannot be listed")]
)
def test_only_what_can_be_listed_is_an_index_attribute(names: tuple[str, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        AguileraMatcher(LeSubscribe().schema, index_attributes=names)


def test_too_many_subtrees_are_refused() -> None:
    workload = Aguilera()
    names = tuple(sorted(workload.schema.attributes))
    with pytest.raises(ValueError, match="more than 4,096 subtrees"):
        AguileraMatcher(workload.schema, index_attributes=names)
