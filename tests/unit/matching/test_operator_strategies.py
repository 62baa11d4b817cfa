"""Strategies of expensive predicates: they find what holds, evaluate nothing twice, and keep their bounds."""

from collections.abc import Callable, Iterable
from random import Random

import numpy as np
import pytest

from matching.operators.estimates import Estimates
from matching.operators.naive import Naive
from matching.operators.pairwise import PairwiseSubOrder
from matching.operators.sequential import Sequential
from matching.operators.strategy import Strategy
from matching.operators.suborder import SubOrder
from matching.operators.yardstick import GreedyYardstick, least_evaluations
from matching.workloads.debs07 import Debs07

SEEDS = range(15)
Conjunctions = dict[int, tuple[int, ...]]
each_strategy = pytest.mark.parametrize("strategy", [Naive, Sequential, SubOrder, PairwiseSubOrder])


class Event:
    """Outcomes of predicates by chance; the predicates asked for are counted."""

    def __init__(self, random: Random, predicates: int) -> None:
        self.outcomes = [None if random.random() < 0.1 else random.random() < 0.4 for _ in range(predicates)]
        self.asked: list[int] = []

    def evaluate(self, predicate: int) -> bool | None:
        assert predicate not in self.asked, "evaluated twice"
        self.asked.append(predicate)
        return self.outcomes[predicate]

    def holds(self, literal: int) -> bool:
        return self.outcomes[literal] is True if literal >= 0 else self.outcomes[~literal] is False


def some_conjunctions(
    random: Random, *, count: int = 40, predicates: int = 15, negated: float = 0.3
) -> Conjunctions:
    def literal() -> int:
        predicate = int(random.paretovariate(0.7)) % predicates
        return ~predicate if random.random() < negated else predicate

    return {
        random.randrange(10**9): tuple({literal() for _ in range(random.randint(1, 5))}) for _ in range(count)
    }


def loaded(kind: type[Strategy], conjunctions: Conjunctions) -> Strategy:
    strategy = kind()
    strategy.load(*as_arrays(conjunctions))
    return strategy


def as_arrays(conjunctions: Conjunctions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, conjunctions.values())])
    flat = [literal for literals in conjunctions.values() for literal in literals]
    return np.array(list(conjunctions), np.int64), starts, np.array(flat, np.int64)


def truly(conjunctions: Conjunctions, event: Event, among: Iterable[int] | None = None) -> set[int]:
    chosen = conjunctions if among is None else among
    return {number for number in chosen if all(event.holds(each) for each in conjunctions[number])}


@each_strategy
@pytest.mark.parametrize("seed", SEEDS)
def test_it_finds_what_holds_and_evaluates_nothing_twice(strategy: type[Strategy], seed: int) -> None:
    random = Random(seed)
    conjunctions = some_conjunctions(random)
    matcher = loaded(strategy, conjunctions)
    for _ in range(5):
        event = Event(random, 15)
        counted = matcher.evaluations
        found = matcher.match(event.evaluate)
        assert len(found) == len(set(found))
        assert set(found) == truly(conjunctions, event)
        assert matcher.evaluations - counted == len(event.asked)


@each_strategy
@pytest.mark.parametrize("seed", SEEDS)
def test_only_candidates_are_looked_at(strategy: type[Strategy], seed: int) -> None:
    random = Random(seed)
    conjunctions = some_conjunctions(random)
    matcher = loaded(strategy, conjunctions)
    candidates = random.sample(list(conjunctions), 10)
    event = Event(random, 15)
    assert set(matcher.match(event.evaluate, candidates)) == truly(conjunctions, event, candidates)
    theirs = {max(each, ~each) for number in candidates for each in conjunctions[number]}
    assert set(event.asked) <= theirs


@each_strategy
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_added_and_removed_one_by_one_is_as_if_loaded(strategy: type[Strategy], seed: int) -> None:
    random = Random(seed)
    conjunctions = some_conjunctions(random)
    matcher = loaded(strategy, conjunctions)
    for number, literals in some_conjunctions(random).items():
        if random.random() < 0.5:
            number = random.choice(list(conjunctions))
        matcher.add(number, literals)
        conjunctions[number] = literals
        if random.random() < 0.4:
            gone = random.choice(list(conjunctions))
            matcher.remove(gone)
            del conjunctions[gone]
        if random.random() < 0.1:
            matcher.reorder()
        event = Event(random, 15)
        assert set(matcher.match(event.evaluate)) == truly(conjunctions, event)
    matcher.check_invariants()
    assert len(matcher) == len(conjunctions)
    with pytest.raises(KeyError):
        matcher.remove(-1)


@each_strategy
def test_joins_are_decided_for_what_holds_only(strategy: type[Strategy]) -> None:
    matcher = loaded(strategy, {1: (0,), 2: (0, 1), 3: (1,), 4: ()})
    asked: list[int] = []

    def satisfies(number: int) -> bool:
        asked.append(number)
        return number == 1

    assert matcher.match([True, False].__getitem__, satisfies=satisfies) == [1]
    assert sorted(asked) == [1, 4]


@each_strategy
def test_an_evaluation_that_raises_leaves_the_strategy_as_it_was(strategy: type[Strategy]) -> None:
    matcher = loaded(strategy, {1: (0,)})

    def raising(predicate: int) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        matcher.match(raising)
    assert matcher.match(lambda predicate: True) == [1]


@pytest.mark.parametrize("seed", SEEDS)
def test_sequential_is_within_d_times_the_optimum(seed: int) -> None:
    random = Random(seed)
    conjunctions = some_conjunctions(random, count=25, predicates=14)
    longest = max(map(len, conjunctions.values()))
    matcher = loaded(Sequential, conjunctions)
    for _ in range(10):
        event = Event(random, 14)
        matcher.match(event.evaluate)
        least = least_evaluations(conjunctions, event.holds)
        assert least <= len(event.asked) <= longest * least


@pytest.mark.parametrize("seed", SEEDS)
def test_the_exact_optimum_is_a_least_certificate(seed: int) -> None:
    random = Random(seed)
    conjunctions = some_conjunctions(random, count=12, predicates=8)
    event = Event(random, 8)
    least = least_evaluations(conjunctions, event.holds)
    assert least == min(
        mask.bit_count() for mask in range(1 << 8) if is_certificate(mask, conjunctions, event.holds)
    )
    assert least <= GreedyYardstick(conjunctions).evaluations(event.holds)


def is_certificate(mask: int, conjunctions: Conjunctions, holds: Callable[[int], bool]) -> bool:
    """Whether the predicates of this mask decide every conjunction."""

    def is_known(literal: int) -> bool:
        return bool(mask >> max(literal, ~literal) & 1)

    return all(
        all(map(is_known, literals))
        if all(map(holds, literals))
        else any(is_known(literal) and not holds(literal) for literal in literals)
        for literals in conjunctions.values()
    )


@pytest.fixture(scope="module")
def workload() -> Debs07:
    return Debs07(predicates=1_500, zipf=0.8, seed=5)


def as_published(workload: Debs07, count: int) -> Conjunctions:
    """Subscriptions of the paper's kind, with their predicates in random order."""
    sets = workload.predicate_sets(count)
    random = Random(0)
    parts = [sets.predicate[sets.start[k] : sets.start[k + 1]].tolist() for k in range(count)]
    return {number: tuple(random.sample(part, len(part))) for number, part in enumerate(parts)}


def known(workload: Debs07) -> Estimates:
    estimates = Estimates(prior=1e9)
    estimates.expect_all(workload.selectivity.tolist())
    return estimates


def mean(strategy: Strategy, events: list[list[bool]], *, is_learning: bool = False) -> float:
    """Evaluations per event."""
    before = strategy.evaluations
    for truth in events:
        strategy.match(truth.__getitem__)
        if is_learning and strategy.is_reordering_due:
            strategy.reorder()
    return (strategy.evaluations - before) / len(events)


def test_the_better_strategies_evaluate_less_and_come_near_the_yardstick(workload: Debs07) -> None:
    conjunctions = as_published(workload, 2_000)
    events = workload.outcomes(20).tolist()
    counts = []
    for kind in (Naive, Sequential, SubOrder):
        strategy = kind(known(workload))
        strategy.load(*as_arrays(conjunctions))
        counts.append(mean(strategy, events))
    assert counts == sorted(counts, reverse=True)
    yardstick = GreedyYardstick(conjunctions)
    truly = sum(yardstick.evaluations(truth.__getitem__) for truth in events) / len(events)
    assert truly <= counts[-1] <= 1.4 * truly


def test_selectivities_are_learnt_until_nothing_is_missed(workload: Debs07) -> None:
    conjunctions = as_published(workload, 2_000)
    events = workload.outcomes(150).tolist()
    knowing, learning = SubOrder(known(workload)), SubOrder()
    for strategy in (knowing, learning):
        strategy.load(*as_arrays(conjunctions))
    at_first = mean(learning, events[:10], is_learning=True)
    mean(learning, events[10:120], is_learning=True)
    best = mean(knowing, events[120:])
    assert mean(learning, events[120:]) <= 1.03 * best < at_first


def test_what_was_added_one_by_one_is_ordered_nearly_as_well(workload: Debs07) -> None:
    conjunctions = as_published(workload, 2_000)
    events = workload.outcomes(20).tolist()
    strategy = SubOrder(known(workload))
    for number, literals in conjunctions.items():
        strategy.add(number, literals)
    added, was_due = mean(strategy, events), strategy.is_reordering_due
    strategy.reorder()
    assert (was_due, strategy.is_reordering_due) == (True, False)
    assert mean(strategy, events) <= added <= 1.2 * mean(strategy, events)


@pytest.mark.parametrize("kind", [SubOrder, PairwiseSubOrder])
def test_who_knows_that_costs_differ_spends_less(workload: Debs07, kind: type[Strategy]) -> None:
    conjunctions = as_published(workload, 2_000)
    random = Random(0)
    costs = [random.choice((1.0, 20.0)) for _ in range(1_500)]
    events = workload.outcomes(20).tolist()
    spent = []
    for is_told in (False, True):
        strategy = kind(known(workload))
        if is_told:
            for predicate, cost in enumerate(costs):
                strategy.estimates.expect(predicate, cost=cost)
        strategy.load(*as_arrays(conjunctions))
        spent.append(sum(costs[predicate] for truth in events for predicate in asked(strategy, truth)))
    assert spent[1] < 0.8 * spent[0]


def asked(strategy: Strategy, truth: list[bool]) -> list[int]:
    """The predicates that are evaluated for this event."""
    predicates: list[int] = []

    def evaluate(predicate: int) -> bool:
        predicates.append(predicate)
        return truth[predicate]

    strategy.match(evaluate)
    return predicates
