"""Somebody writes to SQLite and does not end: who waits for it is told to come again, and nothing is lost."""

import sqlite3
import time
from contextlib import closing

import pytest

from tests.chaos.client import MUCH_PATIENCE, Client, Traffic
from tests.faults.auction_house import AuctionHouse, a_lot
from tests.faults.conftest import SLOWNESS
from tests.limits.measuring import Measured

pytestmark = pytest.mark.any_database

BUSY_TIMEOUT = 5  # seconds
MOST_SECONDS = BUSY_TIMEOUT + 1  # with all that a request takes besides


def test_a_publisher_waits_for_five_seconds_and_is_told_to_come_again(
    house: AuctionHouse, measured: Measured
) -> None:
    path = house.system.database_url.removeprefix("sqlite:///")
    lot, traffic = a_lot(55), Traffic()
    made = Client(house.system.url, house.publisher_key, traffic, patience=MUCH_PATIENCE)
    with (
        closing(made) as client,
        closing(sqlite3.connect(path, timeout=MUCH_PATIENCE, isolation_level=None)) as writer,
    ):
        writer.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        assert client.once("POST", "events", lot, good={202}) is None
        seconds = time.monotonic() - began
        writer.execute("ROLLBACK")
    assert traffic.statuses == {503: 1}
    assert house.events_named(lot["external_id"]) == []
    measured(
        "time until a publisher is refused while SQLite is locked",
        seconds,
        "s",
        at_least=BUSY_TIMEOUT,
        at_most=MOST_SECONDS,
        slowness=SLOWNESS,
    )
    house.publish(lot)
