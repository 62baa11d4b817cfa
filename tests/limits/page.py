"""`python -m tests.limits.page`: docs/reliability.md shows the figures saved under `benchmarks/results`.

`limits.jsonl` has those of a whole run of the tests, the other files those of the long runs. What is not
there has no row; `tests/unit/chaos/test_pages.py` knows which there must be.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.chaos.causes import SECONDS_TO_RESUME
from tests.chaos.overload import LEAST_GOODPUT, MOST_RECOVERY
from tests.chaos.page import NAMES, with_section
from tests.chaos.saved import Run, runs_in
from tests.limits.commits import OURS
from tests.limits.measuring import Figure, shown
from tests.running_system import ROOT

PAGE = ROOT / "docs" / "reliability.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- limits: made by python -m tests.limits.page -->", "<!-- end of limits -->"
TESTS = "`make test`"
Row = tuple[Figure, str]  # and how it was measured


def with_table(page: str, results: Path = RESULTS) -> str:
    """The page with its section made anew."""
    return with_section(page, _table(rows(results)), begin=BEGIN, end=END)


def rows(results: Path = RESULTS) -> list[Row]:
    """All that was saved, in the order of the page."""
    return sorted(_rows(results), key=lambda row: (row[0].what, row[0].database))


def _table(found: list[Row]) -> Iterator[str]:
    yield "| what | limit | measured | by |"
    yield "|---|---|---|---|"
    for figure, command in found:
        what = f"{figure.what}, on {figure.database}" if figure.database else figure.what
        value = f"{shown(figure.figure)} {figure.unit}".rstrip()
        yield f"| {what} | {figure.limit} | {value} | {command} |"


def _rows(results: Path) -> Iterator[Row]:
    for figure in _of_tests(results / "limits.jsonl"):
        yield figure, TESTS
    for figure in _of_bombs(results / "bombs.json"):
        yield figure, "`python -m tests.bombs`"
    for path in sorted(results.glob("hostile-*.json")):
        for figure in _of_hostile_requests(path):
            yield figure, "`python -m tests.hostile`"
    for path in sorted(results.glob("chaos-*.json")):
        for figure in _of_long_chaos(path):
            yield figure, "`make chaos`"
    for figure in _of_overload(results / "overload.json"):
        yield figure, "`python -m tests.chaos.overload`"
    for figure in _of_commits(results / "commits.json"):
        yield figure, "`python -m tests.limits.commits`"
    for figure in _of_killed_nights(results / "nights-killed.json"):
        yield figure, "`python -m tests.chaos.nights`"


def _of_tests(path: Path) -> Iterator[Figure]:
    """The worst of several with the same name."""
    worst: dict[tuple[str, str], Figure] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        found = json.loads(line)
        found.pop("machine")
        figure = Figure(**found)
        key = figure.what, figure.database
        if key not in worst or _is_worse(figure, worst[key]):
            worst[key] = figure
    yield from worst.values()


def _is_worse(figure: Figure, other: Figure) -> bool:
    if figure.is_within != other.is_within:
        return other.is_within
    return figure.figure > other.figure if figure.at_most is not None else figure.figure < other.figure


def _of_bombs(path: Path) -> Iterator[Figure]:
    bombs: list[dict[str, Any]] = json.loads(path.read_text())["bombs"] if path.exists() else []
    if not bombs:
        return
    cpu_ms, memory_mb = (max(bomb[column] for bomb in bombs) for column in ("cpu_ms", "memory_mb"))
    bad = sum(not bomb["is_good"] for bomb in bombs)
    for what, figure, unit, most in (
        ("processor time for a request that is refused", cpu_ms, "ms", 100),
        ("memory of a web process for a request that is refused", memory_mb, "MB", 64),
        ("requests made to cost much and not refused as they should be", bad, "", 0),
    ):
        yield Figure(what=f"{what}, of {len(bombs)}", figure=figure, unit=unit, at_most=most)


def _of_hostile_requests(path: Path) -> Iterator[Figure]:
    """Nothing of a run that was stopped: what it did not send yet might have been answered wrongly."""
    found = json.loads(path.read_text())
    if not found.get("is_finished") or found["requests"] < found["asked"]:
        return
    yield Figure(
        what=f"server errors and other wrong answers to at least {found['asked']:,} hostile requests",
        figure=sum(found["faults"].values()) + len(found["broken"]),
        at_most=0,
        database=NAMES[found["database"]],
    )


def _of_long_chaos(path: Path) -> Iterator[Figure]:
    for run in runs_in(path):
        if "tolls" not in run:  # of a time before faults were told apart
            continue
        kills = min(run["plan"]["kills"], run["lease_kills"])
        for what, figure, unit, most in _costs_of_chaos(run):
            yield Figure(
                what=f"{what}, with {kills:,} kills",
                figure=figure,
                unit=unit,
                at_most=most,
                database=NAMES[run["database"]],
            )


def _costs_of_chaos(run: Run) -> Iterator[tuple[str, float, str, float]]:
    tolls = run["tolls"].values()
    yield "events lost", sum(toll["lost"] for toll in tolls), "", 0
    yield "events doubled", sum(toll["doubled"] for toll in tolls), "", 0
    yield "faults of any kind", len(run["verdict"]["faults"]), "", 0
    for column, what in (
        ("longest_resumption", "longest time until events are matched again"),
        ("longest_telling", "longest time until people are told again"),
    ):
        if all(column in toll for toll in tolls):  # the latter was not always measured
            yield what, max(toll[column] for toll in tolls), "s", SECONDS_TO_RESUME


def _of_overload(path: Path) -> Iterator[Figure]:
    for run in runs_in(path):
        times, database = f"{run['plan']['times']:g} times the sustainable rate", NAMES[run["database"]]
        lost = sum(fault["kind"] == "lost" for fault in run["faults"])
        yield Figure(
            what=f"matched at {times}, of the peak",
            figure=100 * run["goodput"] / run["peak"],
            unit="%",
            at_least=100 * LEAST_GOODPUT,
            database=database,
        )
        yield Figure(
            what=f"normal again after {times}",
            figure=run["recovery"],
            unit="s",
            at_most=MOST_RECOVERY,
            database=database,
        )
        yield Figure(what=f"accepted at {times} and lost", figure=lost, at_most=0, database=database)
        others = len(run["faults"]) - lost
        yield Figure(what=f"other faults at {times}", figure=others, at_most=0, database=database)


def _of_commits(path: Path) -> Iterator[Figure]:
    """Whoever waits for longer than 5 s is refused."""
    if path.exists():
        longest = json.loads(path.read_text())["waits"][OURS]["longest_ms"]
        what = "longest commit of others while much is written"
        yield Figure(what=what, figure=longest, unit="ms", at_most=5_000, database=NAMES["sqlite"])


def _of_killed_nights(path: Path) -> Iterator[Figure]:
    """Those of a database together; nothing of a run in which a kill missed, or nobody counted that."""
    nights: defaultdict[str, list[Run]] = defaultdict(list)
    for run in runs_in(path):
        if run.get("kills_missed") == 0:
            nights[NAMES[run["database"]]].append(run)
    for database, runs in nights.items():
        kills = sum(run["kills"] for run in runs)
        for column, what in (
            ("lost", "rows of nights that are lost"),
            ("wrong", "rows of nights that are wrong or doubled"),
            ("changed_by_running_again", "rows that change when a night is run again"),
        ):
            yield Figure(
                what=f"{what}, with {kills:,} kills",
                figure=sum(run[column] for run in runs),
                at_most=0,
                database=database,
            )


def main() -> int:
    PAGE.write_text(with_table(PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
