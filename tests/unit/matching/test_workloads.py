"""Every workload is in the core's normal form, follows from its seed alone, and has valid events.

What each of them is drawn from is tested in `test_workload_shapes`.
"""

from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np
import pytest

from matching import workloads
from matching.algorithms.columns import SubscriptionColumns
from matching.workloads import Workload, auction
from matching.workloads.assembly import take
from matching.workloads.auction import Auction
from matching.workloads.measuring import matching_subscriptions
from schema_registry.core.predicates import Conjunction
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from schema_registry.language.spelling import predicate_text

COUNT = 2_000
CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in workloads.names()),
    *(("topss", {"variant": variant}) for variant in ("W0", "W1", "W2", "W3")),
    ("dexin", {"matching_rate": 0.01}),
    ("dexin", {"attributes": 3, "cardinality": 100, "zipf": 1.0, "matching_rate": 0.1, "point_share": 0.5}),
    ("debs07", {"predicates": 2_500, "zipf": 1.2, "max_length": 11}),
    ("auction", {"words": 0.3, "repeats": 0.0}),
]
each_case = pytest.mark.parametrize("case", range(len(CASES)), ids=lambda case: str(CASES[case]))


def created(case: int, seed: int = 0) -> Workload:
    name, parameters = CASES[case]
    return workloads.create(name, seed=seed, **parameters)


# Some make a tree or selectivities at first use, which the tests share.
created_once = cache(created)


def text_of(conjunctions: Iterable[Conjunction], schema: Schema) -> str:
    return " or ".join(
        " and ".join(predicate_text(each, schema.domain_of[each.attribute]) for each in branch.predicates)
        for branch in conjunctions
    )


def test_the_names_are_those_of_the_command_line() -> None:
    expected = "lesubscribe topss dexin aguilera debs07 peers-eq peers-range peers-mixed auction"
    assert workloads.names() == tuple(expected.split())


@pytest.mark.parametrize(
    ("name", "parameters", "complaint"),
    [
        ("nonesuch", {}, "no workload 'nonesuch'; there are lesubscribe, topss"),
        ("lesubscribe", {"q": 1}, "no parameter 'q'; it has p"),
        ("lesubscribe", {"p": 1.5}, "p is a probability"),
        ("topss", {"variant": "W5"}, "W0, W1, W2, W3, W4"),
        ("dexin", {"cardinality": 300}, "power of 10"),
        ("dexin", {"cardinality": 100, "matching_rate": 0.001}, "1,000 events"),
        ("peers-eq", {"predicates": 21}, "attribute of its own"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        workloads.create(name, **parameters)


@each_case
def test_the_seed_decides_everything(case: int) -> None:
    one, same, other = (created(case, seed) for seed in (7, 7, 8))
    columns, again = one.subscriptions(500), same.subscriptions(500)
    for field in fields(SubscriptionColumns):
        left, right = getattr(columns, field.name), getattr(again, field.name)
        assert np.array_equal(left, right) if isinstance(left, np.ndarray) else left == right
    assert one.events(5) == same.events(5)
    assert one.training_events(5) == same.training_events(5)
    assert not np.array_equal(columns.value, other.subscriptions(500).value)
    assert one.events(5) != other.events(5)
    assert one.schema.to_dict() == same.schema.to_dict()


@each_case
def test_asking_for_subscriptions_does_not_change_events(case: int) -> None:
    workload = created_once(case)
    before = workload.events(3)
    workload.subscriptions(10)
    assert workload.events(3) == before


@each_case
def test_columns_fit_and_list_only_what_occurs(case: int) -> None:
    columns = created_once(case).subscriptions(COUNT)
    columns.check()
    assert columns.ids.tolist() == list(range(COUNT))
    assert (np.diff(columns.conjunction_start) > 0).all()
    assert (np.diff(columns.predicate_start) > 0).all()
    attribute_of_value = np.repeat(columns.attribute, np.diff(columns.value_start))
    assert [*columns.attributes] == sorted(columns.attributes)
    assert np.unique(columns.attribute).tolist() == list(range(len(columns.attributes)))
    for attribute, listed in enumerate(columns.constants):
        assert np.unique(columns.value[attribute_of_value == attribute]).tolist() == list(range(len(listed)))


@each_case
def test_subscriptions_are_what_the_language_makes_of_their_text(case: int) -> None:
    workload = created_once(case)
    columns = workload.subscriptions(COUNT)
    with_or = np.flatnonzero(np.diff(columns.conjunction_start) > 1)[:40]
    negated = np.flatnonzero(np.logical_or.reduceat(columns.negated, columns.predicate_start[:-1]))[:30]
    negated = np.searchsorted(columns.conjunction_start, negated, side="right") - 1
    for row in (*range(40), *with_or, *negated):
        conjunctions = columns.conjunctions_of(row)
        subscription = parse(text_of(conjunctions, workload.schema), workload.schema)
        assert list(subscription.conjunctions) == conjunctions
        assert subscription.warnings == ()
        first, last = columns.predicate_start[columns.conjunction_start[row : row + 2]]
        as_stored = [columns._predicate(number) for number in range(first, last)]
        assert as_stored == [each for conjunction in conjunctions for each in conjunction.predicates]


@each_case
@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_are_fine_too(case: int, count: int) -> None:
    columns = created_once(case).subscriptions(count)
    columns.check()
    assert len(columns) == count


@each_case
def test_events_are_valid_and_training_events_are_others(case: int) -> None:
    workload = created_once(case)
    timed, training = workload.events(30), workload.training_events(30)
    assert len(timed) == len(training) == 30
    assert timed != training
    for event in timed + training:
        assert workload.schema.validate(event.to_dict()) == event


@each_case
def test_counting_agrees_with_the_oracle(case: int) -> None:
    workload = created_once(case)
    columns, events = workload.subscriptions(250), workload.events(10)
    parsed = [
        parse(text_of(columns.conjunctions_of(row), workload.schema), workload.schema) for row in range(250)
    ]
    for event, ids in zip(events, matching_subscriptions(columns, events, workload.schema), strict=True):
        assert ids.tolist() == [number for number, each in enumerate(parsed) if each.matches(event)]


def test_two_equal_branches_of_an_auction_subscription_are_noticed() -> None:
    drawn = Auction()._conjunctions(np.random.default_rng(1), 3)
    branches = auction._rows(drawn, np.array([0, 0, 1, 2]))
    assert auction._put_in_order(branches, np.array([0, 2])).tolist() == [True, False]


def test_taking_rows_takes_the_subscriptions_in_them() -> None:
    columns = workloads.create("auction").subscriptions(300)
    rows = np.array([5, 5, 299, 0, 17])
    taken = take(columns, rows)
    taken.check()
    expected = [columns.conjunctions_of(row) for row in rows.tolist()]
    assert [taken.conjunctions_of(row) for row in range(len(rows))] == expected
