"""What batches and threads gain: the time of an event in batches of several sizes, and the rate of threads.

One thread and several take turns, and the median of the turns counts: what else the machine does then
weighs on both.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.own_process import Report, answer
from benchmarks.ready import ready_engine
from matching import workloads
from matching.engine.engine import Engine
from schema_registry.core.events import Event

SIZES = (1, 10, 100, 1_000)
THREADS = (1, 2)
BATCH_OF_A_THREAD = 100
TURNS = 5
TURNS_OF_THREADS = 25  # a neighbour on one of the cores halves the rate of two threads for a moment
SECONDS_OF_A_TURN = 0.3  # starting threads takes some of the few milliseconds that the events need once


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    workload: str
    subscriptions: int
    events: int
    seed: int = 0


def measure(asked: Batches, report: Report) -> dict[str, Any]:
    workload = workloads.create(asked.workload, seed=asked.seed)
    engine = ready_engine(workload, asked.subscriptions, report)
    events = workload.events(asked.events)
    report("matching in batches", 0)
    us_per_event = {str(size): us_in_batches_of(size, engine, events) for size in SIZES}
    report("matching in threads", 0)
    events_per_second = rates_of_threads(THREADS, engine, events)
    return {
        "us_per_event": us_per_event,
        "events_per_second": {str(threads): rate for threads, rate in events_per_second.items()},
        "batch_of_a_thread": BATCH_OF_A_THREAD,
    }


def us_in_batches_of(size: int, engine: Engine, events: Sequence[Event]) -> float:
    """Microseconds per event; in batches of one, what a caller with one event asks for."""
    if size == 1:
        turns = [_seconds_one_by_one(engine, events) for _ in range(TURNS)]
    else:
        turns = [_seconds_in_batches(engine, _cut(events, size)) for _ in range(TURNS)]
    return median(turns) * 1e6 / len(events)


def rates_of_threads(numbers: Sequence[int], engine: Engine, events: Sequence[Event]) -> dict[int, float]:
    """Events per second for so many threads, each matching all of them several times, in batches."""
    batches = _cut(events, BATCH_OF_A_THREAD)
    batches *= ceil(SECONDS_OF_A_TURN / _seconds_in_batches(engine, batches))
    seconds: dict[int, list[float]] = {threads: [] for threads in numbers}
    for _ in range(TURNS_OF_THREADS):
        for threads in numbers:
            with ThreadPoolExecutor(threads) as pool:
                began = perf_counter()
                list(pool.map(lambda _: _seconds_in_batches(engine, batches), range(threads)))
                seconds[threads].append(perf_counter() - began)
    matched = sum(map(len, batches))
    return {threads: threads * matched / median(each) for threads, each in seconds.items()}


def _seconds_one_by_one(engine: Engine, events: Sequence[Event]) -> float:
    began = perf_counter()
    for event in events:
        engine.match_ids(event)
    return perf_counter() - began


def _seconds_in_batches(engine: Engine, batches: Sequence[Sequence[Event]]) -> float:
    began = perf_counter()
    for batch in batches:
        engine.match_ids_many(batch)
    return perf_counter() - began


def _cut(events: Sequence[Event], size: int) -> list[Sequence[Event]]:
    return [events[first : first + size] for first in range(0, len(events), size)]


if __name__ == "__main__":
    answer(lambda arguments, report: measure(Batches(**arguments), report))
