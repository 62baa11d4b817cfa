"""Read your writes: what is acknowledged before an event is sent counts for it, whoever else is at work.

Each client, on connections of its own, makes a few random changes (subscribe, unsubscribe, pause, resume,
edit) and then publishes: that is one interleaving, since the others do the same meanwhile. The oracle looks
at every event with every subscription of every client: `python -m tests.chaos.interleavings --count 10000`.
"""

import argparse
import secrets
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from random import Random

from tests.chaos import market
from tests.chaos.client import MUCH_PATIENCE, Traffic
from tests.chaos.history import Ledger
from tests.chaos.publisher import Publisher
from tests.chaos.records import Records, Watch
from tests.chaos.stage import Stage
from tests.chaos.subscriber import Subscriber
from tests.chaos.systems import DATABASES, clear_away, fresh_system, ledger_beside
from tests.chaos.verdict import Fault, Verdict, judge
from tests.running_system import RunningSystem

MOST_CHANGES = 3
SECONDS_TO_SETTLE = 300.0
REPORT_EVERY = 500


@dataclass(frozen=True, slots=True)
class Plan:
    seed: int
    count: int = 10_000
    clients: int = 4


def interleave(
    plan: Plan,
    system: RunningSystem,
    ledger: Ledger,
    *,
    say: Callable[[str], None] = print,
    is_enough: Callable[[], bool] = lambda: True,
) -> Verdict:
    """Against a running system that nobody else uses. When all are done it goes on until that is enough."""
    stage = Stage(
        system,
        ledger,
        Traffic(),
        lambda purpose: Random(f"{plan.seed}: {purpose}"),
        patience=MUCH_PATIENCE,
    )
    records = Records(system.database_url)
    watch = Watch(records)
    numbers = count(1)
    began = time.monotonic()

    def work(publisher: Publisher, subscriber: Subscriber) -> None:
        random = Random(f"{plan.seed}: turns of {publisher.name}")
        while (number := next(numbers)) <= plan.count or not is_enough():
            for _ in range(random.randint(1, MOST_CHANGES)):
                subscriber.change_something()
            publisher.publish_one()
            if number % REPORT_EVERY == 0:
                say(f"  {time.monotonic() - began:4.0f} s: {number:,} interleavings")

    with closing(stage), ThreadPoolExecutor(plan.clients + 1) as pool:
        stage.set_up(publishers=plan.clients, subscribers=plan.clients, crowd=0)
        watching = pool.submit(watch.run)
        try:
            list(pool.map(work, stage.publishers, stage.subscribers))
            waiting = watch.wait_for(
                {each.event for each in ledger.history().publications}, seconds=SECONDS_TO_SETTLE
            )
        finally:
            watch.stop()
        watching.result()
    stalled = [Fault("stalled", f"event {number} still waits.") for number in waiting]
    return judge(
        market.SCHEMA, ledger.history(), records.recorded(), seen_matched=watch.seen, noticed=stalled
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.interleavings")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--database", choices=DATABASES, default="sqlite")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    options = parser.parse_args()
    print(f"seed {options.seed}; starting a fresh system on {options.database} ...", flush=True)
    with fresh_system(options.database) as system:
        system.start()
        try:
            plan = Plan(options.seed, options.count, options.clients)
            verdict = interleave(
                plan, system, ledger_beside(system), say=lambda line: print(line, flush=True)
            )
        finally:
            system.stop()
        clear_away(system, is_good=verdict.is_good)
    for line in verdict.report():
        print(line)
    duties = ", ".join(f"{number:,} {duty}" for duty, number in verdict.duties.items())
    print(f"decisions: {duties}; {verdict.sharp:,} hang on a change acknowledged in the second before")
    where = f"({options.database}, seed {options.seed})"
    kinds = "" if verdict.is_good else f": {verdict.words}"
    print(f"{verdict.events:,} interleavings, {len(verdict.faults):,} violations{kinds} {where}")
    return 0 if verdict.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
