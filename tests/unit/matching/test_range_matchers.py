"""The structures of the matchers of paper 004; the contract suite shows that their answers are right."""

from collections.abc import Callable

import numpy as np
import pytest

from matching import registry, workloads
from matching.algorithms.base import Matcher
from matching.algorithms.be_tree import BETreeMatcher
from matching.algorithms.be_tree_nodes import CNode
from matching.algorithms.blocks import Blocks, Living
from matching.algorithms.boundaries import SlotOrder
from matching.algorithms.dexin import DexinMatcher
from matching.algorithms.h_tree import HTreeMatcher
from matching.algorithms.tama import TamaMatcher
from matching.workloads import Workload
from schema_registry.core.events import Event

COUNT = 5_000


def dexin(**parameters: float) -> Workload:
    return workloads.create("dexin", seed=11, **parameters)


def loaded(make: Callable[..., Matcher], workload: Workload, count: int = COUNT) -> Matcher:
    matcher = make(workload.schema)
    matcher.load(workload.subscriptions(count))
    return matcher


def traversed(name: str, workload: Workload, events: list[Event]) -> np.ndarray:
    """For each event how many entries or subscriptions a matcher looks at."""
    matcher = loaded(lambda schema: registry.create(name, schema), workload)
    found = []
    for event in events:
        matcher.work.reset()
        matcher.match_ids(event)
        found.append(matcher.work.predicate_evaluations)
    return np.array(found)


def test_dexin_looks_at_fewer_than_the_three_that_count_or_exclude_and_more_evenly() -> None:
    workload = dexin()
    events = workload.events(60)
    own = traversed("dexin", workload, events)
    for other in ("rein", "tama", "opindex"):
        theirs = traversed(other, workload, events)
        assert own.mean() < theirs.mean() / 2, other
        assert own.std() < theirs.std(), other


@pytest.mark.parametrize("slots", ["sorted", "linked"])
def test_the_matching_rate_of_an_attribute_is_known_to_the_precision_of_its_slots(slots: SlotOrder) -> None:
    workload = dexin(attributes=3)
    matcher = loaded(lambda schema: DexinMatcher(schema, slots=slots), workload)
    assert isinstance(matcher, DexinMatcher)
    columns = workload.subscriptions(COUNT)
    attribute = np.repeat(columns.attribute, np.diff(columns.value_start))
    pairs = zip(attribute.tolist(), columns.value.tolist(), strict=True)
    ends = np.array([columns.constants[each][code] for each, code in pairs])
    first, last = columns.value_start[:-1], columns.value_start[1:] - 1
    low, high = ends[first].reshape(-1, 3), ends[last].reshape(-1, 3)
    for event in workload.events(20):
        values = np.array(
            [values[0] for name, values in sorted(event.values.items()) if name != "event_type"]
        )
        true_rates = ((low <= values) & (values <= high)).mean(axis=0)
        (rates,) = matcher.rates_of(event)
        # Two slots of 1,500 are counted whole, though not all in them may be excluded.
        assert (rates <= true_rates + 1e-12).all()
        assert (true_rates - rates <= 20 / COUNT).all()


def test_tama_reports_few_that_do_not_match_and_knows_how_many() -> None:
    workload = dexin()
    tama = loaded(TamaMatcher, workload)
    right = loaded(lambda schema: registry.create("naive", schema), workload)
    coarse = loaded(lambda schema: TamaMatcher(schema, levels=3), workload)
    assert isinstance(tama, TamaMatcher)
    assert isinstance(coarse, TamaMatcher)
    too_many, far_too_many = 0, 0
    events = workload.events(50)
    for event in events:
        expected = right.match(event)
        for matcher in (tama, coarse):
            answer = matcher.match(event)
            assert answer >= expected
            assert matcher.false_positives(event) == len(answer - expected)
        too_many += tama.false_positives(event)
        far_too_many += coarse.false_positives(event)
    assert far_too_many > too_many > 0
    assert too_many <= 0.01 * COUNT * len(events)


def test_h_tree_stores_a_subscription_no_more_often_than_its_budget_allows() -> None:
    for width, replication in ((0.6, 4.0), (0.6, 16.0), (0.05, 4.0)):
        workload = dexin(min_width=0.01, max_width=width)
        matcher = loaded(lambda schema, most=replication: HTreeMatcher(schema, replication=most), workload)
        assert isinstance(matcher, HTreeMatcher)
        assert 1 <= matcher.stored() <= replication


def test_h_tree_checks_few_where_intervals_are_narrow() -> None:
    workload = dexin(min_width=0.01, max_width=0.05)
    assert traversed("h-tree", workload, workload.events(30)).mean() < COUNT / 20


def test_be_tree_splits_what_overflows_and_merges_what_is_left() -> None:
    workload = dexin()
    matcher = loaded(lambda schema: BETreeMatcher(schema, capacity=20), workload, 600)
    assert isinstance(matcher, BETreeMatcher)
    assert matcher.root.directory
    assert all(len(node.leaf) <= node.limit for node in nodes(matcher.root))
    assert max(len(node.used) for node in nodes(matcher.root)) > 1
    for number in range(591):
        matcher.remove(number)
    matcher.check_invariants()
    assert not matcher.root.directory
    assert len(matcher.root.leaf) == 9


def nodes(node: CNode) -> list[CNode]:
    found, buckets = [node], [p_node.root for p_node in node.directory]
    while buckets:
        bucket = buckets.pop()
        found += nodes(bucket.node)
        buckets += bucket.halves or ()
    return found


def test_opindex_looks_only_at_partitions_of_attributes_that_the_event_has() -> None:
    workload = workloads.create("lesubscribe", seed=2)
    events = workload.events(40)
    assert (
        traversed("opindex", workload, events).mean() < traversed("fair-predicate", workload, events).mean()
    )


def test_blocks_are_few_and_a_block_is_packed_anew_when_most_of_it_is_gone() -> None:
    packed: list[int] = []

    def pack(first: int, living: Living) -> int:
        packed.append(int(np.count_nonzero(living)))
        return len(packed)

    blocks: Blocks[int] = Blocks(pack, fresh=10)
    for _ in range(5_005):
        blocks.extend(1, at_once=False)
        blocks.check_invariants()
    assert len(list(blocks)) <= np.log2(5_000)
    assert sum(packed) <= 5_000 * np.log2(5_000)
    assert blocks.fresh == slice(5_000, 5_005)
    largest = next(iter(blocks))
    size, packings = largest.size, len(packed)
    for slot in range(size // 2 + 1):
        blocks.remove(slot)
    blocks.check_invariants()
    assert len(packed) == packings + 1
    assert packed[-1] == size - size // 2 - 1
