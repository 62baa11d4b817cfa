"""What changes cost a loaded engine, and what they cost those who match meanwhile.

In one process: the time of a match before anything changes; adding many subscriptions one by one; the time
of a match with them; removing, of these and of those that were there; the time of a match beside a whole
merge.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.cell import fresh_subscriptions
from benchmarks.own_process import Report, answer
from benchmarks.ready import ready_engine
from matching import workloads
from matching.engine.engine import Engine
from schema_registry.core.events import Event

PASSES = 5
Nanoseconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    workload: str
    subscriptions: int
    events: int
    fresh: int
    seed: int = 0


def measure(asked: Changes, report: Report) -> dict[str, Any]:
    workload = workloads.create(asked.workload, seed=asked.seed)
    engine = ready_engine(workload, asked.subscriptions, report)
    events = workload.events(asked.events)
    report("parsing what will come", 0)
    fresh = list(fresh_subscriptions(workload, asked.fresh, first=asked.subscriptions))
    report("matching", 0)
    before = matching_times(engine, events)
    report("adding", 0)
    adding = times_of(lambda each: engine.add(*each), fresh)
    wait_for_merging()
    report("matching with what came", 0)
    after = matching_times(engine, events)
    report("removing", 0)
    removing = times_of(engine.remove, (number for number, _ in fresh[: asked.fresh // 2]))
    old = np.random.default_rng(asked.seed).choice(asked.subscriptions, asked.fresh // 2, replace=False)
    removing_old = times_of(engine.remove, old.tolist())
    report("matching beside a merge", 0)
    wait_for_merging()
    quiet = matching_times(engine, events)
    beside = matching_times_beside(engine.merge, engine, events)
    return {
        "add_us": _mean_us(adding),
        "add_p99_us": _p99_us(adding),
        "remove_us": _mean_us(removing),
        "remove_old_us": _mean_us(removing_old),
        "us_per_event": _mean_us(before),
        "us_per_event_with_fresh": _mean_us(after),
        "fresh_ratio": _mean_us(after) / _mean_us(before),
        "p99_us": _p99_us(quiet),
        "p99_us_beside_merge": _p99_us(beside),
        "merge_ratio": _p99_us(beside) / _p99_us(quiet),
        "matches_beside_merge": len(beside),
    }


def matching_times(engine: Engine, events: Sequence[Event]) -> Nanoseconds:
    """Of every event in every pass, one pass in a row."""
    return np.array([times_of(engine.match_ids, events) for _ in range(PASSES)])


def matching_times_beside(work: Callable[[], object], engine: Engine, events: Sequence[Event]) -> Nanoseconds:
    """Of events that are matched, again and again, while a thread does this work."""
    thread = threading.Thread(target=work)
    times: list[float] = []
    thread.start()
    while thread.is_alive():
        event = events[len(times) % len(events)]
        start = perf_counter_ns()
        engine.match_ids(event)
        times.append(perf_counter_ns() - start)
    thread.join()
    return np.array(times)


def times_of(do: Callable[[Any], object], each: Iterable[Any]) -> Nanoseconds:
    times: list[float] = []
    for thing in each:
        start = perf_counter_ns()
        do(thing)
        times.append(perf_counter_ns() - start)
    return np.array(times)


def wait_for_merging() -> None:
    """Until the engine's own threads are done."""
    for thread in threading.enumerate():
        if thread.name == "merging":
            thread.join()


def _mean_us(times: Nanoseconds) -> float:
    """Of several passes that of the one in the middle, as cells have it."""
    return float(np.median(np.atleast_2d(times).mean(axis=1))) / 1000


def _p99_us(times: Nanoseconds) -> float:
    return float(np.quantile(times, 0.99)) / 1000


if __name__ == "__main__":
    answer(lambda arguments, report: measure(Changes(**arguments), report))
