"""Events wait for a worker that is away, and a schema that grows meanwhile does not trouble them."""

import pytest

from tests.chaos.kills import MATCH
from tests.faults.auction_house import AuctionHouse, a_lot
from tests.running_system import wait_until

pytestmark = pytest.mark.database


def test_an_event_is_accepted_while_nobody_matches_and_matched_afterwards(house: AuctionHouse) -> None:
    cheap = house.subscribe("price = 444")
    with house.nobody_matching():
        event = house.publish(a_lot(444))
        assert house.event(event)["state"] == "accepted"
    assert house.matches_when_done(event) == [cheap]


def test_changes_made_while_an_event_waits_do_not_touch_what_was_settled_before(house: AuctionHouse) -> None:
    stays, goes, edited, sleeps = (house.subscribe("price = 555") for _ in range(4))
    house.collector.ask("DELETE", f"subscriptions/{goes}", good={204})
    house.collector.ask("PATCH", f"subscriptions/{edited}", {"text": "price = 556"}, good={200})
    house.collector.ask("PATCH", f"subscriptions/{sleeps}", {"state": "paused"}, good={200})
    assert house.matches_when_done(house.publish(a_lot(555))) == [stays]
    assert house.matches_when_done(house.publish(a_lot(556))) == [edited]
    house.collector.ask("PATCH", f"subscriptions/{sleeps}", {"state": "active"}, good={200})
    assert house.matches_when_done(house.publish(a_lot(555))) == [stays, sleeps]


def test_workers_follow_a_schema_that_grows_in_mid_stream_without_a_restart(house: AuctionHouse) -> None:
    cheap = house.subscribe("price = 666")
    worker = wait_until(lambda: house.system.service(*MATCH), seconds=300)
    assert worker is not None
    before = {worker.pid, *(child.pid for child in worker.children())}
    with house.nobody_matching():
        waiting = house.publish(a_lot(666))
        woods = {"oak": None, "holm oak": "oak", "ash": None}
        house.extend_schema(
            "domains", {"name": "wood", "definition": {"kind": "hierarchical", "values": woods}}
        )
        house.extend_schema("attributes", {"name": "wood", "domain": "wood"})
        house.extend_schema("event-types/lot/attributes", {"attribute": "wood", "multiple": True})
        oak = house.subscribe("price = 666 and wood <= oak")
        any_but_oak = house.subscribe("price = 666 and not wood <= oak")
        holm, ash = (house.publish(a_lot(666, wood=[wood])) for wood in ("holm oak", "ash"))
    assert house.matches_when_done(waiting) == [cheap]
    assert house.matches_when_done(holm) == [cheap, oak]
    assert house.matches_when_done(ash) == [cheap, any_but_oak]
    assert house.event(waiting)["document"] == {"event_type": ["lot"], "price": 666}
    worker = house.system.service(*MATCH)
    assert worker is not None
    assert {worker.pid, *(child.pid for child in worker.children())} == before
