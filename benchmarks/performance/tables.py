"""The tables of the page, in Markdown."""

from collections.abc import Iterable, Iterator, Sequence

from benchmarks.cell import ENGINE, LIMIT
from benchmarks.performance.matrix import ENGINE_ALONE, SIZES
from benchmarks.performance.results import Results
from benchmarks.performance.targets import Target, lead, targets

NOT_MEASURED, FAILED, CANNOT, NOTHING = "not measured", "failed", "cannot", "-"
SHOWN = {"holds": "yes", "missed": "**no**", "not measured": NOT_MEASURED}

# What must hold and is no figure: which tests hold it up.
HELD_BY_TESTS = {
    "The contract of all matchers holds for the engine in three states: everything came one by one,"
    " after a merge, and after save and open.": "tests/contract/test_matchers.py",
    "After random adding, removing, replacing, matching, merging, saving and opening it answers as the"
    " oracle does.": "tests/stress/test_engine.py",
    "Compiled kernels are kept, for each state of"
    " the code.": "tests/unit/matching/engine/test_kernel_cache.py",
}
CHANGES = {
    "add_us": "adding one, us",
    "add_p99_us": "adding one, 99th percentile, us",
    "remove_us": "removing one that came lately, us",
    "remove_old_us": "removing one that was long there, us",
    "us_per_event": "a match before, us",
    "us_per_event_with_fresh": "a match with 10,000 fresh ones, us",
    "p99_us": "99th percentile of matches, us",
    "p99_us_beside_merge": "99th percentile of matches beside a merge of everything, us",
}


def figures_to_reach(results: Results) -> str:
    rows = (
        (each.about, each.what, _bound(each), _reached(each), SHOWN[each.verdict])
        for each in targets(results)
    )
    return table(("", "what", "to reach", "reached", "holds?"), _without_repeats(rows), columns_of_words=2)


def held_by_tests() -> str:
    rows = ((what, f"[{path}](../{path})") for what, path in HELD_BY_TESTS.items())
    return table(("what", "held up by"), rows, columns_of_words=2)


def by_algorithm(
    results: Results, workloads: Sequence[str], algorithms: Sequence[str], size: str, key: str
) -> str:
    """A figure of each algorithm on each workload."""
    rows = (
        (
            f"**{algorithm}**" if algorithm == ENGINE else algorithm,
            *(_cell(results, f"{workload}-{size}", algorithm, key) for workload in workloads),
        )
        for algorithm in algorithms
    )
    return table(("", *workloads), rows)


def scaling(results: Results, workloads: Sequence[str]) -> str:
    """The engine's time, and in brackets that over `limit`, and that of the next fastest over it."""
    rows = (
        (workload, *(_scaled(results, f"{workload}-{size}", size) for size in SIZES))
        for workload in workloads
    )
    return table(("", *(f"{count:,}" for count in SIZES.values())), rows)


def changes(results: Results, workloads: Sequence[str]) -> str:
    rows = (
        (what, *(number(results.figure(f"changes-{workload}", key)) for workload in workloads))
        for key, what in CHANGES.items()
    )
    return table(("", *workloads), rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, columns_of_words: int = 1) -> str:
    """Columns of words are on the left; those of numbers after them end at the right."""
    marks = ["---"] * columns_of_words + ["---:"] * (len(head) - columns_of_words)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, marks, *rows)) + "\n"


def number(figure: float | None) -> str:
    """With three digits, or all before the point."""
    if figure is None:
        return NOT_MEASURED
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


def _cell(results: Results, group: str, algorithm: str, key: str) -> str:
    if error := results.error(group, algorithm):
        return FAILED if error.get("failed") else CANNOT
    figure = results.figure(group, key, algorithm=algorithm)
    return NOTHING if figure is None else number(figure)


def _scaled(results: Results, group: str, size: str) -> str:
    time = results.figure(group, "us_per_event", algorithm=ENGINE)
    if time is None:
        return FAILED if results.error(group, ENGINE) else NOT_MEASURED
    compared = [f"{number(results.over_limit(group))} x {LIMIT}"]
    if size not in ENGINE_ALONE:
        compared.append(f"next {number(lead(results, group))} x")
    return f"{number(time)} ({', '.join(compared)})"


def _bound(target: Target) -> str:
    return f"{'≤' if target.sense == 'at most' else '≥'} {number(target.bound)} {target.unit}".strip()


def _reached(target: Target) -> str:
    figure = NOTHING if target.reached is None else f"{number(target.reached)} {target.unit}".strip()
    return f"{figure} ({target.note})" if target.note else figure


def _without_repeats(rows: Iterable[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """What a group of rows is about stands in its first row only."""
    before = ""
    for about, *others in rows:
        yield ("" if about == before else about, *others)
        before = about
