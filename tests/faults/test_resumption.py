"""Redis flushed, Redis and its files gone, a full disk, no database: soon all goes on, and all is there.

Chance may leave one of them out of a minute of chaos; here each is there, one after the other, on one system.
An item is sent just before each, whose wake-up it may take with it, and one after, whose time is measured.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from random import Random
from typing import Any

import pytest

from tests.chaos import market, told
from tests.chaos.causes import SECONDS_TO_RESUME
from tests.chaos.client import MUCH_PATIENCE, Client, Traffic
from tests.chaos.grounds import Grounds, grounds_on
from tests.chaos.history import Publication
from tests.chaos.kills import Kills
from tests.chaos.publisher import Publisher
from tests.chaos.readers import address_of, new_reader
from tests.chaos.records import BusyError
from tests.chaos.stage import extend_schema, issued_keys
from tests.chaos.verdict import Fault, judge
from tests.faults.conftest import SLOWNESS
from tests.limits.measuring import Measured
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.database

READERS = ("reader-0", "reader-1")
ALL_ITEMS = f"price <= {market.HIGHEST_PRICE}"
SECONDS_DOWN, SECONDS_FULL = 1.0, 2.0
SECONDS_TO_TELL = 600.0
# What is on a full disk has some room in it, such as a log that is written anew from its beginning. Here is
# more than that: items of the size that is allowed, of which nothing can be made smaller.
MOST_LARGE_ITEMS, VALUES, LETTERS = 200, 45, 2_000
LARGE = "large-"


def test_matching_and_telling_go_on_within_a_minute_of_each_loss(
    database: str, measured: Measured, say_what_is_left_out: Callable[[Mapping[str, str]], None]
) -> None:
    """On a server of its own: the others' must not be stopped."""
    with grounds_on(database) as grounds:
        say_what_is_left_out({what: why for what, why in grounds.left_out.items() if what != "clock"})
        with running(grounds.system), closing(Auction(grounds)) as auction:
            seconds = {name: auction.seconds_after(strike) for name, strike in auction.strikes().items()}
            auction.settle()
        faults = auction.faults()
        grounds.clear_away(is_good=not faults)
    assert faults == []
    assert len(seconds) == 4 - (grounds.disk is None)
    for name, each in seconds.items():
        measured(
            f"time until matching and telling go on after {name}",
            each,
            "s",
            at_most=SECONDS_TO_RESUME,
            slowness=SLOWNESS,
        )


@contextmanager
def running(system: RunningSystem) -> Iterator[None]:
    system.start()
    try:
        yield
    finally:
        system.stop()


class Auction:
    """A house, and readers who are told of all its items by webhook."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds
        self._system = grounds.system
        self._ledger = grounds.ledger
        self._records = grounds.records
        self._traffic = Traffic()
        self._random = Random("an auction")
        people = [("subscriber", address_of(name)) for name in READERS]
        key, *keys = issued_keys(self._system, ("publisher", "house"), *people)
        self._client = Client(self._system.url, key, self._traffic, patience=MUCH_PATIENCE)
        extend_schema(self._client)
        self._house = Publisher("house", self._client, self._ledger, self._random)
        self._readers = [
            new_reader(
                self._system,
                grounds.sinks,
                self._ledger,
                self._random,
                name=name,
                key=key,
                has_webhook=True,
                searches=1,
                search=lambda _: ALL_ITEMS,
            )
            for name, key in zip(READERS, keys, strict=True)
        ]
        self._stored: set[str] = set()  # of the items sent to a full disk

    def close(self) -> None:
        self._client.close()

    def strikes(self) -> dict[str, Callable[[], object]]:
        """Those that can be here, by what they are. The last one leaves a large log, with room in it."""
        kills = Kills(self._system, self._records, self._traffic, self._random).strikes()
        found: dict[str, Callable[[], object]] = {
            "a flush of Redis": kills["flush"],
            "the loss of Redis and its files": kills["redis"],
        }
        if self._grounds.disk is not None:
            found["a full disk"] = self._fill_the_disk
        found["a stop or lock of the database"] = lambda: self._grounds.database.strike(SECONDS_DOWN)
        return found

    def seconds_after(self, strike: Callable[[], object]) -> float:
        """From its end until both readers have heard of an item that was sent after it."""
        self._house.publish_one()
        assert strike() in (True, None), "there was nothing to hit"
        began = time.monotonic()
        event = self._house.publish_one().event
        wait_until(
            lambda: self._who_heard_of(event) == set(READERS),
            seconds=SECONDS_TO_TELL,
            why=lambda: self._system.log[-4_000:],
        )
        return time.monotonic() - began

    def settle(self) -> None:
        """Until nothing is to be told any more: what was hit on its way waits for its lease to run out."""
        wait_until(lambda: not self._untold(), seconds=SECONDS_TO_TELL, why=lambda: str(self._untold()))

    def faults(self) -> list[Fault]:
        """Of rows and of messages, when it is stopped."""
        history = self._ledger.history()
        rows = judge(market.SCHEMA, history, self._records.recorded(), seen_matched={})
        messages = told.judge(
            market.SCHEMA,
            history,
            readers=self._readers,
            told=self._records.told(),
            receipts=self._grounds.sinks.receipts(),
        )
        unasked = sorted(self._records.numbers_of(LARGE).keys() - self._stored)
        return [
            *self._records.integrity_faults(),
            *rows.faults,
            *messages.faults,
            *(Fault("wrong", f"{name} was refused, and is there.") for name in unasked),
        ]

    def _fill_the_disk(self) -> None:
        """For a while: items are refused, and none is taken that is not stored. Then there is room again."""
        disk = self._grounds.disk
        assert disk is not None
        before, cut = self._traffic.statuses.copy(), self._traffic.unanswered
        disk.fill()
        try:
            enough = time.monotonic() + SECONDS_FULL
            for number in range(MOST_LARGE_ITEMS):
                is_taken = self._publish_a_large_one(f"{LARGE}{number}")
                if not is_taken and time.monotonic() > enough:
                    break
        finally:
            disk.empty()
            self._grounds.database.start()  # if it gave up
        answers = self._traffic.statuses - before
        assert answers.keys() - {202} in ({503}, {507}), answers
        assert self._traffic.unanswered == cut, "instead of being refused, an item got no answer"

    def _publish_a_large_one(self, name: str) -> bool:
        """Whether it was taken."""
        item: dict[str, Any] = {
            "event_type": [market.EVENT_TYPE],
            "price": 1,
            "goods": "desk",
            "material": [self._random.randbytes(LETTERS // 2).hex() for _ in range(VALUES)],
        }
        answer = self._client.once("POST", "events", {"external_id": name, "event": item}, good={202})
        if answer is None:
            return False
        self._stored.add(name)
        self._ledger.note(Publication(answer.document["id"], name, item, answer.began, answer.ended))
        return True

    def _who_heard_of(self, event: int) -> set[str]:
        return {each.reader for each in self._grounds.sinks.receipts() if each.event == event}

    def _untold(self) -> dict[str, int]:
        try:
            return self._records.untold()
        except BusyError as error:
            return {str(error): 1}
