"""The whole service in one process, on a clock of its own, with workers that die where they are told to.

All is real but the wire and the wake-ups: what is sent is noted, or refused by receivers that fail. Whoever
dies does so by an exception that nobody catches, which leaves in the database what a killed process does: of
a transaction nothing if that was before its end, and all of it right behind.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.db import connection
from django.db.transaction import Atomic
from django.test import override_settings

from matching import draining
from matching.keeping import Keeper
from matching.live import LiveMatcher
from notifications import claims, planning, sending
from notifications.core.messages import Content
from notifications.models import Channel
from notifications.told import Told, told_by
from notifications.transports.base import DeliveryError, Exchange, Target
from tests.stress.service_clock import Clock, going_by

SMALL = {
    "matching.recording.ROWS_PER_TRANSACTION": 2,
    "matching.leases.BATCH": 3,
    "notifications.plan_rows.ROWS_PER_TRANSACTION": 4,
    "notifications.planning.MATCHES_AT_ONCE": 3,
    "notifications.planning._CANDIDATES_AT_ONCE": 4,
    "matching.small_transactions.PAUSE_SECONDS": 0.0,
    "matching.keeping.FEW_CHANGES": 3,
    "matching.change_log.KEPT_CHANGES": 4,
}


class Died(BaseException):
    """As if the process had been killed here."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A message as it arrived."""

    wire_id: str
    channel: int
    told: frozenset[Told]


class Wire:
    """Where all messages go, to receivers of which some fail."""

    def __init__(self) -> None:
        self.receipts: list[Receipt] = []
        self.failing: set[int] = set()

    def send(self, target: Target, content: Content, *, uid: str, now: datetime) -> Exchange:
        if target.channel in self.failing:
            raise DeliveryError("The receiver answered 500.", exchange=Exchange(status=500))
        self.receipts.append(Receipt(uid, target.channel, told_by(content)))
        return Exchange(status=200)


@contextmanager
def savepoints_that_commit() -> Iterator[None]:
    """What waits for a commit happens when the outermost transaction that is begun in here is left.

    Django waits for the end of the one around, and a life is rolled back at its end.
    """
    depth, waiting, leave = len(connection.savepoint_ids), len(connection.run_on_commit), Atomic.__exit__

    def leave_and_commit(left: Atomic, *why: Any) -> None:
        leave(left, *why)
        if len(connection.savepoint_ids) == depth:
            due = [do for _savepoints, do, *_ in connection.run_on_commit[waiting:]]
            del connection.run_on_commit[waiting:]
            for do in due:
                do()

    with patch.object(Atomic, "__exit__", leave_and_commit):
        yield


class KeeperAtOnce(Keeper):
    """One whose work is done when `tend` returns."""

    def _begin(self, what: str, work: Callable[[], None]) -> None:
        work()


class Service:
    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.wire = Wire()
        self.died_at: str | None = None
        self._folder = folder
        self._dies_at: str | None = None
        self._stack = ExitStack()
        self._keeper = KeeperAtOnce(folder)
        self._live: LiveMatcher | None = None

    def __enter__(self) -> "Service":
        enter = self._stack.enter_context
        enter(going_by(self.clock))
        enter(savepoints_that_commit())
        enter(override_settings(FAILPOINTS="in this process"))  # else no commit tells that it was reached
        enter(patch("matching.failpoints.reached", self._reached))
        enter(patch("matching.wakeups.WakeUp.send", lambda wake_up: False))
        enter(patch("matching.recording.wake_feeds", lambda owners: None))
        enter(patch("notifications.sending.TRANSPORTS", {Channel.Kind.WEBHOOK: self.wire}))
        for name, value in SMALL.items():
            enter(patch(name, value))
        return self

    def __exit__(self, *args: object) -> None:
        self._keeper.leave()
        self._stack.close()

    @contextmanager
    def dying_at(self, place: str | None) -> Iterator[None]:
        """Whoever comes by there dies, once; `died_at` says afterwards whether somebody did."""
        self.died_at, self._dies_at = None, place
        try:
            yield
        except Died:
            self.died_at = place
            self._start_again()
        finally:
            self._dies_at = None

    def drain(self) -> None:
        if self._live is None or self._live.is_worn():
            self._live = LiveMatcher("engine", snapshots=self._folder)
        draining.drain(self._live)

    def keep(self) -> None:
        if self._live is not None:
            self._keeper.tend(self._live, now=self.clock.now)

    def plan(self) -> None:
        planning.plan(clock=self.clock)

    def deliver(self) -> None:
        with patch.object(claims, "_hints", claims.Hints()):  # those there are go by another clock
            sending.deliver(seconds=600)

    def _start_again(self) -> None:
        """The next process knows nothing, but for the snapshot."""
        self._live = None
        self._keeper.leave()
        self._keeper = KeeperAtOnce(self._folder)

    def _reached(self, place: str, subject: Any = "") -> None:
        if place == self._dies_at:
            self._dies_at = None
            raise Died
