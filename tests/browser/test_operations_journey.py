"""Staff on the operations page: a parked event is found, understood, and tried again until it is matched."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lesubscribe.demo import DEMO_EMAIL
from matching.leases import MOST_ATTEMPTS
from tests.browser.chromium import sign_in
from tests.browser.looks import check_look
from tests.faults.auction_house import AuctionHouse, a_lot
from tests.faults.failpoints import Failpoints
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database

SECONDS_TO_MATCH, SECONDS_TO_PARK = 300, 300


@pytest.fixture
def failpoints(tmp_path: Path) -> Failpoints:
    folder = tmp_path / "failpoints"
    folder.mkdir()
    return Failpoints(folder)


@pytest.fixture
def house(failpoints: Failpoints, tmp_path: Path) -> Iterator[AuctionHouse]:
    system = RunningSystem(tmp_path / "var", FAILPOINTS=str(failpoints.directory)).start()
    with closing(AuctionHouse(system)) as house:
        yield house
    system.stop()


def test_a_parked_event_is_found_understood_and_tried_again_until_it_is_matched(
    house: AuctionHouse, failpoints: Failpoints, page: Page
) -> None:
    house.subscribe("price = 13")
    sign_in(house.system, page, DEMO_EMAIL, house.system.demo_password())
    page.get_by_text("Account", exact=True).click()
    page.get_by_role("link", name="Operations").click()
    expect(page.locator("#parked")).to_contain_text("None.")

    event = published_and_parked(house, failpoints)
    trouble = page.locator(".troubles > li", has_text="1 event is parked")
    expect(trouble).to_be_visible()  # the open page hears of it by itself: it asks every 10 s
    trouble.get_by_role("link").click()
    parked = page.locator("#parked")
    expect(parked).to_contain_text("No worker survived matching it 5 times.")
    expect(parked).to_contain_text("House")
    check_look(page, "the operations page with a parked event")

    failpoints.disarm("match.leased")  # the cause is gone
    parked.get_by_role("link", name="Try again").click()
    expect(page.get_by_role("main")).to_contain_text("No worker survived matching it 5 times.")
    page.get_by_label("Why").fill("the worker has been mended")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Tried again:")).to_be_visible()
    wait_until(
        lambda: house.event(event)["state"] == "matched",
        seconds=SECONDS_TO_MATCH,
        why=lambda: house.system.log[-3000:],
    )
    assert house.event(event)["match_count"] == 1

    expect(page.locator("#parked")).to_contain_text("None.")
    expect(page.locator(".troubles > li", has_text="parked")).to_have_count(0)
    expect(page.locator("#actions")).to_contain_text(f"{DEMO_EMAIL} · Event")
    expect(page.locator("#actions")).to_contain_text("To be tried again. the worker has been mended")
    sampled_and_drawn(house.system, page)


def published_and_parked(house: AuctionHouse, failpoints: Failpoints) -> int:
    """It kills each worker that takes it, the first and the fifth; leases would run out by themselves."""
    with house.nobody_matching():
        event = house.publish(a_lot(13))
        failpoints.arm("match.leased", event)

    wait_until(lambda: house.records.most_attempts() >= 1, seconds=SECONDS_TO_PARK)
    house.records.let_attempts_be(MOST_ATTEMPTS - 1)

    def is_parked() -> bool:
        house.records.let_leases_run_out()
        return bool(house.event(event)["state"] == "parked")

    wait_until(is_parked, seconds=SECONDS_TO_PARK, why=lambda: house.system.log[-3000:])
    return event


def sampled_and_drawn(system: RunningSystem, page: Page) -> None:
    """Two minutes' worth of samples, as the task writes them, become lines in all three plots."""
    sample = (
        "from datetime import timedelta; from django.utils import timezone;"
        "from lesubscribe.operations.sampling import sample;"
        "[sample(now=timezone.now() - timedelta(minutes=ago)) for ago in (2, 1, 0)]"
    )
    assert system.manage("shell", "-c", sample).returncode == 0
    page.reload()
    expect(page.locator("[data-plot] canvas")).to_have_count(3)
    page.get_by_text("As a table").click()
    expect(page.locator("[data-samples] tr").nth(2)).to_be_visible()
    check_look(page, "the operations page with plots")
