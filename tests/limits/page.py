"""`python -m tests.limits.page`: docs/reliability.md shows the figures saved under `benchmarks/results`.

`limits.jsonl` has those of a whole run of the tests, the other files those of the long runs.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.chaos.overload import LEAST_GOODPUT, MOST_RECOVERY
from tests.chaos.page import NAMES
from tests.chaos.saved import runs_in
from tests.limits.measuring import Figure, shown
from tests.running_system import ROOT

PAGE = ROOT / "docs" / "reliability.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- limits: made by python -m tests.limits.page -->", "<!-- end of limits -->"
Row = tuple[Figure, str]  # and how it was measured


def with_table(page: str, results: Path = RESULTS) -> str:
    """The page with its section made anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = ["| what | limit | measured | by |", "|---|---|---|---|"]
    for figure, command in sorted(_rows(results), key=lambda row: row[0].what):
        what = f"{figure.what}, on {figure.database}" if figure.database else figure.what
        value = f"{shown(figure.figure)} {figure.unit}".rstrip()
        lines.append(f"| {what} | {figure.limit} | {value} | {command} |")
    return f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}"


def _rows(results: Path) -> Iterator[Row]:
    yield from _of_tests(results / "limits.jsonl")
    yield from _of_bombs(results / "bombs.json")
    for path in sorted(results.glob("hostile-*.json")):
        yield _of_hostile_requests(path)
    for path in sorted(results.glob("chaos-*.json")):
        yield from _of_long_chaos(path)
    yield from _of_overload(results / "overload.json")


def _of_tests(path: Path) -> Iterator[Row]:
    """The worst of several with the same name."""
    worst: dict[tuple[str, str], Figure] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        found = json.loads(line)
        found.pop("machine")
        figure = Figure(**found)
        before = worst.setdefault((figure.what, figure.database), figure)
        is_worse = (
            figure.figure > before.figure if figure.at_most is not None else figure.figure < before.figure
        )
        if is_worse:
            worst[figure.what, figure.database] = figure
    for figure in worst.values():
        yield figure, "`make test`"


def _of_bombs(path: Path) -> Iterator[Row]:
    bombs: list[dict[str, Any]] = json.loads(path.read_text())["bombs"]
    command = "`python -m tests.bombs`"
    for column, what, unit, most in (
        ("cpu_ms", "processor time", "ms", 100),
        ("memory_mb", "memory of a web process", "MB", 64),
    ):
        worst = max(bomb[column] for bomb in bombs)
        what = f"{what} for a request that is refused, of {len(bombs)}"
        yield Figure(what=what, figure=worst, unit=unit, at_most=most), command


def _of_hostile_requests(path: Path) -> Row:
    found = json.loads(path.read_text())
    figure = Figure(
        what=f"server errors and undocumented answers to {found['requests']:,} hostile requests",
        figure=found["server_errors"] + found["undocumented"],
        at_most=0,
        database=NAMES[found["database"]],
    )
    return figure, "`python -m tests.hostile`"


def _of_long_chaos(path: Path) -> Iterator[Row]:
    for run in runs_in(path):
        if "tolls" not in run:  # of a time before faults were told apart
            continue
        kills, tolls = run["plan"]["kills"], run["tolls"].values()
        for column, what, unit, most in (
            ("lost", "events lost", "", 0),
            ("doubled", "events doubled", "", 0),
            ("longest_resumption", "longest time until events are matched again", "s", 60),
        ):
            worst = max(toll[column] for toll in tolls)
            what = f"{what}, with {kills:,} kills"
            yield (
                Figure(what=what, figure=worst, unit=unit, at_most=most, database=NAMES[run["database"]]),
                "`make chaos`",
            )


def _of_overload(path: Path) -> Iterator[Row]:
    for run in json.loads(path.read_text())["runs"] if path.exists() else ():
        times = f"{run['plan']['times']:g} times the sustainable rate"
        for figure in (
            Figure(
                what=f"matched at {times}, of the peak",
                figure=100 * run["goodput"] / run["peak"],
                unit="%",
                at_least=100 * LEAST_GOODPUT,
                database=NAMES[run["database"]],
            ),
            Figure(
                what=f"normal again after {times}",
                figure=run["recovery"],
                unit="s",
                at_most=MOST_RECOVERY,
                database=NAMES[run["database"]],
            ),
            Figure(
                what=f"accepted at {times} and lost",
                figure=sum(fault["kind"] == "lost" for fault in run["faults"]),
                at_most=0,
                database=NAMES[run["database"]],
            ),
        ):
            yield figure, "`python -m tests.chaos.overload`"


def main() -> int:
    PAGE.write_text(with_table(PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
