"""A publisher and a collector at a running system, for tests that break it meanwhile."""

import os
import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psutil

from tests.chaos.client import MUCH_PATIENCE, Client, Traffic
from tests.chaos.records import Records
from tests.chaos.stage import issued_keys
from tests.running_system import RunningSystem, wait_until

SECONDS_TO_MATCH = 300


class AuctionHouse:
    """Lots have a `price`. Whatever it does waits for its answer, as long as the system may be away."""

    def __init__(self, system: RunningSystem) -> None:
        self.system = system
        self.records = Records(system.database_url)
        wanted = ("publisher", "House"), ("subscriber", "one@example.org")
        self.publisher_key, key = issued_keys(system, *wanted)
        self.publisher = Client(system.url, self.publisher_key, Traffic(), patience=MUCH_PATIENCE)
        self.collector = Client(system.url, key, Traffic(), patience=MUCH_PATIENCE)
        self.extend_schema("domains", {"name": "money", "definition": {"kind": "numeric"}})
        self.extend_schema("attributes", {"name": "price", "domain": "money"})
        lot = {"name": "lot", "attributes": {"price": ["mandatory", "unique"]}}
        self.extend_schema("event-types", lot)

    def close(self) -> None:
        self.publisher.close()
        self.collector.close()

    def extend_schema(self, path: str, document: dict[str, Any]) -> None:
        self.publisher.ask("POST", f"schema/{path}", document, good={201})

    def subscribe(self, text: str) -> int:
        number: int = self.collector.ask("POST", "subscriptions", {"text": text}, good={201}).document["id"]
        return number

    def publish(self, envelope: dict[str, Any]) -> int:
        number: int = self.publisher.ask("POST", "events", envelope, good={202}).document["id"]
        return number

    def event(self, number: int) -> dict[str, Any]:
        document: dict[str, Any] = self.publisher.ask("GET", f"events/{number}", good={200}).document
        return document

    def events_named(self, external_id: str) -> list[dict[str, Any]]:
        answer = self.publisher.ask("GET", f"events?external_id={external_id}", good={200})
        events: list[dict[str, Any]] = answer.document["results"]
        return events

    def matches_when_done(self, number: int) -> list[int]:
        """The subscriptions in the rows of an event that ends matched; as often as there are rows."""
        wait_until(
            lambda: self.event(number)["state"] == "matched",
            seconds=SECONDS_TO_MATCH,
            why=lambda: self.system.log[-3000:],
        )
        rows = sorted(self.records.matches_of(number))
        assert self.event(number)["match_count"] == len(rows)
        return rows

    @contextmanager
    def nobody_matching(self, queue: str = "match") -> Iterator[None]:
        """The match worker, of this queue if there are several, stands still meanwhile."""
        worker = wait_until(
            lambda: self.system.service("celery", "worker", f"-Q {queue} "), seconds=SECONDS_TO_MATCH
        )
        assert worker is not None
        stopped = wait_until(lambda: self._stopped_between_transactions(worker), seconds=SECONDS_TO_MATCH)
        try:
            yield
        finally:
            _resume(stopped)

    def _stopped_between_transactions(self, worker: psutil.Process) -> list[psutil.Process]:
        """The worker and its children; none if they went on, since one held the database of all others."""
        stopped = [worker, *_stopped(worker)]  # the parent first, so that it makes no new child
        if not self.records.is_locked():
            return stopped
        _resume(stopped)
        return []


def a_lot(price: int, **more: Any) -> dict[str, Any]:
    """An envelope with a name of its own."""
    return {"external_id": secrets.token_hex(6), "event": {"event_type": ["lot"], "price": price, **more}}


def _resume(stopped: list[psutil.Process]) -> None:
    for process in reversed(stopped):
        with suppress(psutil.NoSuchProcess):  # a test may have ended the whole system
            process.resume()


def _stopped(worker: psutil.Process) -> list[psutil.Process]:
    os.kill(worker.pid, signal.SIGSTOP)
    children = worker.children()
    for child in children:
        child.suspend()
    return children
