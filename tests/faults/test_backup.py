"""A backup of a running system, put back elsewhere: what was accepted before it is matched, and told of.

The commands are those of docs/operations.md.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.chaos.records import Records
from tests.documented import blocks_run_by
from tests.faults.auction_house import AuctionHouse, a_lot
from tests.on_postgresql import clients
from tests.running_system import ROOT, RunningSystem, database_of_its_own, wait_until
from tests.sinks import HttpSink

pytestmark = pytest.mark.database

SELF = "tests/faults/test_backup.py"
PRICE = 9001
SECONDS_TO_SETTLE = 300
SAVE_A_SNAPSHOT = """
from pathlib import Path
from django.utils import timezone
from matching.keeping import Keeper
from tests.integration.snapshots import saved, started
folder = Path({folder!r})
saved(started(folder), Keeper(folder), now=timezone.now())
"""
# What the workers of a system would do; starting one would take three times as long as all the rest.
GO_ON = """
from django.utils import timezone
from matching.draining import drain
from matching.shards import WHOLE
from matching.tasks import live_matcher
from notifications import planning, sending
from schema_registry.accounts.services import key_of
drain(live_matcher(WHOLE))
planning.plan()
sending.deliver(seconds=300)
print(key_of({key!r}, now=timezone.now()).user.publisher.name)
"""


class Reader:
    """The collector, who is told by webhook of what costs `PRICE`."""

    def __init__(self, house: AuctionHouse, sink: HttpSink) -> None:
        self._sink = sink
        self._client = house.collector
        address = {"kind": "webhook", "address": sink.url("/told")}
        self.channel = self._client.ask("POST", "channels", address, good={201}).document["id"]
        path = f"channels/{self.channel}"
        wait_until(
            lambda: self._client.ask("GET", path, good={200}).document["state"] == "active",
            seconds=SECONDS_TO_SETTLE,
        )
        self.search = house.subscribe(f"price = {PRICE}")

    def told(self) -> Counter[int]:
        """How often of each event."""
        found = (post.content for post in self._sink.receipts())
        return Counter(each["data"]["event"]["id"] for each in found if each["type"] == "match.found")

    def leave(self) -> None:
        self._client.ask("DELETE", f"channels/{self.channel}", good={204})


@pytest.fixture
def reader(house: AuctionHouse, tmp_path: Path) -> Iterator[Reader]:
    with HttpSink(tmp_path / "webhooks.jsonl") as sink:
        reader = Reader(house, sink)
        yield reader
        reader.leave()


def test_what_was_accepted_before_a_backup_is_matched_and_told_of_after_it_was_put_back(
    house: AuctionHouse, reader: Reader, tmp_path: Path
) -> None:
    backup, restore = blocks_run_by(SELF, "docs/operations.md")
    told = [house.publish(a_lot(PRICE)) for _ in range(3)]
    wait_until(lambda: set(told) <= reader.told().keys(), seconds=SECONDS_TO_SETTLE)
    wait_until(lambda: not house.records.untold(), seconds=SECONDS_TO_SETTLE)
    with house.nobody_matching():
        waiting = [house.publish(a_lot(PRICE)) for _ in range(3)]
        said = run(backup, environment_of(house.system), tmp_path)
        after = house.publish(a_lot(PRICE))
    assert "The backup is in" in said
    house.subscribe(f"price = {PRICE + 1}")  # so that a snapshot is ahead of the backup
    ahead = house.system.manage(
        "shell", "-v", "0", "-c", SAVE_A_SNAPSHOT.format(folder=str(tmp_path / "engine"))
    )
    assert ahead.returncode == 0, ahead.stderr
    wait_until(lambda: {*waiting, after} <= reader.told().keys(), seconds=SECONDS_TO_SETTLE)
    told_before = reader.told()

    elsewhere = place_elsewhere(house.system, tmp_path)
    run(restore, {**environment_of(house.system), **elsewhere}, tmp_path)
    shutil.copytree(tmp_path / "engine", tmp_path / "var" / "engine", dirs_exist_ok=True)
    restored = RunningSystem(
        tmp_path / "var",
        is_bare=True,
        LESUBSCRIBE_WEBHOOK_ALLOWED_HOSTS="127.0.0.1",
        DATABASE_URL=elsewhere.get("DATABASE_URL", ""),
    )
    worked = restored.manage("shell", "-v", "0", "-c", GO_ON.format(key=house.publisher_key))
    assert (worked.returncode, worked.stdout.strip()) == (0, "House"), worked.stderr
    assert "snapshot_refused" in worked.stderr
    assert "is ahead of the database" in worked.stderr
    check(Records(restored.database_url), reader, told=told, waiting=waiting, after=after)
    twice = reader.told() - told_before
    assert set(twice) == set(waiting)  # as documented: they were told of after the backup
    assert set(twice.values()) == {1}


def check(records: Records, reader: Reader, *, told: list[int], waiting: list[int], after: int) -> None:
    assert records.untold() == {}
    assert records.integrity_faults() == []
    events = {event.number: event.state for event in records.recorded().events}
    assert after not in events
    for event in (*told, *waiting):
        assert events[event] == "matched"
        assert records.matches_of(event).count(reader.search) == 1
    deliveries = Counter(each.event for each in records.told() if each.channel == reader.channel)
    assert deliveries == Counter([*told, *waiting])


def run(commands: str, environment: dict[str, str], directory: Path) -> str:
    for name in ("backups", "restored"):
        place = directory / ("var" if name == "restored" else name)
        commands = commands.replace(f" {name}/", f" {place}/").replace(f"VAR={name} ", f"VAR={place} ")
    answer = subprocess.run(
        ["bash", "-e", "-c", commands.replace(".venv/bin/python", sys.executable)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout


def environment_of(system: RunningSystem) -> dict[str, str]:
    """With the clients of the PostgreSQL that tests run on."""
    path = f"{clients()}:{os.environ['PATH']}"
    return {**psutil.Process(system.process.pid).environ(), "PATH": path}


def place_elsewhere(system: RunningSystem, directory: Path) -> dict[str, str]:
    (directory / "var").mkdir(mode=0o700)
    if system.database_url.startswith("sqlite"):
        return {}
    return {"DATABASE_URL": database_of_its_own(system.database_url)}
