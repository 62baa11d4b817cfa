"""What comes several times, from publishers or from the queue, has one effect."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.chaos.client import MUCH_PATIENCE, Answer, Client, Traffic
from tests.faults.auction_house import AuctionHouse, a_lot
from tests.limits.measuring import Measured

pytestmark = pytest.mark.database

SENT_AT_ONCE = 50
DRAIN_NOW = """
from matching.draining import drain
from matching.live import LiveMatcher
drain(LiveMatcher("quarantining"))
"""
SEND_THREE = "from matching.tasks import drain; [drain.delay() for _ in range(3)]"


@pytest.fixture(scope="module")
def wanted(house: AuctionHouse) -> list[int]:
    return [house.subscribe("price = 333") for _ in range(3)]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "the-one-of-fifty"}])
def test_the_same_publication_sent_fifty_times_at_once_is_one_event(
    house: AuctionHouse, wanted: list[int], headers: dict[str, str], measured: Measured
) -> None:
    envelope = a_lot(333)

    def send(number: int) -> Answer:
        made = Client(house.system.url, house.publisher_key, Traffic(), patience=MUCH_PATIENCE)
        with closing(made) as client:
            return client.ask("POST", "events", envelope, good={202}, headers=headers)

    with ThreadPoolExecutor(SENT_AT_ONCE) as pool:
        answers = list(pool.map(send, range(SENT_AT_ONCE)))
    (number,) = {answer.document["id"] for answer in answers}
    events = len(house.events_named(envelope["external_id"]))
    measured(f"events of {SENT_AT_ONCE} equal publications at once", events, at_least=1, at_most=1)
    assert house.matches_when_done(number) == wanted


def test_another_body_under_the_same_key_or_revision_is_refused(house: AuctionHouse) -> None:
    first, other = a_lot(1), a_lot(2)
    key = {"Idempotency-Key": "used-for-the-first"}
    house.publisher.ask("POST", "events", first, good={202}, headers=key)
    house.publisher.ask("POST", "events", other, good={422}, headers=key)
    house.publisher.ask("POST", "events", {**first, "revision": 7}, good={202})
    changed = {**other, "external_id": first["external_id"], "revision": 7}
    house.publisher.ask("POST", "events", changed, good={422})
    assert house.events_named(other["external_id"]) == []


def test_a_task_delivered_three_times_has_one_effect(
    house: AuctionHouse, wanted: list[int], measured: Measured
) -> None:
    with house.nobody_matching():
        events = [house.publish(a_lot(333)) for _ in range(5)]
        assert house.system.manage("shell", "-c", SEND_THREE).returncode == 0
    for event in events:
        assert house.matches_when_done(event) == wanted
    rows = sum(len(house.records.matches_of(event)) for event in events)
    effects = rows / (len(events) * len(wanted))
    measured("effects of a task that is delivered three times", effects, at_least=1, at_most=1)


def test_three_workers_that_drain_at_once_share_the_work(house: AuctionHouse, wanted: list[int]) -> None:
    with house.nobody_matching():
        events = [house.publish(a_lot(333)) for _ in range(150)]
        with ThreadPoolExecutor(3) as pool:
            ends = list(pool.map(lambda _: house.system.manage("shell", "-c", DRAIN_NOW), range(3)))
        assert [end.returncode for end in ends] == [0, 0, 0], ends
        for event in events:
            assert house.matches_when_done(event) == wanted
