"""A night is done exactly once, though Spark or the command is killed all the time.

    python -m tests.chaos.nights --kills 20 [--database postgresql]

A feed with its usual dirt is taken up by `manage.py nightly`, which is killed again and again: at the places
where it commits, and at random moments while Spark computes, either the command or Spark's driver. Between
two kills searches come and go, and items are published live. Then it is left alone, and what the database
has is compared with an oracle: the rows read and judged in plain Python, and `Subscription.matches`. At last
people are told, and the night is run twice more, which must change nothing and tell nobody anything.
"""

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import machine
from tests.chaos.night_market import DAY, SITE, Market
from tests.chaos.nightly import kill
from tests.on_postgresql import fresh_server
from tests.running_system import ROOT

COMMAND, DRIVER = "command", "driver"
KILLED = f"Spark was killed by signal {signal.SIGKILL:d}"  # what the command says of its driver
BEFORE_SPARK = "preparing"
# What is said when a stage begins, and for how many seconds it lasts: a night that ends cannot be killed.
STAGES = {
    BEFORE_SPARK: 0.3,
    "looking at the files": 3.0,
    "reading and judging": 3.0,
    "leaving out repeats": 1.0,
    "matching": 0.3,
}
PLACES = (
    *("nightly.begun", "nightly.prepared", "nightly.computed"),
    *("load.before-commit", "load.after-commit", "load.before-recording"),
    *("match.before-commit", "match.after-commit", "match.between-commits"),
    *("load.before-commit", "nightly.before-loaded"),
)
SECONDS_FOR_LEASES = 600.0
TIMES_AGAIN = 2


@dataclass(frozen=True, slots=True)
class Kill:
    """One that was ordered: who should be hit, one of some, and who was, if anybody."""

    where: str
    wanted: tuple[str, ...]
    victim: str | None

    @property
    def is_missed(self) -> bool:
        return self.victim not in self.wanted


@dataclass(frozen=True, slots=True)
class Outcome:
    seed: int
    database: str
    kills: int
    kills_of_the_driver: int
    kills_missed: int
    killed_at: list[str]
    events: int
    matches: int
    deliveries: int
    lost: int
    wrong: int
    changed_by_running_again: int
    seconds: float

    @property
    def is_good(self) -> bool:
        """Nothing is wrong, and that says something: all kills hit, and there was something to tell."""
        is_shown = self.kills_missed == 0 and self.deliveries > 0
        return is_shown and not (self.lost or self.wrong or self.changed_by_running_again)


class Nights:
    """The command, on a market that goes on living."""

    def __init__(self, market: Market, directory: Path) -> None:
        self.market = market
        self.failpoints = directory / "failpoints"
        self.failpoints.mkdir()

    def begin(self, *more: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "manage.py", "nightly", "--feeds", str(self.market.feeds), "--site", SITE]
        return subprocess.Popen(
            [*command, "--date", DAY, *more],
            cwd=ROOT,
            env={**os.environ, "FAILPOINTS": str(self.failpoints), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def is_done(code: int, said: str) -> bool:
    """Whether the command did the night, or found it done: leaving it to another it ends well, too."""
    return code == 0 and "Another process" not in said


def was_loaded(code: int, said: str) -> bool:
    """Whether it did the night itself, to the end: only then it says what it has loaded."""
    return is_done(code, said) and "loaded: " in said


def rows_of_all_kinds() -> dict[str, set[int]]:
    """What running it again must leave as it is; first everybody is told of what there is to tell."""
    from matching.models import Announcement, Match, MatchWork, PublishedEvent
    from notifications.models import Delivery, Entry
    from notifications.planning import plan

    plan()
    kinds = (PublishedEvent, Match, MatchWork, Announcement, Delivery, Entry)
    return {each.__name__: set(each.objects.values_list("pk", flat=True)) for each in kinds}


def killed_at_a_place(nights: Nights, place: str) -> str | None:
    """Who was killed, if anybody was: there the command kills itself."""
    (nights.failpoints / place).touch()
    process = nights.begin()
    said, _ = process.communicate()
    (nights.failpoints / place).unlink(missing_ok=True)
    return _hit(COMMAND, process.returncode == -signal.SIGKILL, said)


def killed_in_a_stage(nights: Nights, stage: str, victim: str, random: Random) -> str | None:
    """Who was killed, some time after the stage was begun; None if it was over before."""
    process = nights.begin()
    assert process.stdout is not None
    for line in process.stdout:
        if stage in line:
            break
    time.sleep(random.uniform(0, STAGES[stage]))
    was_driver = kill(process, is_driver_meant=victim == DRIVER)
    said, _ = process.communicate()
    if was_driver:
        return _hit(DRIVER, process.returncode != 0 and KILLED in said, said)
    return _hit(COMMAND, process.returncode == -signal.SIGKILL, said)


def _hit(victim: str, is_hit: bool, said: str) -> str | None:
    """The victim; if it was missed, what the command said may tell why."""
    if is_hit:
        return victim
    print(said, flush=True)
    return None


def finish(nights: Nights) -> None:
    """Leave it alone until it is done, and match what a killed loader left to the workers."""
    from matching.draining import drain
    from matching.live import LiveMatcher
    from matching.models import MatchWork

    deadline = time.monotonic() + SECONDS_FOR_LEASES
    while True:
        process = nights.begin()
        said, _ = process.communicate()
        if is_done(process.returncode, said):
            break
        if time.monotonic() > deadline:
            raise RuntimeError(f"The night does not end:\n{said}")
        time.sleep(1)
    live = LiveMatcher("engine")
    deadline = time.monotonic() + SECONDS_FOR_LEASES
    while MatchWork.objects.exists():
        if time.monotonic() > deadline:
            raise RuntimeError("What a killed loader left to the workers is never matched.")
        drain(live)
        time.sleep(1)


def run_again(nights: Nights) -> None:
    """From its beginning to its end. Raises RuntimeError if it was not: that would change nothing, either."""
    process = nights.begin("--again")
    said, _ = process.communicate()
    if not was_loaded(process.returncode, said):
        raise RuntimeError(f"The night was not run again, but ended with {process.returncode}:\n{said}")


def run(
    directory: Path,
    *,
    moments: int,
    places: Sequence[str],
    victims: Sequence[str],
    stages: Sequence[str],
    rows: int,
    subscriptions: int,
    seed: int,
) -> Outcome:
    random, began = Random(seed), time.monotonic()
    market = Market(directory, rows=rows, subscriptions=subscriptions, seed=seed)
    nights = Nights(market, directory)
    ordered: list[Kill] = []

    def note(last: Kill) -> None:
        ordered.append(last)
        hits = sum(each.victim is not None for each in ordered)
        print(f"{hits} killed, last {last.victim or 'nobody'} at: {last.where}", flush=True)
        end_lease()
        market.go_on()

    # Random moments first: what comes after the computing goes on from what is computed.
    for _ in range(moments):
        victim = random.choice(victims)
        stage = random.choice([each for each in stages if victim == COMMAND or each != BEFORE_SPARK])
        note(Kill(stage, tuple(victims), killed_in_a_stage(nights, stage, victim, random)))
    for place in places:
        note(Kill(place, (COMMAND,), killed_at_a_place(nights, place)))
    finish(nights)
    before = rows_of_all_kinds()
    verdict = market.verdict()
    for _ in range(TIMES_AGAIN):
        run_again(nights)
    after = rows_of_all_kinds()
    kills = [each for each in ordered if each.victim is not None]
    return Outcome(
        seed=seed,
        database=os.environ.get("DATABASE_URL", "sqlite").partition(":")[0],
        kills=len(kills),
        kills_of_the_driver=sum(each.victim == DRIVER for each in kills),
        kills_missed=sum(each.is_missed for each in ordered),
        killed_at=[f"{each.victim} at {each.where}" for each in kills],
        events=verdict.events,
        matches=verdict.matches,
        deliveries=len(before["Delivery"]),
        lost=verdict.lost,
        wrong=verdict.wrong,
        changed_by_running_again=sum(len(rows ^ before[name]) for name, rows in after.items()),
        seconds=round(time.monotonic() - began, 1),
    )


def end_lease() -> None:
    """Whoever was killed is taken for alive until its lease runs out; it is ended here, so nobody waits."""
    from matching.models import NightlyRun

    NightlyRun.objects.exclude(leased_until=None).update(leased_until=None, holder="")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20, help="at random moments, but for those at places")
    parser.add_argument(
        "--place",
        action="append",
        default=[],
        choices=sorted(set(PLACES)),
        help="only there, each once",
    )
    parser.add_argument(
        "--stage",
        choices=[each for each in STAGES if each != BEFORE_SPARK],
        help="the random moments are after the beginning of this one",
    )
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--subscriptions", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument(
        "--victim", choices=(COMMAND, DRIVER), help="only this one; the driver is killed at moments only"
    )
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcome here too")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    places = () if options.victim == DRIVER else PLACES[: options.kills]
    server = fresh_server() if options.database == "postgresql" else nullcontext()
    with server as url, tempfile.TemporaryDirectory(prefix="lesubscribe-nights-") as scratch:
        _set_up(Path(scratch), url)
        outcome = run(
            Path(scratch),
            moments=0 if options.place else options.kills - len(places),
            places=options.place or places,
            victims=[options.victim] if options.victim else [COMMAND, DRIVER],
            stages=[options.stage] if options.stage else list(STAGES),
            rows=options.rows,
            subscriptions=options.subscriptions,
            seed=options.seed,
        )
    document: dict[str, Any] = {"machine": machine.description(), **asdict(outcome)}
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    print(
        f"{outcome.kills} kills ({outcome.kills_of_the_driver} of the driver, {outcome.kills_missed} missed) "
        f"on {outcome.database}, "
        f"{outcome.events:,} events, {outcome.matches:,} matches, {outcome.deliveries:,} deliveries: "
        f"{outcome.lost} lost, {outcome.wrong} wrong or doubled, "
        f"{outcome.changed_by_running_again} changed by running it again: "
        f"{'GOOD' if outcome.is_good else 'BAD'}"
    )
    return 0 if outcome.is_good else 1


def _set_up(scratch: Path, database: str | None) -> None:
    """Before anything of Django is imported: the settings are read once."""
    import django

    os.environ |= {"VAR": str(scratch / "var"), "DJANGO_SETTINGS_MODULE": "lesubscribe.settings"}
    os.environ.pop("DATABASE_URL", None)
    if database is not None:
        os.environ["DATABASE_URL"] = database
    django.setup()


if __name__ == "__main__":
    sys.exit(main())
