"""Evaluations per event of the strategies for expensive predicates. Paper 001, section 5.2.

Counts are exact, and the same on every machine. The mean over events varies little, so events are taken until
its 95% interval is within 5% for every strategy; with `paper`, all thousand. Selectivities are known to the
strategies, as in the paper.

A cell has `subscriptions`, `predicates`, `zipf` (None: uniform), `max_length`, and may have `events`, how
events come to match 0.2% of the subscriptions, about which the paper says nothing:

- `spread`: predicate t is true with probability u_t ** g, u_t uniform in (0, 1): workload `debs07`
- `equal`: every predicate is true with the same probability
- `chosen`: 0.2% of the subscriptions are drawn, their predicates are true and no others

It may have `places` too: then one predicate of each subscription is one of so many.
"""

from collections.abc import Callable, Iterator
from math import sqrt
from statistics import fmean, stdev
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.own_process import Report
from benchmarks.reproduce.hitting import floor
from matching.operators.estimates import Estimates
from matching.operators.naive import Naive
from matching.operators.pairwise import PairwiseSubOrder
from matching.operators.sequential import Sequential
from matching.operators.strategy import Strategy
from matching.operators.suborder import SubOrder
from matching.operators.yardstick import GreedyYardstick
from matching.workloads.debs07 import Debs07, PredicateSets

EVENTS_OF_PAPER = 1_000
FEWEST_EVENTS = 10
PRECISION = 0.05
CERTAIN = 1e9  # observations that a known selectivity counts for
STRATEGIES: dict[str, Callable[[Estimates], Strategy]] = {
    "naive": Naive,
    "sequential": Sequential,
    "pairwise": PairwiseSubOrder,
    "suborder": SubOrder,
}

Outcomes = NDArray[np.bool_]


def measure(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    """Means per event, the half width of the widest 95% interval, and the processor time of the order."""
    report("subscriptions", 0.0)
    events_model = cell.get("events", "spread")
    workload = Debs07(predicates=cell["predicates"], zipf=cell["zipf"], max_length=cell["max_length"])
    sets = in_any_order(workload.predicate_sets(cell["subscriptions"]))
    if "places" in cell:
        sets = with_places(sets, cell["places"])
    selectivity, outcomes = EVENTS[events_model](workload, sets)
    yardstick = GreedyYardstick(as_mapping(sets))
    estimates = known(selectivity)
    built: dict[str, float] = {}
    strategies: dict[str, Strategy] = {}
    for name, kind in STRATEGIES.items():
        report(f"loading {name}", 0.0)
        strategies[name] = kind(estimates)
        began = process_time()
        strategies[name].load(np.arange(len(sets)), sets.start, sets.predicate.astype(np.int64))
        built[name] = process_time() - began
    counts: dict[str, list[int]] = {name: [] for name in (*STRATEGIES, "yardstick")}
    matches = 0
    for number, row in enumerate(outcomes):
        report("events", number / EVENTS_OF_PAPER)
        truth = row.tolist()
        found = set()
        for name, strategy in strategies.items():
            before = strategy.evaluations
            found.add(frozenset(strategy.match(truth.__getitem__)))
            counts[name].append(strategy.evaluations - before)
        counts["yardstick"].append(yardstick.evaluations(truth.__getitem__))
        assert len(found) == 1, "the strategies differ"
        matches += len(found.pop())
        if number + 1 == EVENTS_OF_PAPER or (not paper and is_precise(counts)):
            break
    taken = len(counts["naive"])
    return {
        **{name: fmean(numbers) for name, numbers in counts.items()},
        "events_taken": taken,
        "half_width": max(half_width(numbers) for numbers in counts.values()),
        "matching_rate": matches / taken / len(sets),
        "floor": floor(sets),
        "used_predicates": len(np.unique(sets.predicate)),
        "order_seconds": round(built["suborder"], 2),
    }


def in_any_order(sets: PredicateSets) -> PredicateSets:
    """The predicates of a subscription in any order, not ascending: popular ones have low numbers."""
    shuffled = np.random.default_rng(0).random(len(sets.predicate))
    row = np.repeat(np.arange(len(sets)), np.diff(sets.start))
    return PredicateSets(sets.start, sets.predicate[np.lexsort((shuffled, row))], sets.selectivity)


def with_places(sets: PredicateSets, places: int) -> PredicateSets:
    """The first predicate of each subscription becomes one of the first so many, unless it has that one."""
    drawn = np.random.default_rng(0).integers(0, places, len(sets))
    has_it = np.logical_or.reduceat(sets.predicate == np.repeat(drawn, np.diff(sets.start)), sets.start[:-1])
    predicate = sets.predicate.copy()
    predicate[sets.start[:-1][~has_it]] = drawn[~has_it]
    return in_any_order(PredicateSets(sets.start, predicate, sets.selectivity))


def known(selectivity: NDArray[np.float64]) -> Estimates:
    estimates = Estimates(prior=CERTAIN)
    estimates.expect_all(selectivity.tolist())
    return estimates


def as_mapping(sets: PredicateSets) -> dict[int, list[int]]:
    flat, bounds = sets.predicate.tolist(), sets.start.tolist()
    return {number: flat[bounds[number] : bounds[number + 1]] for number in range(len(sets))}


def is_precise(counts: dict[str, list[int]]) -> bool:
    enough = len(counts["naive"]) >= FEWEST_EVENTS
    return enough and all(half_width(numbers) <= PRECISION for numbers in counts.values())


def half_width(numbers: list[int]) -> float:
    """Of the mean's 95% interval, relative to the mean."""
    mean = fmean(numbers)
    return 1.96 * stdev(numbers) / sqrt(len(numbers)) / mean if len(numbers) > 1 and mean else 0.0


def _spread(workload: Debs07, sets: PredicateSets) -> tuple[NDArray[np.float64], Iterator[Outcomes]]:
    return workload.selectivity, _one_by_one(workload)


def _one_by_one(workload: Debs07) -> Iterator[Outcomes]:
    """The rows of `outcomes`, of which few are wanted in most cells: so many more at a time as there were."""
    taken, count = 0, FEWEST_EVENTS
    while taken < EVENTS_OF_PAPER:
        yield from workload.outcomes(count)[taken:]
        taken, count = count, min(2 * count, EVENTS_OF_PAPER)


def _equal(workload: Debs07, sets: PredicateSets) -> tuple[NDArray[np.float64], Iterator[Outcomes]]:
    lengths = np.arange(workload.min_length, workload.max_length + 1)
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if (middle**lengths).mean() > workload.matching_rate else (middle, high)
    random = np.random.default_rng(0)
    rows = (random.random(workload.predicates) < low for _ in range(EVENTS_OF_PAPER))
    return np.full(workload.predicates, low), rows


def _chosen(workload: Debs07, sets: PredicateSets) -> tuple[NDArray[np.float64], Iterator[Outcomes]]:
    random = np.random.default_rng(0)
    wanted = max(1, round(workload.matching_rate * len(sets)))
    popularity = np.bincount(sets.predicate, minlength=workload.predicates)

    def row() -> Outcomes:
        true = np.zeros(workload.predicates, np.bool_)
        for number in random.choice(len(sets), wanted, replace=False).tolist():
            true[sets.predicate[sets.start[number] : sets.start[number + 1]]] = True
        return true

    selectivity = np.asarray(1 - (1 - workload.matching_rate) ** popularity, np.float64)
    return selectivity, (row() for _ in range(EVENTS_OF_PAPER))


EVENTS: dict[str, Callable[[Debs07, PredicateSets], tuple[NDArray[np.float64], Iterator[Outcomes]]]] = {
    "spread": _spread,
    "equal": _equal,
    "chosen": _chosen,
}
