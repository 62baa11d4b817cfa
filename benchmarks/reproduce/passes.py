"""How often `dexin` runs over the marks of all subscriptions for an event.

An inclusive step tests all subscriptions in a row, those not left too, as long as more than `FEW` of them
are left. Such a pass costs the same however few are left, so beside what is struck out it is the number of
passes that a time hangs on; what a matcher counts as traversed does not say it. It follows from the matching
rates, which do not depend on the number of subscriptions: a sample of them is enough.
"""

from collections.abc import Sequence
from functools import cache
from math import prod
from statistics import fmean, stdev

from matching.algorithms.dexin import FEW, DexinMatcher
from matching.algorithms.pipelines import near_optimal
from matching.workloads.dexin import Dexin

SUBSCRIPTIONS, EVENTS = 1_000, 300


def passes_of(rates: Sequence[float]) -> int:
    """Of an event with these matching rates."""
    pipeline = near_optimal(rates)
    left = prod(rates[attribute] for attribute in pipeline.sequence[: pipeline.exclusive])
    count = 0
    for attribute in pipeline.sequence[pipeline.exclusive :]:
        if left <= FEW:
            break
        count += 1
        left *= rates[attribute]
    return count


@cache
def passes(workload: Dexin) -> tuple[float, float]:
    """Mean and deviation over events."""
    matcher = DexinMatcher(workload.schema)
    matcher.load(workload.subscriptions(SUBSCRIPTIONS))
    counts = [passes_of(matcher.rates_of(event)[0]) for event in workload.events(EVENTS)]
    return fmean(counts), stdev(counts)


def said(*workloads: Dexin) -> str:
    """For each how many passes on average, and their deviation."""
    return ", ".join("{:.1f} ± {:.1f}".format(*passes(workload)) for workload in workloads)
