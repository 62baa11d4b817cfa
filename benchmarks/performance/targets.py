"""The figures to reach, and what was reached. All at a million subscriptions unless they say otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from benchmarks.cell import ENGINE, PYROARING
from benchmarks.performance.matrix import ALL_MATCHERS, SIZES
from benchmarks.performance.results import Results
from matching import workloads

Verdict = Literal["holds", "missed", "not measured"]

OVER_LIMIT = {
    "lesubscribe": 1.5,
    "topss": 1.5,
    "dexin": 1.5,
    "peers-range": 0.9,
    "peers-mixed": 0.9,
    "peers-eq": 0.3,
    "aguilera": 0.3,
}
LEAD = {"lesubscribe": 3, "topss": 3, "aguilera": 3, "dexin": 5, "peers-range": 5}
BYTES = {"lesubscribe": 200, "dexin": 1_200}
CHANGES = {
    "add_us": ("adding one", 50, "us"),
    "remove_us": ("removing one that came lately", 50, "us"),
    "remove_old_us": ("removing one that was long there", 50, "us"),
    "fresh_ratio": ("a match with 10,000 fresh ones, over one without", 1.2, "x"),
    "merge_ratio": ("the 99th percentile of matches beside a merge, over that without", 2, "x"),
}
STARTS = {
    "seconds": ("from a new process to its first answer, kernels cached", 2),
    "seconds_without_cache": ("the same, all kernels compiled", 60),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """`note` is what one should know of the figure reached.

    `is_whole` is False for a worst figure that lacks some of those it should be the worst of.
    """

    about: str
    what: str
    sense: Literal["at most", "at least"]
    bound: float
    unit: str
    reached: float | None
    note: str = ""
    is_whole: bool = True

    @property
    def verdict(self) -> Verdict:
        if self.reached is None:
            return "not measured"
        if self.reached > self.bound if self.sense == "at most" else self.reached < self.bound:
            return "missed"
        return "holds" if self.is_whole else "not measured"


def targets(results: Results) -> Iterator[Target]:
    yield from _against_limit(results)
    yield from _against_others(results)
    yield from _batches(results)
    yield _sizes(results)
    yield from _changes(results)
    yield from _memory(results)
    yield from _starts(results)
    yield from _threads(results)


def lead(results: Results, group: str) -> float | None:
    """How many times as long as the engine the next fastest matcher takes."""
    other = results.next_fastest(group)
    return results.ratio(group, other) if other else None


def _against_limit(results: Results) -> Iterator[Target]:
    for workload, most in OVER_LIMIT.items():
        yield Target(
            about="Against `limit`",
            what=f"`{workload}`, time over that of `limit`",
            sense="at most",
            bound=most,
            unit="x",
            reached=results.over_limit(f"{workload}-1M"),
        )


def _against_others(results: Results) -> Iterator[Target]:
    about = "Against the others"
    yield _the_fastest(about, results)
    for workload, least in LEAD.items():
        group = f"{workload}-1M"
        yield Target(
            about=about,
            what=f"`{workload}`, time of the next fastest over ours",
            sense="at least",
            bound=least,
            unit="x",
            reached=lead(results, group),
            note=results.next_fastest(group) or "",
        )
    yield Target(
        about=about,
        what="`peers-eq`, time of `pyroaring` over ours",
        sense="at least",
        bound=10,
        unit="x",
        reached=results.ratio("peers-eq-1M", PYROARING),
    )


def _the_fastest(about: str, results: Results) -> Target:
    names = [f"{workload}-{size}" for size in ALL_MATCHERS for workload in workloads.names()]
    leads = {name: found for name in names if (found := lead(results, name))}
    worst = min(leads, key=leads.__getitem__, default="")
    note = f"least on {worst} ({results.next_fastest(worst)})" if worst else ""
    if 0 < len(leads) < len(names):
        note += f"; {len(names) - len(leads)} of {len(names)} not measured"
    return Target(
        about=about,
        what="the fastest on every workload at every size: time of the next fastest over ours",
        sense="at least",
        bound=1,
        unit="x",
        reached=leads.get(worst),
        note=note,
        is_whole=len(leads) == len(names),
    )


def _batches(results: Results) -> Iterator[Target]:
    times = results.parts("batches-auction", "us_per_event")
    single, batched = times.get("1"), times.get(max(times, key=int, default=""))
    yield Target(
        about="`auction`",
        what="on one core, in batches",
        sense="at least",
        bound=20_000,
        unit="events/s",
        reached=1e6 / batched if batched else None,
    )
    yield Target(
        about="`auction`",
        what="rate in batches over that of single calls",
        sense="at least",
        bound=1.5,
        unit="x",
        reached=single / batched if single and batched else None,
    )


def _sizes(results: Results) -> Target:
    """Missed if the engine failed at one of them."""
    groups = [f"{workload}-{size}" for workload in workloads.names() for size in SIZES]
    done = sum(results.row(group, ENGINE) is not None for group in groups)
    failed = [group for group in groups if results.error(group, ENGINE)]
    is_known = done == len(groups) or failed
    return Target(
        about="Sizes",
        what="workloads x sizes from 10,000 to 5,000,000 that it was measured on",
        sense="at least",
        bound=len(groups),
        unit="",
        reached=done if is_known else None,
        note=f"failed: {', '.join(failed)}" if failed else "" if is_known else f"{done} so far",
    )


def _changes(results: Results) -> Iterator[Target]:
    for key, (what, most, unit) in CHANGES.items():
        for workload in ("auction", "lesubscribe"):
            yield Target(
                about="Changes, at 3,000,000",
                what=f"`{workload}`, {what}",
                sense="at most",
                bound=most,
                unit=unit,
                reached=results.figure(f"changes-{workload}", key),
            )


def _memory(results: Results) -> Iterator[Target]:
    for workload, most in BYTES.items():
        yield Target(
            about="Memory",
            what=f"`{workload}`, per subscription",
            sense="at most",
            bound=most,
            unit="bytes",
            reached=results.figure(f"{workload}-1M", "bytes_per_subscription", algorithm=ENGINE),
        )


def _starts(results: Results) -> Iterator[Target]:
    for key, (what, most) in STARTS.items():
        for workload in ("auction", "lesubscribe"):
            yield Target(
                about="Start",
                what=f"`{workload}`, {what}",
                sense="at most",
                bound=most,
                unit="s",
                reached=results.figure(f"start-{workload}", key),
            )


def _threads(results: Results) -> Iterator[Target]:
    for workload in ("auction", "lesubscribe", "peers-range"):
        rates = results.parts(f"batches-{workload}", "events_per_second")
        yield Target(
            about="Threads",
            what=f"`{workload}`, rate of two threads over that of one",
            sense="at least",
            bound=1.7,
            unit="x",
            reached=rates["2"] / rates["1"] if rates else None,
        )
