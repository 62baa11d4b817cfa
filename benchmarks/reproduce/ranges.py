"""Time per event, time to subscribe and memory of the matchers of paper 004, on its workload `dexin`.

Time is that of the processor in this thread, so what else the machine does is not in it. Events are taken
until the mean's 95% interval is within 5%; with `paper`, all thousand. A cell has `variant`, a matcher
and perhaps its options (see `VARIANTS`), `subscriptions`, and may have the workload's parameters.
"""

from dataclasses import fields
from statistics import fmean, quantiles, stdev
from time import thread_time
from typing import Any

from benchmarks.cell import fresh_subscriptions, memory
from benchmarks.own_process import Report
from benchmarks.reproduce.overlapping import EVENTS_OF_PAPER, PRECISION, half_width
from matching import registry
from matching.algorithms.base import Matcher
from matching.algorithms.dexin import DexinMatcher
from matching.algorithms.pipelines import near_optimal, optimal
from matching.algorithms.tama import TamaMatcher
from matching.workloads.dexin import Dexin
from schema_registry.core.events import Event

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "tama": ("tama", {}),
    "h-tree": ("h-tree", {}),
    "be-tree": ("be-tree", {}),
    "opindex": ("opindex", {}),
    "rein": ("rein", {}),
    "dexin": ("dexin", {}),
    "dexin, linked": ("dexin", {"slots": "linked"}),
    "dexin, inclusive": ("dexin", {"methods": "inclusive"}),
    "dexin, exclusive": ("dexin", {"methods": "exclusive"}),
    "dexin, optimal": ("dexin", {"pipeline": "optimal"}),
}
PARAMETERS = {each.name for each in fields(Dexin)} - {"seed"}
WARM_UP_EVENTS = 20
FEWEST_EVENTS = 30
ADDED = 500
US, MS = 1e6, 1e3


def measure(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    """Milliseconds per event, their deviation, microseconds to subscribe, bytes per subscription."""
    before = memory()
    workload = Dexin(**{name: value for name, value in cell.items() if name in PARAMETERS})
    report("subscriptions", 0.0)
    columns = workload.subscriptions(cell["subscriptions"])
    name, options = VARIANTS[cell["variant"]]
    matcher = registry.create(name, workload.schema, **options)
    report("loading", 0.0)
    began = thread_time()
    matcher.load(columns)
    load_seconds = thread_time() - began
    del columns
    for event in workload.training_events(WARM_UP_EVENTS):
        matcher.match_ids(event)
    bytes_per_subscription = (memory() - before) / cell["subscriptions"]
    matcher.work.reset()
    times, matches = _times(matcher, workload.events(EVENTS_OF_PAPER), paper, report)
    return {
        "ms": fmean(times) * MS,
        "std_ms": stdev(times) * MS,
        "p99_ms": quantiles(times, n=100)[-1] * MS,
        "traversed": matcher.work.predicate_evaluations / len(times) / cell["subscriptions"],
        "matching": matches / len(times) / cell["subscriptions"],
        "events_taken": len(times),
        "half_width": half_width([round(each * US) for each in times]),
        "load_seconds": load_seconds,
        "bytes": bytes_per_subscription,
        "wrong": _wrong(matcher, workload, cell["subscriptions"]),
        "add_us": _add_us(matcher, workload, cell["subscriptions"]),
    }


def _times(matcher: Matcher, events: list[Event], paper: bool, report: Report) -> tuple[list[float], int]:
    times: list[float] = []
    matches = 0
    for number, event in enumerate(events):
        report("events", number / len(events))
        began = thread_time()
        ids = matcher.match_ids(event)
        times.append(thread_time() - began)
        matches += len(ids)
        enough = len(times) >= FEWEST_EVENTS and not paper
        if enough and half_width([round(each * US) for each in times]) <= PRECISION:
            break
    return times, matches


def _wrong(matcher: Matcher, workload: Dexin, subscriptions: int) -> float:
    """The share of the subscriptions that an event is reported for wrongly."""
    if not isinstance(matcher, TamaMatcher):
        return 0.0
    return fmean(matcher.false_positives(event) for event in workload.events(FEWEST_EVENTS)) / subscriptions


def _add_us(matcher: Matcher, workload: Dexin, subscriptions: int) -> float:
    added = list(fresh_subscriptions(workload, ADDED, first=subscriptions))
    began = thread_time()
    for number, subscription in added:
        matcher.add(number, subscription)
    return (thread_time() - began) / ADDED * US


def measure_orders(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    """The cost of the near-optimal and of the optimal pipeline, and the time it takes to find each."""
    workload = Dexin(attributes=cell["attributes"], zipf=cell.get("zipf", 0.0))
    matcher = DexinMatcher(workload.schema)
    matcher.load(workload.subscriptions(cell["subscriptions"]))
    costs: dict[str, list[float]] = {"near": [], "best": []}
    seconds = {"near": 0.0, "best": 0.0}
    above = []
    count = EVENTS_OF_PAPER if paper else 200
    for number, event in enumerate(workload.events(count)):
        report("events", number / count)
        (rates,) = matcher.rates_of(event)
        for name, order in (("near", near_optimal), ("best", optimal)):
            began = thread_time()
            pipeline = order(rates)
            seconds[name] += thread_time() - began
            costs[name].append(pipeline.cost(rates))
        above.append(costs["near"][-1] / costs["best"][-1] - 1)
    return {
        "near": fmean(costs["near"]),
        "best": fmean(costs["best"]),
        "above_p95": quantiles(above, n=20)[-1],
        "near_us": seconds["near"] / count * US,
        "best_us": seconds["best"] / count * US,
        "events_taken": count,
    }
