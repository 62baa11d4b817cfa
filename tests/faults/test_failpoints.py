"""A process killed just before a commit, just after it, or between two: the end is the same."""

import re
from typing import Any

import pytest

from matching.small_transactions import ROWS_PER_TRANSACTION
from tests.chaos.client import Body
from tests.faults.auction_house import AuctionHouse, a_lot
from tests.faults.failpoints import Failpoints
from tests.limits.measuring import Measured
from tests.running_system import wait_until

pytestmark = pytest.mark.database


@pytest.fixture(scope="module")
def wanted(house: AuctionHouse) -> list[int]:
    """Subscriptions that look for a price of 111."""
    return [house.subscribe("price = 111") for _ in range(3)]


@pytest.mark.parametrize("place", ["match.leased", "match.before-commit", "match.after-commit"])
def test_a_worker_killed_at_its_work_leaves_each_match_written_once(
    house: AuctionHouse, failpoints: Failpoints, wanted: list[int], place: str
) -> None:
    failpoints.arm(place)
    event = house.publish(a_lot(111))
    failpoints.wait_until_struck(place)
    if place == "match.before-commit":
        house.records.let_leases_run_out()  # to have seen once that they do is enough
    assert house.matches_when_done(event) == wanted


def test_a_worker_killed_between_two_commits_writes_the_rest_and_nothing_twice(
    house: AuctionHouse, failpoints: Failpoints
) -> None:
    crowd = [house.subscribe("price = 222") for _ in range(ROWS_PER_TRANSACTION + 20)]
    failpoints.arm("match.between-commits")
    event = house.publish(a_lot(222))
    failpoints.wait_until_struck("match.between-commits")
    with house.nobody_matching():  # the lease of the dead may run out while we look
        assert len(house.records.matches_of(event)) == ROWS_PER_TRANSACTION
        assert house.event(event)["state"] == "accepted"
    house.records.let_leases_run_out()
    assert house.matches_when_done(event) == crowd


def test_an_event_is_not_there_when_the_web_process_was_killed_before_its_commit(
    house: AuctionHouse, failpoints: Failpoints, wanted: list[int]
) -> None:
    envelope = a_lot(111)
    cut_off(house, failpoints, "publish.before-commit", "events", envelope)
    assert house.events_named(envelope["external_id"]) == []
    assert house.matches_when_done(house.publish(envelope)) == wanted
    assert len(house.events_named(envelope["external_id"])) == 1


def test_an_event_is_there_and_matched_when_the_web_process_was_killed_after_its_commit(
    house: AuctionHouse, failpoints: Failpoints, wanted: list[int]
) -> None:
    envelope = a_lot(111)
    cut_off(house, failpoints, "publish.after-commit", "events", envelope)
    (event,) = house.events_named(envelope["external_id"])
    assert house.matches_when_done(event["id"]) == wanted  # though the wake-up died with its sender
    assert house.publish(envelope) == event["id"]


@pytest.mark.parametrize(
    ("place", "stored"), [("publish-batch.before-commit", 0), ("publish-batch.after-commit", 20)]
)
def test_a_batch_is_stored_whole_or_not_at_all(
    house: AuctionHouse, failpoints: Failpoints, wanted: list[int], place: str, stored: int
) -> None:
    envelopes = [a_lot(111) for _ in range(20)]
    cut_off(house, failpoints, place, "events/batch", envelopes)
    again = house.publisher.ask("POST", "events/batch", envelopes, good={200}).document
    assert (again["repeated"], again["accepted"]) == (stored, 20 - stored)
    for result in again["results"]:
        assert house.matches_when_done(result["id"]) == wanted


def test_an_event_that_kills_its_worker_each_time_is_parked_and_the_queue_goes_on(
    house: AuctionHouse, failpoints: Failpoints, wanted: list[int], measured: Measured
) -> None:
    with house.nobody_matching():
        before, poison, after = (house.publish(a_lot(111)) for _ in range(3))
        failpoints.arm("match.leased", poison)
    for event in (before, after, house.publish(a_lot(111))):
        assert house.matches_when_done(event) == wanted
    parked = wait_until(lambda: parked_event(house, poison), seconds=300)
    failpoints.disarm("match.leased")
    assert parked is not None
    told = re.fullmatch(r"No worker survived matching it (\d+) times\.", parked["reason"])
    assert told
    measured("times that an event which kills its worker is tried", int(told[1]), at_most=5)
    assert house.records.matches_of(poison) == []
    assert house.matches_when_done(house.publish(a_lot(111))) == wanted


def cut_off(house: AuctionHouse, failpoints: Failpoints, place: str, path: str, body: Body) -> None:
    """Publish to a web process that is killed there. A connection that was idle may be cut before that."""
    failpoints.arm(place)
    while failpoints.is_armed(place):
        assert house.publisher.once("POST", path, body, good={200, 202}) is None


def parked_event(house: AuctionHouse, number: int) -> dict[str, Any] | None:
    """Leases of the dead are ended by hand, lest we wait ten seconds for each."""
    house.records.let_leases_run_out()
    event = house.event(number)
    return event if event["state"] == "parked" else None
