"""Services are told to stop, one after the other, while items come in: each comes back, nothing is lost."""

import threading

import psutil
import pytest

from tests.faults.auction_house import AuctionHouse, a_lot
from tests.running_system import wait_until

pytestmark = pytest.mark.database

RESTARTED = {
    "web": ("uvicorn",),
    "match": ("celery", "worker", "-Q match"),
}
SECONDS_TO_RETURN = 300


def test_a_rolling_restart_loses_no_event_and_doubles_no_match(house: AuctionHouse) -> None:
    wanted = [house.subscribe("price = 777") for _ in range(2)]
    published: list[int] = []
    over = threading.Event()

    def publish() -> None:
        while not over.wait(0.1):
            published.append(house.publish(a_lot(777)))

    publisher = threading.Thread(target=publish)
    publisher.start()
    try:
        for words in RESTARTED.values():
            restart(house, words)
            count = len(published)
            wait_until(lambda seen=count: len(published) > seen + 3, seconds=SECONDS_TO_RETURN)  # type: ignore[misc]
    finally:
        over.set()
        publisher.join()
    assert len(published) > 3 * len(RESTARTED)
    wait_until(lambda: not house.records.waiting(), seconds=SECONDS_TO_RETURN)
    recorded = house.records.recorded()
    assert len(set(published)) == len(published)
    assert {event.state for event in recorded.events if event.number in published} == {"matched"}
    pairs = sorted(pair for pair in recorded.matches if pair[0] in published)
    assert pairs == sorted((event, search) for event in published for search in wanted)


def restart(house: AuctionHouse, words: tuple[str, ...]) -> None:
    service = wait_until(lambda: house.system.service(*words), seconds=SECONDS_TO_RETURN)
    assert service is not None
    service.terminate()
    psutil.wait_procs([service], timeout=SECONDS_TO_RETURN)
    back = wait_until(lambda: house.system.service(*words), seconds=SECONDS_TO_RETURN)
    assert back is not None
    assert back.pid != service.pid
