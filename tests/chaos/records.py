"""What the database of a running system says, asked past the system itself, which may be down just now."""

import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import psycopg

from tests.chaos.told import Told
from tests.chaos.verdict import Fault, Recorded, RecordedEvent

SECONDS_BETWEEN_LOOKS = 0.1
OF_A_NIGHT = "night-"  # how the ids of a night's items begin
SECONDS_FOR_A_TRANSACTION = 60.0  # within which any commits, or never will
# What each takes room in; of the first table it has one row.
TABLES = {
    "event": ("matching_publishedevent",),
    "match": ("matching_match",),
    "message": ("notifications_delivery", "notifications_entry", "notifications_attempt"),
}
DeliveryLease = tuple[str, datetime]  # the message's id on the wire, and until when it is held


class Lease(NamedTuple):
    """The work's number, until when it is held, and how often it was taken."""

    number: int
    until: datetime
    attempts: int


class BusyError(Exception):
    """The database is locked, or away."""


def _wall_clock() -> datetime:
    return datetime.now(UTC)


class Records:
    """A connection for each question: they are few, and no lock is held between them."""

    def __init__(self, database_url: str, *, now: Callable[[], datetime] = _wall_clock) -> None:
        """`now` is the database's time, by which leases go. All questions raise BusyError."""
        self._url = database_url
        self._now = now
        self.kind = "sqlite" if database_url.startswith("sqlite") else "postgresql"

    def leases(self, shard: int | None = None) -> frozenset[Lease]:
        """All, or a shard's, that have not run out, but those of a night, which its loader may hold."""
        of_shard = "" if shard is None else f" AND work.shard = {shard}"
        return self._held(
            "SELECT work.id, work.leased_until, work.attempts FROM matching_matchwork AS work"
            " JOIN matching_publishedevent AS event ON event.id = work.event_id"
            f" WHERE work.leased_until IS NOT NULL{of_shard}"
            f" AND event.external_id NOT LIKE '{OF_A_NIGHT}%'"
        )

    def plan_leases(self) -> frozenset[Lease]:
        """Of events whose messages are being planned."""
        return self._held(
            "SELECT event_id, leased_until, 1 FROM matching_announcement WHERE leased_until IS NOT NULL"
        )

    def _held(self, question: str) -> frozenset[Lease]:
        """Those that have not run out. A stopped process may let nobody look."""
        rows, now = self._ask(question, patience=0.2), self._now()
        leases = (Lease(number, _moment(raw), attempts) for number, raw, attempts in rows)
        return frozenset(lease for lease in leases if lease.until > now)

    def let_leases_run_out(self) -> None:
        """As if their time had passed, for tests that cannot wait so long."""
        self._ask(
            "UPDATE matching_matchwork SET leased_until = '2000-01-01 00:00:00+00:00'"
            " WHERE leased_until IS NOT NULL RETURNING id"
        )

    def let_attempts_be(self, count: int) -> None:
        """As if whoever waits had been tried so often."""
        self._ask(f"UPDATE matching_matchwork SET attempts = {count} RETURNING id")

    def is_locked(self) -> bool:
        """Whether somebody keeps all others from writing; on PostgreSQL nobody can."""
        if self.kind != "sqlite":
            return False
        try:
            self._ask("BEGIN IMMEDIATE", patience=0.5)
        except BusyError:
            return True
        return False

    def newest(self) -> int:
        """The number of the event that came last."""
        ((number,),) = self._ask("SELECT coalesce(max(id), 0) FROM matching_publishedevent")
        return int(number)

    def waiting(self) -> int:
        """How many events wait, on whichever shards."""
        ((count,),) = self._ask("SELECT count(DISTINCT event_id) FROM matching_matchwork")
        return int(count)

    def most_attempts(self) -> int:
        """Of the work that waits."""
        ((most,),) = self._ask("SELECT coalesce(max(attempts), 0) FROM matching_matchwork")
        return int(most)

    def settled_after(self, number: int) -> set[int]:
        """The events above this number that wait no more."""
        rows = self._ask(
            f"SELECT id FROM matching_publishedevent WHERE id > {number} AND state <> 'accepted'"
        )
        return {event for (event,) in rows}

    def unsettled(self) -> set[int]:
        """The events that wait."""
        rows = self._ask("SELECT DISTINCT event_id FROM matching_matchwork")
        return {event for (event,) in rows}

    def numbers_of(self, prefix: str) -> dict[str, int]:
        """The events whose ids of their publishers begin so, by these."""
        rows = self._ask(
            f"SELECT external_id, id FROM matching_publishedevent WHERE external_id LIKE '{prefix}%'"
        )
        return dict(rows)

    def matches_of(self, event: int) -> list[int]:
        """The subscriptions of its matches, one for each row."""
        rows = self._ask(f"SELECT subscription_id FROM matching_match WHERE event_id = {event}")
        return [subscription for (subscription,) in rows]

    def recorded(self) -> Recorded:
        """All events and matches."""
        events = self._ask("SELECT id, external_id, state, match_count, reason FROM matching_publishedevent")
        matches = self._ask("SELECT event_id, subscription_id FROM matching_match")
        return Recorded(tuple(RecordedEvent(*row) for row in events), tuple(matches))

    def ends_of(self, prefix: str) -> list[tuple[str, str, str, float | None]]:
        """Of events whose names begin so: the name, the state, its reason, and when it was matched."""
        rows = self._ask(
            "SELECT external_id, state, reason, matched_at FROM matching_publishedevent"
            f" WHERE external_id LIKE '{prefix}%'"
        )
        return [
            (name, state, reason, None if raw is None else _moment(raw).timestamp())
            for name, state, reason, raw in rows
        ]

    def matches(self) -> int:
        ((count,),) = self._ask("SELECT count(*) FROM matching_match")
        return int(count)

    def refused(self) -> int:
        """How many items were refused, as publishers are shown it."""
        ((count,),) = self._ask("SELECT coalesce(sum(refused), 0) FROM matching_traffic WHERE span = 3600")
        return int(count)

    def delivery_leases(self) -> frozenset[DeliveryLease]:
        """All that have not run out."""
        question = (
            "SELECT uid, leased_until FROM notifications_delivery"
            " WHERE state = 'waiting' AND leased_until IS NOT NULL"
        )
        rows, now = self._ask(question, patience=0.2), self._now()
        return frozenset((_wire_id(uid), until) for uid, raw in rows if (until := _moment(raw)) > now)

    def untold(self) -> dict[str, int]:
        """What is still to be done until everybody was told, if anything."""
        questions = {
            "events": "SELECT count(*) FROM matching_matchwork",
            "announcements": "SELECT count(*) FROM matching_announcement",
            "deliveries": "SELECT count(*) FROM notifications_delivery WHERE state = 'waiting'",
        }
        counts = {name: int(self._ask(question)[0][0]) for name, question in questions.items()}
        return {name: count for name, count in counts.items() if count}

    def arrivals_of(self, event: int) -> list[float]:
        """When the messages about an event had arrived, of those that have."""
        rows = self._ask(
            f"SELECT finished_at FROM notifications_delivery WHERE event_id = {event} AND state = 'delivered'"
        )
        return [_moment(raw).timestamp() for (raw,) in rows]

    def told(self) -> list[Told]:
        """All deliveries of matches."""
        rows = self._ask(
            "SELECT id, uid, channel_id, event_id, state, attempts FROM notifications_delivery"
            " WHERE kind = 'match'"
        )
        entries = self._ask(
            "SELECT delivery_id, subscription_id FROM notifications_entry"
            " JOIN matching_match ON matching_match.id = match_id"
        )
        subscriptions: defaultdict[int, set[int]] = defaultdict(set)
        for delivery, subscription in entries:
            subscriptions[delivery].add(subscription)
        return [
            Told(_wire_id(uid), channel, event, state, attempts, frozenset(subscriptions[number]))
            for number, uid, channel, event, state, attempts in rows
        ]

    def room(self) -> dict[str, int]:
        """How many bytes an event, a match and a message take, with indexes; of what there is."""
        found = {}
        for what, tables in TABLES.items():
            ((count,),) = self._ask(f"SELECT count(*) FROM {tables[0]}")
            if count:
                found[what] = round(sum(map(self._size, tables)) / count)
        return found

    def _size(self, table: str) -> int:
        if self.kind == "sqlite":
            parts = f"SELECT name FROM sqlite_master WHERE tbl_name = '{table}'"
            ((size,),) = self._ask(f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({parts})")
        else:
            ((size,),) = self._ask(f"SELECT pg_total_relation_size('{table}')")
        return int(size)

    def integrity_faults(self) -> list[Fault]:
        """What SQLite finds wrong with its file."""
        if self.kind != "sqlite":
            return []
        answers = [answer for (answer,) in self._ask("PRAGMA integrity_check")]
        return [Fault("corrupt", answer) for answer in answers if answer != "ok"]

    def _ask(self, question: str, *, patience: float = 60) -> Sequence[tuple[Any, ...]]:
        try:
            if self.kind == "sqlite":
                return self._ask_sqlite(question, patience)
            with psycopg.connect(self._url) as server:
                return server.execute(question.encode()).fetchall()
        except (sqlite3.OperationalError, psycopg.OperationalError) as error:
            raise BusyError(str(error)) from None

    def _ask_sqlite(self, question: str, patience: float) -> Sequence[tuple[Any, ...]]:
        path = urlsplit(self._url).path[1:]
        with closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=patience)) as file, file:
            return file.execute(question).fetchall()


class Watch:
    """Notes when each event was first seen to be settled, never too early; and how often one was tried."""

    def __init__(self, records: Records, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._records = records
        self._clock = clock
        self._stopping = threading.Event()
        self._low = 0  # all up to here are settled, or are numbers that no event will ever have
        self._missing: dict[int, float] = {}  # since when a number was passed over
        self.seen: dict[int, float] = {}
        self.newest = 0  # of those that were seen
        self.most_attempts = 0

    def run(self) -> None:
        while not self._stopping.wait(SECONDS_BETWEEN_LOOKS):
            with suppress(BusyError):
                self.look()

    def look(self) -> None:
        waiting = self._records.unsettled()
        settled = self._records.settled_after(self._low)
        now = self._clock()
        self.most_attempts = max(self.most_attempts, self._records.most_attempts())
        for event in settled:
            self.seen.setdefault(event, now)
        self.newest = max(settled, default=self.newest)
        self._pass_on(waiting, max(settled, default=0), now)

    def _pass_on(self, waiting: set[int], highest: int, now: float) -> None:
        """Not to ask again for what is known. A transaction that failed leaves out numbers."""
        while self._low < highest:
            number = self._low + 1
            if number not in self.seen:
                since = self._missing.setdefault(number, now)
                if number in waiting or now - since < SECONDS_FOR_A_TRANSACTION:
                    return
                del self._missing[number]
            self._low = number

    def wait_for(self, events: set[int], *, seconds: float) -> set[int]:
        """Until all these are settled, but no longer than so many seconds; those that are not."""
        deadline = self._clock() + seconds
        while (waiting := events - self.seen.keys()) and self._clock() < deadline:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return waiting

    def stop(self) -> None:
        self._stopping.set()


def _wire_id(uid: str | UUID) -> str:
    return f"msg_{uid.hex if isinstance(uid, UUID) else uid}"


def _moment(raw: str | datetime) -> datetime:
    moment = datetime.fromisoformat(raw) if isinstance(raw, str) else raw
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
