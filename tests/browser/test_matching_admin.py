"""Staff look after subscriptions, events and matches; lists fit the screen."""

import pytest
from playwright.sync_api import Page, expect

from tests.integration.test_live_service import call, key, post
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database  # tests/integration/admin has the same pages on both

LISTS = [
    "matching/subscription",
    "matching/publishedevent",
    "matching/match",
    "schema_registry/schemaversion",
]
WIDTHS = [768, 1200, 1440]


@pytest.fixture(scope="module")
def matched(system: RunningSystem) -> None:
    """A long title, a long name, and a match of the two."""
    publisher = key(system, "publisher", "Clocks of Besançon")
    subscriber = key(system, "subscriber", "a-friend-of-clocks@example.org")
    clocks = {"name": "clocks", "attributes": {"ticks_an_hour": ["mandatory", "unique"]}}
    post(system, publisher, "schema/domains", {"name": "ticks", "definition": {"kind": "numeric"}})
    post(system, publisher, "schema/attributes", {"name": "ticks_an_hour", "domain": "ticks"})
    post(system, publisher, "schema/event-types", clocks)
    search = {"name": "Clocks for the long winter evenings", "text": "ticks_an_hour >= 3600"}
    post(system, subscriber, "subscriptions", search)
    item = {
        "external_id": "CLK-000017",
        "title": "Comtoise clock with a painted enamel dial",
        "event": {"event_type": ["clocks"], "ticks_an_hour": 3600},
    }
    number = post(system, publisher, "events", item)["id"]
    wait_until(lambda: call(system, publisher, f"events/{number}")["state"] == "matched", seconds=300)


@pytest.mark.usefixtures("matched")
def test_no_list_is_cut_off_at_any_width(system: RunningSystem, demo_page: Page) -> None:
    page = demo_page
    for name in LISTS:
        page.goto(f"{system.url}/admin/{name}/")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            for part in ("document.documentElement", "document.querySelector('.results')"):
                overflow = page.evaluate(f"{part}.scrollWidth - {part}.clientWidth")
                assert overflow <= 0, f"{name} at {width} px: {part} is {overflow} px too wide"


@pytest.mark.usefixtures("matched")
def test_an_event_is_found_looked_at_and_withdrawn(system: RunningSystem, demo_page: Page) -> None:
    page = demo_page
    page.goto(f"{system.url}/admin/matching/publishedevent/")
    page.locator("#searchbar").fill("CLK-000017")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Comtoise clock").click()
    expect(page.locator(".field-values")).to_contain_text("3600")
    expect(page.locator(".matches")).to_contain_text("a-friend-of-clocks@example.org")
    page.get_by_role("link", name="Withdraw").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.locator(".field-state")).to_contain_text("withdrawn")
