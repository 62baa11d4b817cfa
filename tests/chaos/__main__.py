"""`make chaos` or `python -m tests.chaos`: the fault run on each database; its last line is the verdict."""

import argparse
import faulthandler
import secrets
import signal
import sys
from pathlib import Path

from tests.chaos import saved
from tests.chaos.grounds import grounds_on
from tests.chaos.outcome import Outcome, Plan
from tests.chaos.report import describe, verdict_line
from tests.chaos.run import run
from tests.chaos.systems import DATABASES

DEFAULT_SECONDS = 60.0


def main() -> int:
    options = _options()
    print(f"seed {options.seed}", flush=True)
    plan = Plan(
        seed=options.seed,
        seconds=options.seconds,
        events=options.events,
        kills=options.kills,
        flushes=options.flushes,
        shards=options.shards,
    )
    outcomes = []
    for database in _databases(options.database):
        versions = saved.versions()
        if options.json and (before := saved.outcome_in(options.json, plan, database, versions)):
            print(f"{database}: was run before, and is in {options.json}.")
            outcomes.append(before)
            continue
        outcomes.append(_outcome(plan, database))
        if options.json:
            saved.save(options.json, outcomes[-1], versions)
    print(verdict_line(outcomes))
    return 0 if all(outcome.verdict.is_good for outcome in outcomes) else 1


def _outcome(plan: Plan, database: str) -> Outcome:
    print(f"{database}: starting a fresh system ...", flush=True)
    with grounds_on(database, events=plan.events, MATCHING_SHARDS=str(plan.shards)) as grounds:
        outcome = run(plan, grounds, say=lambda line: print(line, flush=True))
        print(*describe(outcome), sep="\n", flush=True)
        grounds.clear_away(is_good=outcome.verdict.is_good)
    return outcome


def _databases(choice: str) -> tuple[str, ...]:
    return DATABASES if choice == "both" else (choice,)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description="The fault run.")
    parser.add_argument("--seconds", type=float, help="at least so long per database (default 60)")
    parser.add_argument("--events", type=int, default=0, help="at least so many events")
    parser.add_argument("--kills", type=int, default=0, help="so many kills that hit a held lease")
    parser.add_argument("--flushes", type=int, default=0, help="so many FLUSHALLs of Redis")
    parser.add_argument("--shards", type=int, default=1, help="as MATCHING_SHARDS (default 1)")
    parser.add_argument("--database", choices=(*DATABASES, "both"), default="both")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument(
        "--json",
        type=Path,
        help="keep the runs here; what it has that is good and of this commit is not run again",
    )
    options = parser.parse_args()
    if options.seconds is None:
        options.seconds = 0.0 if options.events or options.kills else DEFAULT_SECONDS
    return options


if __name__ == "__main__":
    faulthandler.enable()  # it may go on for hours; should the interpreter itself die, it says where
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: nothing outlives us
    sys.exit(main())
