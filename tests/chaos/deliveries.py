"""Nothing to be told is lost, and nobody is told twice, though the worker that tells is killed all the time.

Readers with webhooks and mailboxes have searches; a publisher sends items; an adversary stops the deliver
worker, looks whether it holds leases, and kills it then. At the end all must have arrived, and only what was
under way at a kill may have come twice: `python -m tests.chaos.deliveries --matches 5000 --kills 30`.
"""

import argparse
import json
import secrets
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import psutil

from benchmarks import machine
from tests.chaos import market
from tests.chaos.client import MUCH_PATIENCE, Client, Traffic
from tests.chaos.history import Ledger
from tests.chaos.kills import kill_stopped
from tests.chaos.publisher import Publisher
from tests.chaos.readers import Sinks, address_of, new_reader
from tests.chaos.records import BusyError, DeliveryLease, Records
from tests.chaos.stage import extend_schema, issued_keys
from tests.chaos.systems import DATABASES, clear_away, fresh_system, ledger_beside
from tests.chaos.told import Verdict, judge
from tests.chaos.verdict import Fault
from tests.running_system import RunningSystem

DELIVER = ("celery", "worker", "-Q deliver")
SECONDS_TO_SETTLE = 600.0
LONGEST_RUN = 3_600.0
LONGEST_PAUSE_OF_ADVERSARY = 0.5
PAUSE = 0.05
ENOUGH_TO_HIT = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """So many kills that hit a held lease, while at least so many matches are told."""

    seed: int
    matches: int = 5_000
    kills: int = 30
    readers: int = 20  # every other one has a webhook, the rest have mailboxes
    searches: int = 4  # of each reader


@dataclass(frozen=True, slots=True)
class Outcome:
    database: str
    plan: Plan
    verdict: Verdict
    seconds: float
    kills: int
    hit: int  # messages that were under way when their worker was killed
    room: Mapping[str, int]  # bytes on the disk of an event, a match and a message


def run(
    plan: Plan, system: RunningSystem, sinks: Sinks, ledger: Ledger, *, say: Callable[[str], None] = print
) -> Outcome:
    """Start the system, kill its deliver worker again and again, stop it, and judge what arrived."""
    with sinks.web, sinks.mail:
        system.start()
        try:
            return Run(plan, system, sinks, ledger, say).outcome()
        finally:
            system.stop()


class Run:
    def __init__(
        self, plan: Plan, system: RunningSystem, sinks: Sinks, ledger: Ledger, say: Callable[[str], None]
    ) -> None:
        self._plan = plan
        self._system = system
        self._sinks = sinks
        self._ledger = ledger
        self._say = say
        self._records = Records(system.database_url)
        self._hit: frozenset[DeliveryLease] = frozenset()
        self._kills = 0
        self._over = threading.Event()

    def outcome(self) -> Outcome:
        plan = self._plan
        names = [f"reader-{number}" for number in range(plan.readers)]
        people = [("subscriber", address_of(name)) for name in names]
        of_the_house, *keys = issued_keys(self._system, ("publisher", "house"), *people)
        client = Client(self._system.url, of_the_house, Traffic(), patience=MUCH_PATIENCE)
        extend_schema(client)
        readers = [
            new_reader(
                self._system,
                self._sinks,
                self._ledger,
                self._random(f"reader {number}"),
                name=name,
                key=key,
                has_webhook=number % 2 == 0,
                searches=plan.searches,
            )
            for number, (name, key) in enumerate(zip(names, keys, strict=True))
        ]
        seconds = self._attack(Publisher("house", client, self._ledger, self._random("house")))
        client.close()
        verdict = judge(
            market.SCHEMA,
            self._ledger.history(),
            readers=readers,
            noticed=self._settled(),
            told=self._records.told(),
            receipts=self._sinks.receipts(),
            hit={message for message, _ in self._hit},
        )
        room = self._records.room()
        return Outcome(self._records.kind, plan, verdict, seconds, self._kills, len(self._hit), room)

    def _attack(self, publisher: Publisher) -> float:
        """Items and kills together, until there were enough of both; how long that took."""
        began = time.monotonic()
        adversary = threading.Thread(target=self._kill_again_and_again)
        adversary.start()
        try:
            self._publish(publisher, began)
        finally:
            self._over.set()
            adversary.join()
        return time.monotonic() - began

    def _publish(self, publisher: Publisher, began: float) -> None:
        """Spread over the kills; but there is always something to hit."""
        plan, report_at = self._plan, began + 5
        while (passed := time.monotonic() - began) < LONGEST_RUN:
            matches, waiting = self._records.matches(), self._records.untold()
            if matches >= plan.matches and self._kills >= plan.kills:
                return
            is_ahead = matches * plan.kills > plan.matches * (self._kills + 1)
            if not is_ahead or waiting.get("deliveries", 0) < ENOUGH_TO_HIT:
                publisher.publish_one()
            if time.monotonic() > report_at:
                self._say(f"  {passed:4.0f} s: {matches:,} matches, {self._kills} kills; waiting: {waiting}")
                report_at += 5
            time.sleep(PAUSE)

    def _kill_again_and_again(self) -> None:
        random = self._random("adversary")
        while self._kills < self._plan.kills:
            if self._over.wait(random.uniform(0, LONGEST_PAUSE_OF_ADVERSARY)):
                return
            with suppress(psutil.Error, BusyError):  # it is down, or gone meanwhile
                worker = self._system.service(*DELIVER)
                if worker is not None and kill_stopped(worker, worker, self._holds_leases):
                    self._kills += 1

    def _holds_leases(self) -> bool:
        """Of its own: those of workers that were killed before have not all run out yet."""
        held = self._records.delivery_leases() - self._hit
        self._hit |= held
        return bool(held)

    def _settled(self) -> list[Fault]:
        """Wait until nothing is to be told any more; what is wrong then."""
        deadline = time.monotonic() + SECONDS_TO_SETTLE
        while (waiting := self._records.untold()) and time.monotonic() < deadline:
            time.sleep(0.2)
        faults = self._records.integrity_faults()
        if waiting:
            faults.append(Fault("stalled", f"{waiting} wait {SECONDS_TO_SETTLE:g} s after the end."))
        if self._kills < self._plan.kills:
            faults.append(Fault("unproven", f"only {self._kills} kills hit a held lease."))
        return faults

    def _random(self, purpose: str) -> Random:
        return Random(f"{self._plan.seed}: {purpose}")


def summary(outcome: Outcome) -> str:
    """One sentence about a run."""
    verdict, plan = outcome.verdict, outcome.plan
    return (
        f"{verdict.words}: {verdict.matches:,} matches in {verdict.deliveries:,} deliveries, {outcome.kills}"
        f" kills that hit {outcome.hit:,} leases, {verdict.doubled:,} of them messages that came twice under"
        f" the same id, {outcome.seconds:.0f} s ({outcome.database}, seed {plan.seed})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.deliveries")
    parser.add_argument("--matches", type=int, default=5_000, help="at least so many")
    parser.add_argument("--kills", type=int, default=30, help="so many that hit a held lease")
    parser.add_argument("--database", choices=(*DATABASES, "both"), default="both")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    plan = Plan(options.seed, matches=options.matches, kills=options.kills)
    chosen = DATABASES if options.database == "both" else (options.database,)
    outcomes = [_outcome(plan, database) for database in chosen]
    if options.json:
        runs = [asdict(outcome) for outcome in outcomes]
        document = {"machine": machine.description(), "runs": runs}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    for outcome in outcomes:
        print("VERDICT:", summary(outcome))
    return 0 if all(outcome.verdict.is_good for outcome in outcomes) else 1


def _outcome(plan: Plan, database: str) -> Outcome:
    print(f"{database}, seed {plan.seed}: starting a fresh system ...", flush=True)
    receipts = Path(tempfile.mkdtemp(prefix="lesubscribe-receipts-"))
    sinks = Sinks(receipts)
    with fresh_system(database, **sinks.environment) as system:
        ledger = ledger_beside(system)
        outcome = run(plan, system, sinks, ledger, say=lambda line: print(line, flush=True))
    for line in outcome.verdict.report():
        print(line, flush=True)
    clear_away(system, is_good=outcome.verdict.is_good)
    if outcome.verdict.is_good:
        shutil.rmtree(receipts)
    else:
        print(f"What the receivers got is kept in {receipts}.", flush=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
