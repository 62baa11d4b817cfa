"""Time of both stages, time to load and to change, and memory: the matchers of paper 003 on its workloads.

Time is that of the processor in this process, so what else the machine does is not in it. Events are taken
until the mean's 95% interval is within 5%; with `paper`, all thousand. A cell for matching predicates has
`workload` (W0 to W3), `scheme` (table or list) and `different`, how many different predicates there are; one
for matching subscriptions, on W4, has `variant` (see `VARIANTS`) and `subscriptions`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sized
from math import exp
from statistics import fmean
from time import process_time
from typing import Any

from benchmarks.cell import fresh_subscriptions
from benchmarks.own_process import Report
from benchmarks.reproduce.precision import PRECISION, half_width
from matching import registry
from matching.algorithms.base import Matcher
from matching.algorithms.dbms import DbmsMatcher
from matching.algorithms.topss import TopssList, TopssMatcher
from matching.workloads.topss import OPERATORS, Topss
from matching.workloads.topss import VARIANTS as WORKLOADS
from schema_registry.core.events import Event

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "list": ("topss-list", {}),
    "bit": ("topss-bit", {}),
    "byte": ("topss-byte", {}),
    "list, predicates in lists": ("topss-list", {"predicates": "list"}),
    "DuckDB, grouping": ("dbms-grouping", {"database": "duckdb"}),
    "DuckDB, sequential": ("dbms-sequential", {"database": "duckdb"}),
    "SQLite, grouping": ("dbms-grouping", {"database": "sqlite"}),
    "SQLite, sequential": ("dbms-sequential", {"database": "sqlite"}),
}
WARM_UP_EVENTS = 10
FEWEST_EVENTS = 30
EVENTS_OF_PAPER = 1_000
CHANGED = 50
MOST_TO_CHANGE = 1_000_000  # a matrix that grows is copied, which says nothing about adding one
US, MS, MB = 1e6, 1e3, 1e6


def measure_predicates(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    """Stage one alone: milliseconds per event, and the memory of what it looks into."""
    workload = Topss(variant=cell["workload"])
    subscriptions = subscriptions_for(cell["workload"], cell["different"])
    matcher = TopssList(workload.schema, predicates=cell["scheme"])
    report("loading", 0.0)
    matcher.load(workload.subscriptions(subscriptions))
    for event in workload.training_events(WARM_UP_EVENTS):
        matcher.satisfied(event)
    times, satisfied = _times(matcher.satisfied, workload.events(EVENTS_OF_PAPER), paper, report)
    return {
        "predicates": matcher.predicate_count,
        "subscriptions": subscriptions,
        "ms": fmean(times) * MS,
        "satisfied": satisfied,
        "mb": matcher.memory()["predicates"] / MB,
        "events_taken": len(times),
        "half_width": half_width(times),
    }


def subscriptions_for(workload: str, different: int) -> int:
    """How many subscriptions are expected to have so many different predicates.

    Raises ValueError if the workload does not have as many.
    """
    variant = WORKLOADS[workload]
    ranges = [variant.ranges[place % len(variant.ranges)] for place in range(variant.attributes)]
    sizes = [last - first + 1 for first, last in ranges]
    if different >= len(OPERATORS) * sum(sizes):
        raise ValueError(f"{workload} has only {len(OPERATORS) * sum(sizes):,} different predicates.")
    in_each = (1 + variant.most_predicates) / 2 / variant.attributes / len(OPERATORS)

    def expected(subscriptions: int) -> float:
        drawn = subscriptions * in_each
        return len(OPERATORS) * sum(size * (1 - exp(-drawn / size)) for size in sizes)

    return bisect_left(range(1_000 * different), float(different), key=expected)


def measure_subscriptions(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    """Milliseconds per event, and in stages; milliseconds to load; microseconds to change; memory."""
    workload = Topss(variant="W4")
    name, options = VARIANTS[cell["variant"]]
    matcher = registry.create(name, workload.schema, **options)
    report("subscriptions", 0.0)
    columns = workload.subscriptions(cell["subscriptions"])
    report("loading", 0.0)
    began = process_time()
    matcher.load(columns)
    load_ms = (process_time() - began) * MS
    del columns
    for event in workload.training_events(WARM_UP_EVENTS):
        matcher.match_ids(event)
    if isinstance(matcher, TopssMatcher):
        matcher.seconds.reset()
    times, matches = _times(matcher.match_ids, workload.events(EVENTS_OF_PAPER), paper, report)
    return {
        "ms": fmean(times) * MS,
        **_stages(matcher, len(times)),
        "matching": matches / cell["subscriptions"],
        "load_ms": load_ms,
        **_memory(matcher),
        **_changing_us(matcher, workload, cell["subscriptions"]),
        "events_taken": len(times),
        "half_width": half_width(times),
    }


def _times(
    match: Callable[[Event], Sized], events: Iterable[Event], paper: bool, report: Report
) -> tuple[list[float], float]:
    """The seconds of each event, and how much was found on average."""
    times: list[float] = []
    found = 0
    for number, event in enumerate(events):
        report("events", number / EVENTS_OF_PAPER)
        began = process_time()
        answer = match(event)
        times.append(process_time() - began)
        found += len(answer)
        if len(times) >= FEWEST_EVENTS and not paper and half_width(times) <= PRECISION:
            break
    return times, found / len(times)


def _stages(matcher: Matcher, events: int) -> dict[str, float]:
    """A database does not tell its stages apart."""
    if not isinstance(matcher, TopssMatcher):
        return {}
    seconds = matcher.seconds
    return {
        "predicates_ms": seconds.predicates / events * MS,
        "subscriptions_ms": seconds.subscriptions / events * MS,
    }


def _memory(matcher: Matcher) -> dict[str, float]:
    """Of who has which predicate: what matching needs, and with what only removing needs."""
    if isinstance(matcher, DbmsMatcher):
        return {"mb": matcher.relations_bytes() / MB}
    assert isinstance(matcher, TopssMatcher)
    memory = matcher.memory()
    return {
        "mb": memory["associations"] / MB,
        "mb_with_removal": (memory["associations"] + memory["reverse table"]) / MB,
    }


def _changing_us(matcher: Matcher, workload: Topss, subscriptions: int) -> dict[str, float]:
    if subscriptions > MOST_TO_CHANGE:
        return {}
    fresh = list(fresh_subscriptions(workload, CHANGED + 1, first=subscriptions))
    matcher.add(*fresh.pop())  # makes room for the others
    began = process_time()
    for number, subscription in fresh:
        matcher.add(number, subscription)
    added = process_time()
    for number, _ in fresh:
        matcher.remove(number)
    removed = process_time()
    return {"add_us": (added - began) / CHANGED * US, "remove_us": (removed - added) / CHANGED * US}
