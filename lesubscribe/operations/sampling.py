"""A row a minute of how things stand, for the plots; kept for two weeks.

What happened in the minute comes from the counters that /metrics shows, which cost the work nothing: those of
all processes of this machine. They begin anew with the system, and may then be lower than a minute ago.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import inf
from typing import Any

from django.core.cache import caches
from prometheus_client import REGISTRY, CollectorRegistry, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from lesubscribe.operations.looking import waiting_work, waits_since
from lesubscribe.operations.models import Sample
from matching import leases
from notifications import selectors

KEPT = timedelta(days=14)
LONGEST_MINUTE = 600.0  # seconds; after a longer pause nothing can be said of a single minute
QUANTILE = 0.95
_KEY = "operations:counters"
_LATENCY = "lesubscribe_publish_to_match_seconds_bucket"
_COUNTED = {
    "lesubscribe_events_accepted_total": "accepted",
    "lesubscribe_events_matched_total": "matched",
    "lesubscribe_deliveries_total": "delivered",
}


def sample(*, now: datetime) -> Sample:
    """Write down this minute, once, and forget what is too old."""
    first = waiting_work().select_related("event").defer("event__document").first()
    oldest = 0 if first is None else max(0, (now - waits_since(first.event)) // timedelta(milliseconds=1))
    taken = Sample(
        minute=int(now.timestamp()) // 60,
        waiting=leases.waiting(),
        due=selectors.figures(now=now).due,
        oldest=oldest,
        **_since_last_time(now.timestamp()),
    )
    Sample.objects.bulk_create([taken], ignore_conflicts=True)
    Sample.objects.filter(minute__lt=int((now - KEPT).timestamp()) // 60).delete()
    return taken


def _since_last_time(now: float) -> dict[str, int | None]:
    """Each counter's growth, for a minute."""
    counted = totals()
    cache = caches["between_processes"]
    before: tuple[float, Mapping[str, float]] | None = cache.get(_KEY)
    cache.set(_KEY, (now, counted), timeout=int(LONGEST_MINUTE))
    seconds = now - before[0] if before else inf
    if before is None or not 1.0 <= seconds <= LONGEST_MINUTE:
        return {}
    grown = {name: _growth(before[1].get(name, 0.0), value) for name, value in counted.items()}
    slow = quantile(sorted((bound, grown[f"{bound}"]) for bound in _bounds(counted)), QUANTILE)
    rates: dict[str, int | None] = {
        name: round(grown.get(name, 0.0) * 60 / seconds) for name in _COUNTED.values()
    }
    return rates | {"lag": None if slow is None else round(slow * 1000)}


def totals() -> dict[str, float]:
    """What was counted so far; of the time until a match, by bound how many took no longer."""
    found: dict[str, float] = dict.fromkeys(_COUNTED.values(), 0.0)
    for metric in _counted():
        for each in metric.samples:
            if each.name == _LATENCY:
                bound = str(float(each.labels["le"]))
                found[bound] = found.get(bound, 0.0) + each.value
            elif (name := _COUNTED.get(each.name)) and each.labels.get("outcome", "delivered") == "delivered":
                found[name] += each.value
    return found


def _counted() -> Iterable[Metric]:
    """By all processes that count together; who was not told where counts alone."""
    processes: Any = MultiProcessCollector
    together = "PROMETHEUS_MULTIPROC_DIR" in os.environ
    found: Iterable[Metric] = processes(CollectorRegistry()).collect() if together else REGISTRY.collect()
    return found


def quantile(cumulated: Sequence[tuple[float, float]], share: float) -> float | None:
    """So large is this share of values at most, if (bound, how many are no larger) is all that is known.

    As if they were evenly spread between two bounds. None of nothing; beyond the last bound, that bound.
    """
    if not cumulated or cumulated[-1][1] <= 0:
        return None
    wanted = share * cumulated[-1][1]
    lower, below = 0.0, 0.0
    for bound, count in cumulated:
        if count >= wanted:
            return lower if bound == inf else lower + (bound - lower) * (wanted - below) / (count - below)
        lower, below = bound, count
    return lower


def _bounds(counted: Mapping[str, Any]) -> list[float]:
    return [float(name) for name in counted if name not in _COUNTED.values()]


def _growth(before: float, now: float) -> float:
    return now - before if now >= before else now
