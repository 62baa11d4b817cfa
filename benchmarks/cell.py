"""One cell of a benchmark: one algorithm on one workload at one size, in a process of its own.

`python -m benchmarks.cell '{"workload": ..., "algorithm": ..., ...}'` prints the row (see `own_process`). A
fresh process, because memory is the growth of its proportional set size.
"""

import ctypes
import gc
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, perf_counter_ns
from typing import Any

import numpy as np

from benchmarks.baselines import Limit, PyRoaringMatcher
from benchmarks.own_process import Report, answer
from matching import registry, workloads
from matching.algorithms.base import Matcher
from matching.engine import warming
from matching.engine.engine import SAMPLED_EVENTS, Engine
from matching.workloads import Workload
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse

ENGINE, LIMIT, PYROARING = "engine", "limit", "pyroaring"
BASELINES = (LIMIT, PYROARING)
WARM_UP_EVENTS = 100
FIRST_LOOK, SLOW = 50, 0.05  # events; seconds for each
FRESH_SUBSCRIPTIONS = 500
MOST_PASSES = 5
FEWEST_EVENTS = 5  # that are timed, however long they take


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    workload: str
    algorithm: str
    subscriptions: int
    events: int
    seed: int = 0
    seconds: float = 60.0
    parameters: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    matches_per_event: float = 0.0  # of another algorithm; only `limit` needs to be told


def measure(cell: Cell, report: Report) -> dict[str, Any]:
    """The figures of the cell. `report` is told the stage and how far it is, from 0 to 1."""
    report("imports", 0)
    if cell.algorithm == ENGINE:
        warming.warm(on_compiling=lambda: report("compiling", 0))  # kernels are no memory of subscriptions
    memory_before = memory()
    workload = workloads.create(cell.workload, seed=cell.seed, **cell.parameters)
    if cell.algorithm == LIMIT:
        return _measure_limit(cell, workload)
    report("making subscriptions", 0)
    columns = workload.subscriptions(cell.subscriptions)
    matcher = create(cell.algorithm, workload.schema, **cell.options)
    report("loading", 0)
    began = perf_counter()
    matcher.load(columns)
    load_seconds = perf_counter() - began
    del columns
    report("learning", 0)
    merge_seconds = learn(matcher, workload, seconds=cell.seconds)
    bytes_per_subscription = (memory() - memory_before) / max(1, cell.subscriptions)
    report("making events", 0)
    events = workload.events(cell.events)
    matcher.work.reset()
    passes, matches = _timed_passes(matcher.match_ids, events, cell.seconds, report)
    events = events[: len(passes[0])]
    # Before the batch, whose work would count too.
    residual_share = matcher.work.residual_share
    evaluations = matcher.work.predicate_evaluations / sum(map(len, passes))
    report("matching in a batch", 0)
    began = perf_counter()
    matcher.match_ids_many(events)
    batch_seconds = perf_counter() - began
    report("adding and removing", 0)
    add_us, remove_us = _add_and_remove(
        matcher, fresh_subscriptions(workload, FRESH_SUBSCRIPTIONS, first=cell.subscriptions)
    )
    return {
        "algorithm": cell.algorithm,
        **_times(passes),
        "us_per_event_batch": batch_seconds * 1e6 / len(events),
        "matches_per_event": matches,
        "load_seconds": load_seconds,
        **({} if merge_seconds is None else {"merge_seconds": merge_seconds}),
        "add_us": add_us,
        "remove_us": remove_us,
        "bytes_per_subscription": bytes_per_subscription,
        "residual_share": residual_share,
        "evaluations_per_event": evaluations,
    }


def learn(matcher: Matcher, workload: Workload, *, seconds: float) -> float | None:
    """Match events that are not timed; the seconds that the engine then takes to lay itself out by them.

    What lays nothing out only warms up, for so many seconds at most.
    """
    if not isinstance(matcher, Engine):
        began = perf_counter()
        for event in workload.training_events(WARM_UP_EVENTS):
            if perf_counter() - began < seconds:
                matcher.match_ids(event)
        return None
    began = perf_counter()
    for number, event in enumerate(workload.training_events(SAMPLED_EVENTS)):
        matcher.match_ids(event)
        if number == FIRST_LOOK and perf_counter() - began > FIRST_LOOK * SLOW:
            matcher.merge()  # laid out by guess, and that was far off: a thousand would take many minutes
    began = perf_counter()
    matcher.merge()
    seconds = perf_counter() - began
    for event in workload.training_events(WARM_UP_EVENTS):
        matcher.match_ids(event)
    return seconds


def create(algorithm: str, schema: Schema, **options: Any) -> Matcher:
    if algorithm == PYROARING:
        return PyRoaringMatcher(schema, **options)
    return registry.create(algorithm, schema, **options)


def memory() -> int:
    """The proportional set size of this process in bytes, after what is free was given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    found = re.search(r"^Pss:\s+(\d+) kB", Path("/proc/self/smaps_rollup").read_text(), re.MULTILINE)
    assert found
    return int(found[1]) * 1024


def _measure_limit(cell: Cell, workload: Workload) -> dict[str, Any]:
    attributes = len(workload.schema.attributes)
    limit = Limit.of(
        attributes=attributes,
        subscriptions=cell.subscriptions,
        matches=cell.matches_per_event,
        seed=cell.seed,
    )
    for _ in range(WARM_UP_EVENTS):
        limit.match()
    passes, matches = _timed_passes(
        lambda _: limit.match(), range(cell.events), cell.seconds, lambda *_: None
    )
    return {"algorithm": LIMIT, **_times(passes), "matches_per_event": matches}


def _timed_passes(
    match: Callable[[Any], Any], events: Sequence[Any], seconds: float, report: Report
) -> tuple[list[np.ndarray[Any, Any]], float]:
    """Nanoseconds of every event in every pass, and matches an event. Passes go on while time is left.

    If the first pass takes longer than that, it ends with fewer events, so that no cell takes for ever.
    """
    passes: list[np.ndarray[Any, Any]] = []
    matches = 0
    began = perf_counter()
    while len(passes) < MOST_PASSES and (not passes or perf_counter() - began < seconds):
        times = np.empty(len(events))
        matches = 0
        for number, event in enumerate(events):
            if number % 50 == 0:
                report(f"matching, pass {len(passes) + 1}", number / len(events))
            if not passes and number >= FEWEST_EVENTS and perf_counter() - began > seconds:
                times = times[:number]
                break
            start = perf_counter_ns()
            ids = match(event)
            times[number] = perf_counter_ns() - start
            matches += len(ids)
        passes.append(times)
    return passes, matches / len(passes[0])


def _times(passes: list[np.ndarray[Any, Any]]) -> dict[str, float]:
    return {
        "us_per_event": float(np.median([times.mean() for times in passes])) / 1000,
        "p99_us": float(np.quantile(np.concatenate(passes), 0.99)) / 1000,
        "events": len(passes[0]),
        "passes": len(passes),
    }


def fresh_subscriptions(workload: Workload, count: int, *, first: int) -> Iterator[tuple[int, Subscription]]:
    """Subscriptions of the same kind from another seed, under new ids."""
    other = replace(workload, seed=workload.seed + 1)
    columns = other.subscriptions(count)
    for row in range(len(columns)):
        yield first + row, parse(columns.text(row, other.schema), other.schema)


def _add_and_remove(matcher: Matcher, fresh: Iterator[tuple[int, Subscription]]) -> tuple[float, float]:
    """Microseconds to add one subscription to all that are there, and to remove it."""
    subscriptions = list(fresh)
    began = perf_counter()
    for number, subscription in subscriptions:
        matcher.add(number, subscription)
    added = perf_counter()
    for number, _ in subscriptions:
        matcher.remove(number)
    removed = perf_counter()
    each = 1e6 / len(subscriptions)
    return (added - began) * each, (removed - added) * each


if __name__ == "__main__":
    answer(lambda arguments, report: measure(Cell(**arguments), report))
