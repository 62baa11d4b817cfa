"""`hanson` finds subscriptions by the predicate that is expected to hold least often."""

import pytest

from matching import registry, workloads
from matching.algorithms.columns import SubscriptionColumns
from matching.algorithms.selectivity import EVENTS_OF_A_SAMPLE
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.language import parse

SCHEMA = Schema.from_dict(
    {
        "domains": {"number": {"kind": "numeric"}, "name": {"kind": "string"}},
        "attributes": {"price": "number", "size": "number", "colour": "name"},
        "event_types": {
            "lot": {name: ["optional", "unique"] for name in ("price", "size", "colour")},
        },
    }
)


def lot(**values: object) -> Event:
    return SCHEMA.validate({"event_type": ["lot"], **values})


@pytest.mark.parametrize(
    ("seen", "is_found"), [(lot(price=5, size=900), False), (lot(price=900, size=5), True)]
)
def test_it_learns_from_events_which_predicate_is_the_rare_one(seen: Event, is_found: bool) -> None:
    matcher = registry.create("hanson", SCHEMA)
    for _ in range(EVENTS_OF_A_SAMPLE):
        matcher.match_ids(seen)
    matcher.add(0, parse("price <= 10 and size <= 10", SCHEMA))
    for _ in range(EVENTS_OF_A_SAMPLE):
        matcher.match_ids(seen)
    matcher.add(1, parse("price <= 20 and size <= 20", SCHEMA))
    matcher.remove(0)
    matcher.work.reset()
    assert matcher.match(lot(price=5)) == set()
    looked_up = 1
    assert (matcher.work.predicate_evaluations > looked_up) == is_found


def test_equalities_are_found_rather_than_comparisons_if_nothing_is_known() -> None:
    matcher = registry.create("hanson", SCHEMA)
    matcher.load(
        SubscriptionColumns.of(
            (number, parse(f"price >= 10 and colour = c{number}", SCHEMA)) for number in range(100)
        )
    )
    assert matcher.match(lot(price=50, colour="c7")) == {7}
    assert matcher.work.candidates == 1


def test_nothing_of_the_papers_load_is_left_to_the_residual_check() -> None:
    workload = workloads.create("lesubscribe", seed=1)
    matcher = registry.create("hanson", workload.schema)
    matcher.load(workload.subscriptions(2_000))
    for event in workload.events(50):
        matcher.match_ids(event)
    assert matcher.work.candidates > 0
    assert matcher.work.residual_share == 0
