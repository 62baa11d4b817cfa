"""Every workload is drawn from what its definition says.

Shares are compared within five standard errors, computed from the number of draws; with the fixed seeds a
test either always passes or never.
"""

from functools import cache
from itertools import pairwise
from math import prod
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from matching import workloads
from matching.algorithms.columns import OPERATOR_CODE, SubscriptionColumns
from matching.workloads import Workload, auction, auction_setting, topss
from matching.workloads.aguilera import Aguilera
from matching.workloads.auction import Auction
from matching.workloads.debs07 import Debs07
from matching.workloads.draws import ascending_choice, by_weight, draw_distinct, zipf
from matching.workloads.measuring import matches_per_event
from schema_registry.core.events import Event

COUNT = 20_000
ENOUGH = 50  # occurrences, for the normal distribution to hold


@cache
def columns_of(workload: Workload, count: int = COUNT) -> SubscriptionColumns:
    return workload.subscriptions(count)


def assert_share(observed: int | np.integer[Any], of: int, expected: float) -> None:
    assert abs(observed - of * expected) <= 5 * np.sqrt(of * expected * (1 - expected)), observed / of


def assert_distribution(codes: NDArray[Any], probabilities: NDArray[np.float64]) -> None:
    """Every number is as frequent as expected; neighbours too rare to judge alone are taken together."""
    observed = np.bincount(codes.ravel(), minlength=len(probabilities))
    assert len(observed) == len(probabilities)
    expected = probabilities * codes.size
    group = ((np.cumsum(expected) - expected) // ENOUGH).astype(int)
    together, of_groups = np.bincount(group, expected), np.bincount(group, observed)
    judged = together >= ENOUGH / 2
    error = np.sqrt(together * (1 - np.minimum(together / codes.size, 1)))
    assert (np.abs(of_groups - together) <= 5 * error)[judged].all()


def assert_uniform(codes: NDArray[Any], size: int) -> None:
    assert_distribution(codes, np.full(size, 1 / size))


def probabilities(size: int, exponent: float) -> NDArray[np.float64]:
    weights = np.arange(1.0, size + 1) ** -exponent
    return cast("NDArray[np.float64]", weights / weights.sum())


def of_attribute(
    columns: SubscriptionColumns, name: str, among: NDArray[np.bool_] | bool = True
) -> NDArray[np.int64]:
    """The numbers of the predicates on this attribute, or of those among them."""
    return np.flatnonzero((columns.attribute == columns.attributes.index(name)) & among)


def constants(columns: SubscriptionColumns, predicates: NDArray[np.int64], place: int = 0) -> NDArray[Any]:
    """A value of each of these predicates, which are on one attribute."""
    values = np.array(columns.constants[columns.attribute[predicates[0]]])
    return values[columns.value[columns.value_start[predicates] + place]]


def values_of(columns: SubscriptionColumns) -> NDArray[Any]:
    """The first value of every predicate, where all are numbers."""
    first = np.cumsum([0, *(len(listed) for listed in columns.constants)])
    return np.concatenate(columns.constants)[
        first[columns.attribute] + columns.value[columns.value_start[:-1]]
    ]


def event_values(events: list[Event]) -> NDArray[Any]:
    """All values of events with one numeric value for each attribute, event by event."""
    return np.array([[v[0] for k, v in event.values.items() if k != "event_type"] for event in events])


def is_operator(columns: SubscriptionColumns, operator: str) -> NDArray[np.bool_]:
    return cast("NDArray[np.bool_]", columns.operator == OPERATOR_CODE[operator])


def test_distinct_draws_follow_drawing_without_putting_back() -> None:
    weights = np.array([4.0, 2.0, 1.0, 1.0])
    drawn = draw_distinct(np.random.default_rng(1), by_weight(weights), COUNT, 2)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    for first in range(4):
        assert_share(np.count_nonzero(drawn[:, 0] == first), COUNT, weights[first] / 8)
        after = drawn[drawn[:, 0] == first, 1]
        left = np.where(np.arange(4) == first, 0, weights)
        assert_distribution(after, left / left.sum())


def test_an_ascending_choice_has_the_lengths_asked_for() -> None:
    lengths = np.array([1, 3, 2, 5])
    chosen, present = ascending_choice(np.random.default_rng(1), zipf(6, 1.0), lengths)
    assert present.sum(axis=1).tolist() == lengths.tolist()
    for row, there in zip(chosen, present, strict=True):
        assert all(low < high for low, high in pairwise(row[there].tolist()))


@pytest.mark.parametrize("p", [0.0, 0.5, 0.8])
def test_lesubscribe_is_as_in_section_4(p: float) -> None:
    workload = workloads.create("lesubscribe", p=p)
    columns = columns_of(workload)
    for name in columns.attributes:
        predicates = of_attribute(columns, name)
        assert_share(
            len(predicates), COUNT, 32 / 63
        )  # half of all sets of attributes, and never the empty one
        operator, values = columns.operator[predicates], constants(columns, predicates)
        if name.startswith("string"):
            assert set(operator) == {OPERATOR_CODE["="]}
            assert_uniform(np.array([int(value.removeprefix("value")) - 1 for value in values]), 200)
        else:
            for symbol, share in (("=", p), ("<=", (1 - p) / 2), (">=", (1 - p) / 2)):
                assert_share(np.count_nonzero(operator == OPERATOR_CODE[symbol]), len(predicates), share)
            assert values.min() >= 1
            assert values.max() <= 5_000
            assert_uniform((values.astype(int) - 1) // 500, 10)
    events = workload.events(2_000)
    for name in columns.attributes:
        assert_share(sum(name in event.values for event in events), len(events), 0.5)


@pytest.mark.parametrize("variant", sorted(topss.VARIANTS))
def test_topss_is_as_in_section_5(variant: str) -> None:
    workload = workloads.create("topss", variant=variant)
    columns, expected = columns_of(workload), topss.VARIANTS[variant]
    assert_uniform(np.diff(columns.predicate_start) - 1, expected.most_predicates)
    assert_uniform(columns.attribute, expected.attributes)
    total = len(columns.operator)
    for operator in ("=", "!=", "<", ">"):
        assert_share(np.count_nonzero(is_operator(columns, operator)), total, 0.25)
    values, events = values_of(columns), event_values(workload.events(200))
    for place, (low, high) in enumerate(expected.ranges):
        own = columns.attribute % len(expected.ranges) == place
        for drawn in (values[own], events[:, place :: len(expected.ranges)]):
            assert low <= drawn.min()
            assert drawn.max() <= high
            below_middle = np.count_nonzero(drawn <= (low + high) // 2)
            assert_share(below_middle, drawn.size, ((low + high) // 2 - low + 1) / (high - low + 1))


def test_dexin_has_the_defaults_of_table_1() -> None:
    workload = workloads.create("dexin")
    columns = columns_of(workload)
    assert (np.diff(columns.predicate_start) == 10).all()
    assert len(columns.attributes) == 10
    point = is_operator(columns, "=")
    assert_share(np.count_nonzero(point), len(point), 0.1)
    assert (point | is_operator(columns, "between")).all()
    for name in columns.attributes:
        ranges = of_attribute(columns, name, ~point)
        low, high = constants(columns, ranges), constants(columns, ranges, 1)
        width = high - low
        assert width.min() >= 0.2 - 1e-9
        assert width.max() <= 0.8 + 1e-9
        assert_share(np.count_nonzero(width < 0.49995), len(width), 0.5)
        # Given its width, a low value is uniform from 0 to where the range still fits.
        assert_share(np.count_nonzero(low < (0.9999 - width) / 2), len(low), 0.5)
    assert_uniform((event_values(workload.events(1_000)) * 10).astype(int), 10)


def test_dexin_can_be_skewed() -> None:
    workload = workloads.create("dexin", attributes=2, cardinality=100, point_share=1.0, zipf=1.0)
    expected = probabilities(100, 1.0)
    for values in (values_of(columns_of(workload)), event_values(workload.events(2_000))):
        assert_distribution(np.rint(values * 100).astype(int), expected)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
def test_dexin_events_match_exactly_the_rate_asked_for(rate: float) -> None:
    workload = workloads.create("dexin", matching_rate=rate)
    columns, events = workload.subscriptions(2_000), workload.events(40)
    assert (matches_per_event(columns, events, workload.schema) == rate * 2_000).all()
    assert_share(np.count_nonzero(is_operator(columns, "=")), len(columns.operator), 0.1)


def test_aguilera_tests_attributes_by_popularity() -> None:
    workload = workloads.create("aguilera")
    assert isinstance(workload, Aguilera)
    columns = columns_of(workload)
    popularity = 0.98 * 0.85 ** np.arange(10)
    assert np.allclose(workload.popularities, popularity)
    nothing = np.prod(1 - popularity)
    for name, share in zip(columns.attributes, popularity / (1 - nothing), strict=True):
        predicates = of_attribute(columns, name)
        assert_share(len(predicates), COUNT, share)
        codes = np.array([int(value[1:]) - 1 for value in constants(columns, predicates)])
        assert_distribution(codes, probabilities(5, 1.0))
    assert is_operator(columns, "=").all()
    assert workload.index_names == columns.attributes[:3]
    events = workload.events(1_000)
    assert_uniform(
        np.array([[int(str(e.values[a][0])[1:]) - 1 for a in columns.attributes] for e in events]), 5
    )


@pytest.mark.parametrize("exponent", [None, 0.8, 1.0, 1.2])
def test_debs07_matches_two_in_a_thousand(exponent: float | None) -> None:
    workload = workloads.create("debs07", predicates=5_000, zipf=exponent)
    assert isinstance(workload, Debs07)
    sets = workload.predicate_sets(50_000)
    assert_uniform(np.diff(sets.start) - 3, 3)
    probability = sets.matching_probability()
    # The sample of 200,000 that the selectivities were set on has an error too.
    error = probability.std() * np.sqrt(1 / len(probability) + 1 / 200_000)
    assert abs(probability.mean() - 0.002) <= 5 * error
    if exponent is not None:  # the first drawn follow the weights; later ones nearly so
        rank = np.sort(np.bincount(sets.predicate, minlength=5_000)[:100])[::-1]
        assert rank[0] > 2 * rank[9] > 4 * rank[99]


def test_debs07_has_both_forms_of_the_same_data() -> None:
    workload = workloads.create("debs07", predicates=2_500)
    assert isinstance(workload, Debs07)
    columns, sets, outcomes = (
        workload.subscriptions(3_000),
        workload.predicate_sets(3_000),
        workload.outcomes(20),
    )
    assert columns.predicate_start.tolist() == sets.start.tolist()
    names = [columns.constants[a][v] for a, v in zip(columns.attribute, columns.value, strict=True)]
    assert names == [f"p{number:04}" for number in sets.predicate]
    assert_share(outcomes.sum(), outcomes.size, float(workload.selectivity.mean()))
    events = workload.events(20)
    for event, true in zip(events, outcomes, strict=True):
        listed = [value for name, values in event.values.items() if name != "event_type" for value in values]
        assert listed == [f"p{number:04}" for number in np.flatnonzero(true)]
    all_true = np.array([np.logical_and.reduceat(row[sets.predicate], sets.start[:-1]) for row in outcomes])
    counted = matches_per_event(columns, events, workload.schema)
    assert counted.tolist() == all_true.sum(axis=1).tolist()


@pytest.mark.parametrize(("name", "length"), [("peers-eq", 3), ("peers-range", 4), ("peers-mixed", 4)])
def test_peers_constrain_popular_attributes_more_often(name: str, length: int) -> None:
    workload = workloads.create(name)
    columns = columns_of(workload)
    assert (np.diff(columns.predicate_start) == length).all()
    assert (np.diff(columns.attribute)[np.diff(np.repeat(columns.ids, length)) == 0] > 0).all()
    order = draw_distinct(np.random.default_rng(5), by_weight(probabilities(20, 0.8)), 200_000, length)
    expected = np.bincount(order.ravel(), minlength=20) / len(order)
    observed = np.bincount(columns.attribute, minlength=20) / COUNT
    error = np.sqrt(expected * (1 - expected) * (1 / COUNT + 1 / len(order)))
    assert (np.abs(observed - expected) <= 5 * error).all()
    size = workload.parameters()["values"]
    assert_distribution(event_values(workload.events(500)).astype(int) - 1, probabilities(size, 0.7))


def test_peers_eq_has_skewed_equalities() -> None:
    columns = columns_of(workloads.create("peers-eq"))
    assert is_operator(columns, "=").all()
    assert_distribution(values_of(columns).astype(int) - 1, probabilities(200, 0.7))


def test_peers_range_has_clipped_intervals() -> None:
    columns = columns_of(workloads.create("peers-range"))
    equal = is_operator(columns, "=")
    assert_share(np.count_nonzero(equal), len(equal), 0.3)
    assert_distribution(values_of(columns)[equal].astype(int) - 1, probabilities(10_000, 0.7))
    predicates = of_attribute(columns, columns.attributes[0], ~equal)
    low, high = constants(columns, predicates), constants(columns, predicates, 1)
    assert (low <= high).all()
    clipped = sum(reach + 1 for reach in range(5_001)) / (5_001 * 10_000)  # c - h <= 1, and likewise above
    assert_share(np.count_nonzero(low == 1), len(low), clipped)
    assert_share(np.count_nonzero(high == 10_000), len(low), clipped)
    inside = (low > 1) & (high < 10_000)
    assert ((high - low)[inside] % 2 == 0).all()


def test_peers_mixed_has_its_shares_of_operators() -> None:
    columns = columns_of(workloads.create("peers-mixed"))
    values = values_of(columns).astype(int) - 1
    for operator, share in (("=", 0.3), ("!=", 0.1), ("<=", 0.3), (">=", 0.3)):
        chosen = is_operator(columns, operator)
        assert_share(np.count_nonzero(chosen), len(chosen), share)
        assert_distribution(values[chosen], probabilities(1_000, 0.7 if operator in "!=" else 0.0))


def test_the_auction_tree_and_schema_are_as_defined() -> None:
    workload = workloads.create("auction")
    assert isinstance(workload, Auction)
    tree = workload.tree
    assert len(tree.parent) == 5_000
    assert np.count_nonzero(tree.parent < 0) == 20
    assert tree.depth.max() == 6
    children = np.flatnonzero(tree.parent >= 0)
    assert (tree.depth[children] == tree.depth[tree.parent[children]] + 1).all()
    assert sorted(tree.leaf) == sorted(set(range(5_000)) - set(tree.parent.tolist()))
    assert tree.depth[tree.leaf].min() >= 2
    assert len(workload.schema.event_types) == 12
    assert {len(each.attributes) for each in workload.schema.event_types.values()} == {8}


def test_auction_subscriptions_have_their_shares() -> None:
    words = 0.5
    workload = workloads.create("auction", words=words, repeats=0.0)
    assert isinstance(workload, Auction)
    columns = columns_of(workload)
    branches = np.diff(columns.conjunction_start)
    assert_share(np.count_nonzero(branches == 2), COUNT, 0.05)
    total = len(columns.predicate_start) - 1
    shares = {
        "category": 0.9,
        "price": 0.8,
        "location": 0.2,
        "condition": 0.15,
        "seller": 0.05,
        "event_type": 0.3,
    }
    nothing = prod(1 - share for share in (*shares.values(), words, 0.05))
    for name, share in shares.items():
        assert_share(len(of_attribute(columns, name)), total, share / (1 - nothing))
    assert_share(np.count_nonzero(columns.negated), total, 0.05 / (1 - nothing))
    for name in ("material", "period", "title"):
        negated = np.count_nonzero(columns.negated[of_attribute(columns, name)])
        assert_share(negated, int(np.count_nonzero(columns.negated)), 1 / 3)
    title = of_attribute(columns, "title")
    title = title[~columns.negated[title]]
    assert_share(len(title), total, words / (1 - nothing))
    lengths = np.diff(columns.value_start)
    assert_uniform(lengths[title] - 1, 2)
    assert_uniform(lengths[of_attribute(columns, "location")] - 1, 3)
    one_word = constants(columns, title[lengths[title] == 1])
    ranks = np.array([int(word[1:]) for word in one_word])
    asked = np.concatenate((np.zeros(99), np.arange(100.0, 50_001) ** -0.8))
    assert_distribution(ranks - 1, asked / asked.sum())
    price = of_attribute(columns, "price")
    assert_share(np.count_nonzero(is_operator(columns, "between")[price]), len(price), 0.1 / 0.8)
    categories = constants(columns, of_attribute(columns, "category"))
    depth = workload.tree.depth[[int(name[1:]) for name in categories]]
    assert depth.min() == 2
    assert_share(np.count_nonzero(depth == 2), len(depth), _share_at_depth_2(workload))


def _share_at_depth_2(workload: Auction) -> float:
    """A leaf at depth d is asked for by one of d - 1 categories on its way."""
    popularity = np.diff(workload.tree.leaf_frequency, prepend=0)
    return float((popularity / (workload.tree.depth[workload.tree.leaf] - 1)).sum())


def test_auction_events_have_their_shares() -> None:
    workload = workloads.create("auction")
    assert isinstance(workload, Auction)
    count = 4_000
    events = [event.values for event in workload.events(count)]
    assert_share(sum(len(event["material"]) > 1 for event in events), count, 0.2)
    assert {len(event["title"]) for event in events} == {8}
    prices = np.array([event["price"][0] for event in events])
    assert_share(np.count_nonzero(prices <= 40), count, 0.5)
    assert_share(np.count_nonzero(np.log(prices / 40) <= 1.5), count, 0.841345)
    rank_of_leaf = {f"c{leaf:04}": rank for rank, leaf in enumerate(workload.tree.leaf)}
    leaves = np.array([rank_of_leaf[str(event["category"][0])] for event in events])
    assert_distribution(leaves, probabilities(len(rank_of_leaf), 1.0))
    for name, size, exponent in (("seller", 100_000, 0.9), ("location", 500, 0.8), ("period", 30, 0.0)):
        numbers = np.array([int(str(event[name][0]).rpartition("-")[2]) - 1 for event in events])
        assert_distribution(numbers, probabilities(size, exponent))
    assert_uniform(np.array([auction_setting.CONDITIONS.index(str(e["condition"][0])) for e in events]), 5)


def test_a_third_of_auction_subscriptions_less_a_little_are_repeats() -> None:
    columns = workloads.create("auction").subscriptions(5_000)
    rows = [tuple(columns.conjunctions_of(row)) for row in range(len(columns))]
    assert_share(len(set(rows)), len(rows), 1 - auction.REPEAT_SHARE)
    assert rows.count(rows[0]) > 20 * np.median([rows.count(row) for row in rows[::50]])


def test_an_auction_event_matches_twenty_of_a_million() -> None:
    """Those with words and the few without are counted apart, each at a size that gives a firm mean."""
    estimate, variance = 0.0, 0.0
    for words, count, share in ((1.0, 100_000, auction.WORDS_SHARE), (0.0, 4_000, 1 - auction.WORDS_SHARE)):
        workload = workloads.create("auction", words=words, repeats=0.0)
        counts = matches_per_event(workload.subscriptions(count), workload.events(100), workload.schema)
        scale = share * 1_000_000 / count
        estimate += scale * counts.mean()
        variance += scale**2 * counts.var() / len(counts)
    assert np.sqrt(variance) <= 2.5
    assert 15 <= estimate <= 25
