"""`python -m tests.chaos.page`: docs/reliability.md shows the runs saved under `benchmarks/results`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.chaos.saved import Run, runs_in
from tests.running_system import ROOT

PAGE = ROOT / "docs" / "reliability.md"
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- runs: made by python -m tests.chaos.page -->", "<!-- end of runs -->"
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def shown(page: str, results: Path = RESULTS) -> str:
    """The page with its section made anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    runs = [run for path in sorted(results.glob("chaos-*.json")) for run in runs_in(path) if "tolls" in run]
    section = "\n".join(line for run in runs for line in _run(run))
    return f"{before}{BEGIN}\n\n{section}\n{END}{after}"


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
        f" {run['lease_kills']:,} kills that hit a held lease, {_nights(run['nights'])}. Matched again"
        f" {longest:.1f} s after a fault at most ({after}); no event was tried more than"
        f" {run['most_attempts']} times; all was settled {run['seconds_to_settle']:.1f} s after the end."
    )
    if run["left_out"]:
        yield " ".join(f"Left out: {name}, since {why}." for name, why in run["left_out"].items())
    yield ""
    yield "| cause | strikes | lost | doubled | late | longest wait of an event | matched again after |"
    yield "|---|---|---|---|---|---|---|"
    for name, toll in run["tolls"].items():
        counts = " | ".join(str(toll[each]) for each in ("strikes", "lost", "doubled", "late"))
        yield f"| {name} | {counts} | {toll['longest_wait']:.1f} s | {toll['longest_resumption']:.1f} s |"
    yield ""


def _nights(count: int) -> str:
    return "1 night" if count == 1 else f"{count} nights"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 600 else f"{seconds:.0f} s"


def main() -> int:
    PAGE.write_text(shown(PAGE.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
