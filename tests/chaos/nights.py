"""A night is done exactly once, though Spark or the command is killed all the time.

    python -m tests.chaos.nights --kills 20

A feed with its usual dirt is taken up by `manage.py nightly`, which is killed again and again: at the places
where it commits, and at random moments while Spark computes, either the command or Spark's driver. Then it
is left alone, and what the database has is compared with an oracle: the rows read and judged in plain Python,
and `Subscription.matches`. At last the night is run twice more, which must change nothing.
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
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import psutil

from benchmarks import machine
from tests.running_system import ROOT

SITE, DAY = "market", "2026-11-16"
SPARK = "spark_jobs.jobs.nightly"
# What is said when a stage begins, and for how many seconds it lasts: a night that ends cannot be killed.
STAGES = {
    "preparing": 0.3,
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
SECONDS_FOR_LEASES = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    seed: int
    kills: int
    killed_at: list[str]
    events: int
    matches: int
    lost: int
    wrong: int
    changed_by_running_again: int
    seconds: float

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.wrong or self.changed_by_running_again)


class Market:
    """The site, its feed and what its subscribers want, in a database of its own."""

    def __init__(self, directory: Path, *, rows: int, subscriptions: int, seed: int) -> None:
        from django.core.management import call_command
        from django.utils import timezone

        from lesubscribe.loadtest.setting import prepare
        from matching.nightly import mappings
        from spark_jobs.feeds import generator

        call_command("migrate", interactive=False, verbosity=0)
        setting = prepare(subscriptions=subscriptions, seed=seed, now=timezone.now())
        self.mapping = mappings.save(
            SITE, generator.mapping(), publisher=setting.publisher, now=timezone.now()
        )
        self.feeds = directory / "feeds"
        self.source = self.feeds / SITE / DAY
        for _ in generator.Feed(rows=rows, seed=seed, world=seed, files=4).write(self.source):
            pass
        self.failpoints = directory / "failpoints"
        self.failpoints.mkdir()

    def begin(self, *more: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "manage.py", "nightly", "--feeds", str(self.feeds), "--site", SITE]
        return subprocess.Popen(
            [*command, "--date", DAY, *more],
            cwd=ROOT,
            env={**os.environ, "FAILPOINTS": str(self.failpoints), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def expected(self) -> dict[tuple[str, str], frozenset[int]]:
        """By item and digest the subscriptions that match it, found in the plainest way."""
        from matching.feeds.judging import Judge, Judged
        from matching.feeds.mapping import FeedMapping
        from matching.feeds.reading import rows_of
        from matching.models import Subscription
        from schema_registry.language import parse
        from schema_registry.selectors import current_schema

        schema, mapping = current_schema(), FeedMapping.from_dict(self.mapping.document)
        judge = Judge(mapping, schema)
        items: dict[str, Judged] = {}
        for path in sorted(self.source.iterdir()):
            for row in rows_of(path, mapping.format):
                if isinstance(verdict := judge.judge(row), Judged):
                    items[verdict.external_id] = verdict
        wishes = {pk: parse(text, schema) for pk, text in Subscription.objects.values_list("pk", "text")}
        return {
            (item.external_id, item.digest): frozenset(
                number for number, wish in wishes.items() if wish.matches(item.event)
            )
            for item in items.values()
        }


def stored() -> dict[tuple[str, str, int], frozenset[int]]:
    from matching.models import Match, PublishedEvent

    found: dict[int, set[int]] = {}
    for event, subscription in Match.objects.values_list("event_id", "subscription_id"):
        found.setdefault(event, set()).add(subscription)
    return {
        (name, digest, revision): frozenset(found.get(number, ()))
        for number, name, digest, revision in PublishedEvent.objects.values_list(
            "pk", "external_id", "digest", "revision"
        )
    }


def rows_of_all_kinds() -> dict[str, int]:
    from matching.models import Announcement, Match, MatchWork, PublishedEvent

    return {each.__name__: each.objects.count() for each in (PublishedEvent, Match, MatchWork, Announcement)}


def killed_at_a_place(market: Market, place: str) -> bool:
    (market.failpoints / place).touch()
    process = market.begin()
    process.communicate()
    (market.failpoints / place).unlink(missing_ok=True)
    return process.returncode == -signal.SIGKILL


def killed_in_a_stage(market: Market, stage: str, random: Random) -> bool:
    """The command or the driver, some time after the stage was begun; False if it was over before."""
    process = market.begin()
    assert process.stdout is not None
    for line in process.stdout:
        if stage in line:
            break
    time.sleep(random.uniform(0, STAGES[stage]))
    victims = [process.pid] if random.random() < 0.5 else list(_drivers(process.pid)) or [process.pid]
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    process.communicate()
    return process.returncode != 0


def _drivers(parent: int) -> Iterator[int]:
    for child in psutil.Process(parent).children():
        if SPARK in " ".join(child.cmdline()):
            yield child.pid


def finish(market: Market) -> None:
    """Leave it alone until it is done, and match what a killed loader left to the workers."""
    from matching.draining import drain
    from matching.live import LiveMatcher
    from matching.models import MatchWork

    deadline = time.monotonic() + SECONDS_FOR_LEASES
    while True:
        process = market.begin()
        said, _ = process.communicate()
        if process.returncode == 0 and "Another process" not in said:
            break
        if time.monotonic() > deadline:
            raise RuntimeError(f"The night does not end:\n{said}")
        time.sleep(1)
    live = LiveMatcher("engine")
    while MatchWork.objects.exists() and time.monotonic() < deadline:
        drain(live)
        time.sleep(1)


def run(
    directory: Path, *, moments: int, places: Sequence[str], rows: int, subscriptions: int, seed: int
) -> Outcome:
    random, began = Random(seed), time.monotonic()
    market = Market(directory, rows=rows, subscriptions=subscriptions, seed=seed)
    # Random moments first: what comes after the computing goes on from what is computed.
    in_stages = [random.choice(list(STAGES)) for _ in range(moments)]
    killed: list[str] = []
    for stage in in_stages:
        if killed_in_a_stage(market, stage, random):
            killed.append(stage)
        print(f"{len(killed)} killed, last in: {stage}", flush=True)
        end_lease()
    for place in places:
        if killed_at_a_place(market, place):
            killed.append(place)
        print(f"{len(killed)} killed, last at: {place}", flush=True)
        end_lease()
    finish(market)
    expected = market.expected()
    found = stored()
    right = {(name, digest): ids for (name, digest, revision), ids in found.items() if revision == 1}
    lost = sum(len(ids - right.get(key, frozenset())) for key, ids in expected.items())
    lost += sum(key not in right for key in expected)
    wrong = len(found) - len(right) + sum(key not in expected for key in right)
    wrong += sum(len(ids - expected.get(key, frozenset())) for key, ids in right.items())
    before = rows_of_all_kinds()
    for _ in range(2):
        market.begin("--again").communicate()
    changed = sum(abs(count - before[name]) for name, count in rows_of_all_kinds().items())
    return Outcome(
        seed=seed,
        kills=len(killed),
        killed_at=killed,
        events=len(expected),
        matches=sum(map(len, expected.values())),
        lost=lost,
        wrong=wrong,
        changed_by_running_again=changed,
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
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--subscriptions", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcome here too")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="lesubscribe-nights-") as scratch:
        _set_up(Path(scratch))
        outcome = run(
            Path(scratch),
            moments=0 if options.place else max(0, options.kills - len(PLACES)),
            places=options.place or PLACES[: options.kills],
            rows=options.rows,
            subscriptions=options.subscriptions,
            seed=options.seed,
        )
    document: dict[str, Any] = {"machine": machine.description(), **asdict(outcome)}
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    print(
        f"{outcome.kills} kills, {outcome.events:,} events, {outcome.matches:,} matches: "
        f"{outcome.lost} lost, {outcome.wrong} wrong or doubled, "
        f"{outcome.changed_by_running_again} changed by running it again: "
        f"{'GOOD' if outcome.is_good else 'BAD'}"
    )
    return 0 if outcome.is_good else 1


def _set_up(scratch: Path) -> None:
    """Before anything of Django is imported: the settings are read once."""
    import django

    os.environ |= {"VAR": str(scratch / "var"), "DJANGO_SETTINGS_MODULE": "lesubscribe.settings"}
    django.setup()


if __name__ == "__main__":
    sys.exit(main())
