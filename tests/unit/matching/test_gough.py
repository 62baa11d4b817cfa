"""`gough` truncates its tree at its budget, says how much, and makes it anew only when something came."""

from typing import Any

import pytest

from matching import registry, workloads
from matching.algorithms.base import Matcher
from matching.algorithms.gough import GoughMatcher
from schema_registry.core.schema import Schema
from schema_registry.language import parse

SCHEMA = Schema.from_dict(
    {
        "domains": {"number": {"kind": "numeric"}, "name": {"kind": "string"}},
        "attributes": {"size": "number", "colour": "name"},
        "event_types": {"lot": {name: ["optional", "multiple"] for name in ("size", "colour")}},
    }
)
TEXTS = ["colour = red", "colour = red and size <= 4", "size <= 4", "colour in (red, blue) and size = 3"]


def of_texts(texts: list[str], **options: Any) -> Matcher:
    matcher = registry.create("gough", SCHEMA, **options)
    for number, text in enumerate(texts):
        matcher.add(number, parse(text, SCHEMA))
    return matcher


def match(matcher: Matcher, **values: object) -> set[int]:
    return matcher.match(SCHEMA.validate({"event_type": ["lot"], **values}))


def test_a_whole_tree_needs_no_check_at_all() -> None:
    matcher = of_texts(TEXTS)
    assert match(matcher, colour="red", size=3) == {0, 1, 2, 3}
    assert match(matcher, colour="red", size=3.5) == {0, 1, 2}
    assert match(matcher, colour="blue", size=3) == {2, 3}
    assert match(matcher, colour="green") == set()
    assert match(matcher, colour=["red", "green"]) == {0}
    assert matcher.work.candidates > 0
    assert matcher.work.residual_share == 0


def test_where_an_event_has_several_values_of_a_kind_what_is_open_is_checked() -> None:
    matcher = of_texts(TEXTS)
    assert match(matcher, colour=["red", "blue"], size=[3, 9]) == {0, 1, 2, 3}
    assert matcher.work.residual_share > 0


def test_what_no_level_can_hold_stays_open_to_the_end() -> None:
    matcher = of_texts(["not colour = red and size <= 4", "colour >= m and size <= 4"])
    assert match(matcher, colour="red", size=4) == {1}
    assert matcher.work.residual_share == 1


@pytest.mark.parametrize("workload", ["aguilera", "lesubscribe"])
def test_a_larger_budget_truncates_less(workload: str) -> None:
    made = workloads.create(workload, seed=2)
    columns, events = made.subscriptions(500), made.events(100)
    checks = []
    for node_budget in (0, 300, 10_000):
        matcher = registry.create("gough", made.schema, node_budget=node_budget)
        matcher.load(columns)
        for event in events:
            matcher.match_ids(event)
        matcher.check_invariants()
        checks.append(matcher.work.residual_checks)
    assert checks[0] == 500 * len(events)
    assert checks[0] > checks[1] > checks[2]


def test_the_tree_is_made_anew_after_additions_and_not_after_removals() -> None:
    matcher = of_texts(TEXTS)
    assert isinstance(matcher, GoughMatcher)
    match(matcher, colour="red")
    first = matcher.tree
    matcher.remove(0)
    assert match(matcher, colour="red") == set()
    assert matcher.tree is first
    matcher.add(0, parse("colour = red", SCHEMA))
    assert match(matcher, colour="red") == {0}
    assert matcher.tree is not first
