"""Runs that are kept in a file, each with the machine, date and commit it is from; one for each database."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import machine
from tests.chaos.outcome import Outcome, Plan

Run = dict[str, Any]


def runs_in(path: Path) -> list[Run]:
    """None if there is no such file."""
    found: list[Run] = json.loads(path.read_text())["runs"] if path.exists() else []
    return found


def is_done(path: Path, plan: Plan, database: str) -> bool:
    """Whether there is a good run of this plan, so that it need not be run again."""
    return any(
        each["plan"] == asdict(plan) and each["database"] == database and not each["verdict"]["faults"]
        for each in runs_in(path)
    )


def save(path: Path, outcome: Outcome) -> None:
    """Beside those of the same plan on other databases; what is of another plan goes."""
    plan = asdict(outcome.plan)
    others = [each for each in runs_in(path) if each["plan"] == plan and each["database"] != outcome.database]
    path.write_text(json.dumps({"runs": [*others, as_run(outcome)]}, indent=1) + "\n")


def as_run(outcome: Outcome) -> Run:
    strikes = [f"{moment:.1f} {name}" for moment, name in outcome.strikes]
    more = {"machine": machine.description(), "lease_kills": outcome.lease_kills, "strikes": strikes}
    return {**asdict(outcome), **more, "verdict": asdict(outcome.verdict) | {"words": outcome.verdict.words}}
