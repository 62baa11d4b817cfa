"""What is measured: groups of figures, each of which is measured in one go and saved as one file.

A new matcher or workload joins by itself. What is slow is asked less: `naive` only at small sizes, the sizes
beyond a million only of the engine and `limit`, and a cell that takes too long is ended.
"""

from dataclasses import dataclass
from typing import Any

from benchmarks.cell import BASELINES, ENGINE, LIMIT
from matching import registry, workloads

SIZES = {"10k": 10_000, "100k": 100_000, "1M": 1_000_000, "3M": 3_000_000, "5M": 5_000_000}
ALL_MATCHERS = ("1M", "10k", "100k")
ENGINE_ALONE = ("3M", "5M")
TOO_SLOW_AT_1M = ("naive", "dbms-sequential", "dbms-grouping")  # 30 to 120 ms an event, and seconds

SECONDS = 3.0  # of timing a cell, before it stops repeating
MOST_SECONDS = 90.0  # of a matcher's process, before it is ended
MOST_SECONDS_OF_ENGINE = 900.0  # it may take its time: it loads millions
EVENTS = 1_000
EVENTS_OF = {"debs07": 200}  # each has some 7,000 values
QUICKER = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """`module` is asked with the arguments, or, if it is `benchmarks.cell`, once for each of the algorithms.

    `estimate` is about how many seconds it takes on two cores.
    """

    name: str
    module: str
    arguments: dict[str, Any]
    algorithms: tuple[str, ...] = ()
    estimate: float = 0.0


def groups(*, quick: bool = False) -> list[Group]:
    """All of them, what matters most first; `quick` ones have a hundredth of the subscriptions."""
    divided_by = QUICKER if quick else 1
    return [
        *(_table(workload, size, divided_by) for size in ALL_MATCHERS for workload in workloads.names()),
        *(_batches(workload, divided_by) for workload in ("auction", "lesubscribe", "peers-range")),
        *(_start(workload, divided_by) for workload in ("auction", "lesubscribe")),
        *(_changes(workload, divided_by) for workload in ("auction", "lesubscribe")),
        *(_table(workload, size, divided_by) for size in ENGINE_ALONE for workload in workloads.names()),
    ]


def algorithms_at(size: str) -> tuple[str, ...]:
    if size in ENGINE_ALONE:
        return ENGINE, LIMIT
    left_out = TOO_SLOW_AT_1M if size == "1M" else ()
    return tuple(name for name in (*registry.algorithms(), *BASELINES) if name not in left_out)


def most_seconds(algorithm: str) -> float:
    return MOST_SECONDS_OF_ENGINE if algorithm == ENGINE else MOST_SECONDS


def _table(workload: str, size: str, divided_by: int) -> Group:
    algorithms, subscriptions = algorithms_at(size), SIZES[size] // divided_by
    others = len(algorithms) - 1
    return Group(
        name=f"{workload}-{size}",
        module="benchmarks.cell",
        arguments={
            "workload": workload,
            "subscriptions": subscriptions,
            "events": EVENTS_OF.get(workload, EVENTS) // (10 if divided_by > 1 else 1),
            "seconds": SECONDS / divided_by,
        },
        algorithms=algorithms,
        estimate=_engine_seconds(subscriptions) + others * (5 + 8e-6 * min(subscriptions, SIZES["1M"])),
    )


def _batches(workload: str, divided_by: int) -> Group:
    return _alone("batches", workload, "1M", divided_by, extra=15, events=2 * EVENTS)


def _start(workload: str, divided_by: int) -> Group:
    return _alone("start", workload, "1M", divided_by, extra=50)


def _changes(workload: str, divided_by: int) -> Group:
    fresh = 10_000 // divided_by
    return _alone("changes", workload, "3M", divided_by, extra=50, events=EVENTS, fresh=fresh)


def _alone(kind: str, workload: str, size: str, divided_by: int, *, extra: float, **arguments: Any) -> Group:
    """A group of one process, which takes so many seconds beside loading an engine."""
    subscriptions = SIZES[size] // divided_by
    return Group(
        name=f"{kind}-{workload}",
        module=f"benchmarks.{kind}",
        arguments={"workload": workload, "subscriptions": subscriptions, **arguments},
        estimate=_engine_seconds(subscriptions) + extra,
    )


def _engine_seconds(subscriptions: int) -> float:
    return 8 + 18e-6 * subscriptions
