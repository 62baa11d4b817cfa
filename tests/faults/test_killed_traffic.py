"""Whoever moves refusals into the tables is killed: what publishers are shown is exact all the same."""

import pytest

from tests.faults.auction_house import AuctionHouse, a_lot
from tests.faults.failpoints import Failpoints
from tests.running_system import wait_until

pytestmark = pytest.mark.database
SECONDS_UNTIL_COUNTED = 300  # the task runs every ten, and a new process takes some to start


@pytest.mark.parametrize("place", ["refusals.before-commit", "refusals.after-commit"])
def test_each_refusal_is_counted_once(house: AuctionHouse, failpoints: Failpoints, place: str) -> None:
    before = house.records.refused()
    failpoints.arm(place)
    lines = [a_lot(1), *({"external_id": str(number), "event": {}} for number in range(30))]
    answer = house.publisher.ask("POST", "events/batch", lines, good={200}).document
    assert answer["rejected"] == 30
    failpoints.wait_until_struck(place, seconds=SECONDS_UNTIL_COUNTED)
    # Refused afterwards, so that we know when all before it was seen.
    house.publisher.ask("POST", "events", {"external_id": "last", "event": {}}, good={422})
    wait_until(
        lambda: house.records.refused() >= before + 31,
        seconds=SECONDS_UNTIL_COUNTED,
        why=lambda: house.system.log[-3000:],
    )
    assert house.records.refused() == before + 31
