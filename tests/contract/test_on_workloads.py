"""Every matcher gives the core's answers on every workload, loaded from columns."""

from functools import cache
from typing import Any

import pytest

from matching import workloads
from matching.algorithms.columns import SubscriptionColumns
from matching.algorithms.conjunctions import conjunction_holds
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from tests.contract.cases import VARIANT_NAMES, VARIANTS, assert_agrees, create

SUBSCRIPTIONS, EVENTS = 1_000, 10
# An index by attributes has a thousand subtrees for `debs07`, each with all subscriptions.
FEWER_SUBSCRIPTIONS = 50


@cache
def small(workload: str, count: int) -> tuple[Schema, SubscriptionColumns, list[tuple[Event, set[int]]]]:
    made = workloads.create(workload, seed=5)
    columns, events = made.subscriptions(count), made.events(EVENTS)
    conjunctions = {int(number): columns.conjunctions_of(row) for row, number in enumerate(columns.ids)}
    answers = [
        {
            number
            for number, alternatives in conjunctions.items()
            if any(conjunction_holds(each, event, made.schema) for each in alternatives)
        }
        for event in events
    ]
    return made.schema, columns, list(zip(events, answers, strict=True))


@pytest.mark.parametrize("workload", workloads.names())
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=VARIANT_NAMES)
def test_it_agrees_with_the_core(name: str, options: dict[str, Any], workload: str) -> None:
    is_large = workload == "debs07" and "index_attributes" in options
    count = FEWER_SUBSCRIPTIONS if is_large else SUBSCRIPTIONS
    schema, columns, expected = small(workload, count)
    matcher = create(name, schema, **options)
    matcher.load(columns)
    for event, answer in expected:
        assert_agrees(matcher, matcher.match(event), answer, workload)
    matcher.check_invariants()
