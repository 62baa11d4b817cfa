"""The measured part of the guide in docs/algorithms.md: who is fast on what, and what each costs.

It stands between two marks on that page, and is made anew with docs/performance.md.
"""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.cell import BASELINES, ENGINE
from benchmarks.performance.results import Results
from benchmarks.performance.tables import NOTHING, number, table
from matching import registry, workloads

PAGE = "algorithms.md"
BEGIN = "<!-- Made by `python -m benchmarks.performance page`; changes belong there. -->"
END = "<!-- The end of what is made -->"
SIZE, LARGE = "100k", "1M"  # at the first one even the slow ones are measured
SHOWN = 3

MATCH = {
    "engine": "places reached + bitmap lines + doubtful",
    "naive": "all subscriptions",
    "fair-predicate": "satisfied predicates x their subscriptions + all",
    "equality-preferred": "candidates + satisfied comparisons x their subscriptions",
    "quarantining": "candidates x comparisons + quarantined",
    "gough": "levels x log + open at the leaf",
    "hanson": "values x log + found by one predicate",
    "aguilera": "nodes visited",
    "neon": "predicates on the event's attributes + all",
    "topss-list": "satisfied predicates x their subscriptions + all",
    "topss-bit": "satisfied predicates x all / 64 x 2",
    "topss-byte": "satisfied predicates x all",
    "dbms-sequential": "all predicates of all",
    "dbms-grouping": "different predicates + satisfied x their subscriptions",
    "tama": "stored in the value's cells + all",
    "h-tree": "in the buckets probed",
    "be-tree": "in the buckets met",
    "opindex": "satisfied predicates in the partitions looked at",
    "rein": "excluded, for each attribute, + all",
    "dexin": "the pipeline's cost x all",
}


def write(results: Results, into: Path) -> None:
    """In place of what stands between the marks; a page without them, or none, is left alone."""
    path = into / PAGE
    if not path.exists() or BEGIN not in (text := path.read_text()):
        return
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    path.write_text(before + "\n".join([BEGIN, "", made_of(results), "", END]) + after)


def made_of(results: Results) -> str:
    return "\n\n".join(
        (
            "The fastest of the papers' matchers on each workload, in us per event, beside the engine:",
            _fastest(results).strip(),
            "What each costs with 100,000 subscriptions: medians over the workloads that it was measured on.",
            _costs(results).strip(),
        )
    )


def _fastest(results: Results) -> str:
    head = ("workload", "engine", "with 100,000", "engine", "with 1,000,000")
    rows = (
        (workload, *(part for size in (SIZE, LARGE) for part in _at(results, f"{workload}-{size}")))
        for workload in workloads.names()
    )
    return table(head, rows)


def _at(results: Results, group: str) -> tuple[str, str]:
    times = {
        name: time
        for name in registry.algorithms()
        if name != ENGINE and (time := results.figure(group, "us_per_event", algorithm=name))
    }
    fastest = sorted(times, key=times.__getitem__)[:SHOWN]
    engine = results.figure(group, "us_per_event", algorithm=ENGINE)
    named = ", ".join(f"{name} {number(times[name])}" for name in fastest)
    return NOTHING if engine is None else number(engine), named or NOTHING


def _costs(results: Results) -> str:
    head = (
        "matcher",
        "match looks at",
        "time over the engine's",
        "load s",
        "add us",
        "remove us",
        "bytes each",
    )
    names = (ENGINE, *(name for name in registry.algorithms() if name not in (ENGINE, *BASELINES)))
    rows = ((name, MATCH.get(name, NOTHING), *_measured(results, name)) for name in names)
    return table(head, rows, columns_of_words=2)


def _measured(results: Results, name: str) -> Iterator[str]:
    groups = [f"{workload}-{SIZE}" for workload in workloads.names()]
    yield _median([results.ratio(group, name) for group in groups])
    for key in ("load_seconds", "add_us", "remove_us", "bytes_per_subscription"):
        yield _median([results.figure(group, key, algorithm=name) for group in groups])


def _median(figures: list[float | None]) -> str:
    there = [figure for figure in figures if figure is not None]
    return number(median(there)) if there else NOTHING
