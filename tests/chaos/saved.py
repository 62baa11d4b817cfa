"""Runs that are kept in a file, each with the machine, date and commits it is from; one for each database."""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks import machine
from tests.chaos.causes import Toll
from tests.chaos.outcome import Outcome, Plan
from tests.chaos.verdict import Fault, Verdict

JUDGE = ("tests/chaos", "tests/sinks", "tests/running_system.py")
Run = dict[str, Any]
Versions = dict[str, Any]


def versions() -> Versions:
    """The machine and its program, and who strikes and judges; of the moment, since a run takes long."""
    return {"machine": machine.description(), "judge": machine.commit(*JUDGE)}


def runs_in(path: Path) -> list[Run]:
    """None if there is no such file."""
    found: list[Run] = json.loads(path.read_text())["runs"] if path.exists() else []
    return found


def outcome_in(path: Path, plan: Plan, database: str, now: Versions) -> Outcome | None:
    """A good run of this plan by this very program and judge, which need not be run again."""
    for run in runs_in(path):
        is_meant = run["plan"] == asdict(plan) and run["database"] == database
        if is_meant and _are_the_same(run, now) and not run["verdict"]["faults"]:
            return _outcome(run, plan)
    return None


def _are_the_same(one: Versions, other: Versions) -> bool:
    """What was changed and not committed may be anything."""
    commits = {(each["machine"]["commit"], each.get("judge")) for each in (one, other)}
    return len(commits) == 1 and not any(machine.DIRTY in (name or "") for pair in commits for name in pair)


def _outcome(run: Run, plan: Plan) -> Outcome:
    verdict = {each.name: run["verdict"][each.name] for each in fields(Verdict)}
    verdict["faults"] = tuple(Fault(**fault) for fault in verdict["faults"])
    strikes = [line.split(maxsplit=1) for line in run["strikes"]]
    return Outcome(
        **{each.name: run[each.name] for each in fields(Outcome)}
        | {
            "plan": plan,
            "verdict": Verdict(**verdict),
            "tolls": {name: Toll(**toll) for name, toll in run["tolls"].items()},
            "strikes": [(float(moment), name) for moment, name in strikes],
        }
    )


def save(path: Path, outcome: Outcome, of: Versions) -> None:
    """Beside those of the same plan on other databases; what is of another plan goes."""
    plan = asdict(outcome.plan)
    others = [each for each in runs_in(path) if each["plan"] == plan and each["database"] != outcome.database]
    path.write_text(json.dumps({"runs": [*others, as_run(outcome, of)]}, indent=1) + "\n")


def as_run(outcome: Outcome, of: Versions) -> Run:
    strikes = [f"{moment:.1f} {name}" for moment, name in outcome.strikes]
    more = {**of, "lease_kills": outcome.lease_kills, "strikes": strikes}
    return {**asdict(outcome), **more, "verdict": asdict(outcome.verdict) | {"words": outcome.verdict.words}}
