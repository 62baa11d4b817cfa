"""`python -m tests.chaos.page`: docs/reliability.md shows the runs saved under `benchmarks/results`."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.chaos.saved import Run, runs_in
from tests.running_system import ROOT

PAGE = ROOT / "docs" / "reliability.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- runs: made by python -m tests.chaos.page -->", "<!-- end of runs -->"
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def shown(page: str, results: Path = RESULTS) -> str:
    """The page with its section made anew."""
    runs = [run for path in sorted(results.glob("chaos-*.json")) for run in runs_in(path) if "tolls" in run]
    return with_section(page, (line for run in runs for line in _run(run)), begin=BEGIN, end=END)


def with_section(page: str, lines: Iterable[str], *, begin: str, end: str) -> str:
    """The page with these lines between two marks. Raises ValueError unless it has each of them once."""
    before, rest = page.split(begin)
    _old, after = rest.split(end)
    section = "\n".join(lines).strip()
    return f"{before}{begin}\n\n{section}\n\n{end}{after}"


def _run(run: Run) -> Iterator[str]:
    plan, verdict, machine = run["plan"], run["verdict"], run["machine"]
    wanted = {"events": plan["events"], "kills": plan["kills"], "seconds": plan["seconds"]}
    words = " ".join(f"--{name} {value:g}" for name, value in wanted.items() if value)
    longest, after = max((toll["longest_resumption"], name) for name, toll in run["tolls"].items())
    yield (
        f"**{NAMES[run['database']]}**, `{words} --seed {plan['seed']}`, {_minutes(run['seconds'])}, commit"
        f" {machine['commit']}, {machine['date']}, {machine['cores']} cores of {machine['processor']}:"
        f" **{verdict['words']}**. {verdict['events']:,} events, {verdict['matches']:,} matches,"
        f" {run['deliveries']:,} deliveries ({run['came_twice']:,} came twice, under the same id),"
        f" {run['lease_kills']:,} kills that hit a held lease, {_nights(run)}. Matched again"
        f" {longest:.1f} s after a fault at most ({after}){_told_again(run)}; no event was tried more than"
        f" {run['most_attempts']} times; all was settled {run['seconds_to_settle']:.1f} s after the end."
    )
    if run["left_out"]:
        yield " ".join(f"Left out: {name}, since {why}." for name, why in run["left_out"].items())
    yield ""
    columns = ("cause", "strikes", "lost", "doubled", "late", "longest wait of an event")
    yield f"| {' | '.join(columns)} | matched again after | told again after |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, toll in run["tolls"].items():
        counts = " | ".join(str(toll[each]) for each in ("strikes", "lost", "doubled", "late"))
        seconds = (toll.get(f"longest_{each}") for each in ("wait", "resumption", "telling"))
        shown = ("not measured" if each is None else f"{each:.1f} s" for each in seconds)
        yield f"| {name} | {counts} | {' | '.join(shown)} |"
    yield ""


def _nights(run: Run) -> str:
    nights = "1 night" if run["nights"] == 1 else f"{run['nights']} nights"
    return f"{nights}, which were killed {killed} times" if (killed := run.get("nights_killed")) else nights


def _told_again(run: Run) -> str:
    """Nothing of runs of a time before that was measured."""
    found = [
        (toll["longest_telling"], name) for name, toll in run["tolls"].items() if "longest_telling" in toll
    ]
    return ", people told again after {:.1f} s ({})".format(*max(found)) if found else ""


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 600 else f"{seconds:.0f} s"


def main() -> int:
    PAGE.write_text(shown(PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
