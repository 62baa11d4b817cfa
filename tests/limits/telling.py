"""How soon very many people are told of one item: `python -m tests.limits.telling --people 2000`.

A fresh system and people who all look for the same; every other one has a webhook, the rest have mailboxes,
at receivers on this machine. The first item makes everything warm; of the second it is measured how long it
takes from its match until the last message has arrived, and what that costs the worker that sends.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks import machine
from tests.chaos import market
from tests.chaos.client import MUCH_PATIENCE, Client, Traffic
from tests.chaos.kills import DELIVER
from tests.chaos.readers import Sinks, address_of
from tests.chaos.records import Records
from tests.chaos.stage import extend_schema, issued_keys
from tests.chaos.systems import DATABASES, clear_away, fresh_system
from tests.running_system import RunningSystem, wait_until

SECONDS_TO_TELL = 3_600.0
SEARCH, ITEM = "price <= 50", {"event_type": [market.EVENT_TYPE], "price": 20, "goods": "desk"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    database: str
    people: int
    first_seconds: float  # from the match until the first message had arrived
    last_seconds: float
    cpu_ms: float  # of the worker, for a message

    @property
    def per_second(self) -> float:
        return self.people / self.last_seconds

    def __str__(self) -> str:
        return (
            f"{self.people:,} people were told {self.first_seconds:.1f} to {self.last_seconds:.1f} s after"
            f" the match, {self.per_second:.0f} a second; {self.cpu_ms:.1f} ms of processor time for a"
            f" message ({self.database})"
        )

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "per_second": self.per_second}


def measure(system: RunningSystem, sinks: Sinks, *, people: int) -> Figures:
    (key,) = issued_keys(system, ("publisher", "house"))
    house = Client(system.url, key, Traffic(), patience=MUCH_PATIENCE)
    extend_schema(house)
    joining = f"from tests.limits.telling import join; join({people}, {sinks.web.url()!r})"
    joined = system.manage("shell", "-c", joining)
    assert joined.returncode == 0, joined.stderr
    records = Records(system.database_url)
    _told(house, records, "to warm up", people)
    sender = system.service(*DELIVER)
    assert sender is not None
    before = _processor_time(sender)
    matched, arrived = _told(house, records, "the one", people)
    house.close()
    return Figures(
        database=records.kind,
        people=people,
        first_seconds=min(arrived) - matched,
        last_seconds=max(arrived) - matched,
        cpu_ms=1_000 * (_processor_time(sender) - before) / people,
    )


def join(people: int, receiver: str) -> None:
    """So many with a channel and a search each. Runs in a process with the settings of that system."""
    from django.utils import timezone

    from matching import services
    from notifications.models import Channel
    from schema_registry.accounts.models import User

    now = timezone.now()
    for number in range(people):
        owner = User.objects.create(email=address_of(f"person-{number}"), password="!")
        services.subscribe(owner, SEARCH, now=now, valid_days=30)
        has_webhook = number % 2 == 0
        Channel.objects.create(
            owner=owner,
            kind=Channel.Kind.WEBHOOK if has_webhook else Channel.Kind.EMAIL,
            address=f"{receiver}{number}" if has_webhook else owner.email,
            secret="whsec_bGUgc3Vic2NyaWJlIHNpZ25zIHdpdGggdGhpcyBvbmU=",
            state=Channel.State.ACTIVE,
            created_at=now,
        )


def _told(house: Client, records: Records, name: str, people: int) -> tuple[float, list[float]]:
    """When the item was matched, and when each message had arrived."""
    envelope = {"external_id": name, "title": "A desk", "event": ITEM}
    event = house.ask("POST", "events", envelope, good={202}).document["id"]
    wait_until(
        lambda: len(records.arrivals_of(event)) >= people,
        seconds=SECONDS_TO_TELL,
        why=lambda: f"{len(records.arrivals_of(event)):,} of {people:,} were told",
    )
    ((_, _, _, matched),) = records.ends_of(name)
    assert matched is not None
    return matched, records.arrivals_of(event)


def _processor_time(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.limits.telling",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--people", type=int, default=2_000, help="(%(default)s)")
    parser.add_argument("--database", choices=(*DATABASES, "both"), default="both")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    chosen = DATABASES if options.database == "both" else (options.database,)
    found = [_figures(database, options.people) for database in chosen]
    if options.json:
        rows = [figures.document() for figures in found]
        document = {"machine": machine.description(), "rows": rows}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def _figures(database: str, people: int) -> Figures:
    print(f"{database}: starting a fresh system, to which {people:,} people come ...", flush=True)
    with tempfile.TemporaryDirectory(prefix="lesubscribe-receipts-") as receipts:
        sinks = Sinks(Path(receipts))
        more = {"MOST_MAILS_PER_DAY": "1000000"}
        with fresh_system(database, **sinks.environment, **more) as system, sinks.web, sinks.mail:
            system.start()
            try:
                figures = measure(system, sinks, people=people)
            finally:
                system.stop()
    clear_away(system, is_good=True)
    print(figures, flush=True)
    return figures


if __name__ == "__main__":
    sys.exit(main())
