"""A search goes from one person to another by a link, and from an item of the feed to a new search."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.looks import hold_time, link_in_newest_mail
from tests.integration.test_live_service import call, key, post
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database
RECEIVER = "receiver@example.org"
SECONDS_TO_MATCH = 300
KINDS = {"things": None, "vases": "things", "urns": "vases"}


@pytest.fixture(scope="module")
def house(system: RunningSystem) -> str:
    publisher = key(system, "publisher", "Maison du Partage")
    kinds = {"kind": "hierarchical", "values": KINDS, "labels": {"vases": "Vases"}}
    for name, definition in (
        ("gift_money", {"kind": "numeric", "unit": "EUR"}),
        ("gift_kinds", kinds),
        ("gift_texts", {"kind": "text"}),
    ):
        post(system, publisher, "schema/domains", {"name": name, "definition": definition})
    attributes = {"gift_price": "gift_money", "gift_kind": "gift_kinds", "gift_title": "gift_texts"}
    for name, domain in attributes.items():
        post(system, publisher, "schema/attributes", {"name": name, "domain": domain})
    marks = {name: ["optional", "unique"] for name in attributes}
    post(system, publisher, "schema/event-types", {"name": "gift", "attributes": marks})
    return publisher


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[Page]:
    """Another browser than the one of `page`; an error on its console fails the test, too."""
    context = chromium.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def publish(system: RunningSystem, house: str, number: str, *, kind: str, price: int, title: str) -> None:
    event = {"event_type": ["gift"], "gift_kind": kind, "gift_price": price, "gift_title": title}
    made = post(system, house, "events", {"external_id": number, "title": title, "event": event})["id"]
    wait_until(lambda: call(system, house, f"events/{made}")["state"] == "matched", seconds=SECONDS_TO_MATCH)


def test_a_search_is_shared_copied_by_somebody_new_and_an_item_leads_to_another(
    system: RunningSystem, house: str, demo_page: Page, visitor: Page
) -> None:
    publish(system, house, "gift-1", kind="vases", price=90, title="Celadon vase")
    link = shared_by_its_owner(system, demo_page)

    visitor.goto(link)
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Vases to give")
    expect(visitor.get_by_role("region", name="What it would have found")).to_contain_text("Celadon vase")
    visitor.get_by_role("link", name="Sign up to get it").click()
    visitor.get_by_label("Email").fill(RECEIVER)
    visitor.get_by_label("Password").fill("a vase of celadon, please")
    visitor.get_by_role("button", name="Sign up", exact=True).click()
    visitor.wait_for_url(f"{system.url}/accounts/confirm-email/")
    visitor.goto(link_in_newest_mail(system, RECEIVER))
    visitor.get_by_role("button", name="Confirm").click()
    visitor.wait_for_url(re.compile("/searches/new"))
    expect(visitor.get_by_label("Name")).to_have_value("Vases to give")
    visitor.get_by_role("button", name="Save this search").click()
    expect(visitor.locator("ul.searches")).to_contain_text("Vases to give")

    stopped_by_its_owner(demo_page)
    assert visitor.request.get(link).status == 404
    visitor.goto(f"{system.url}/searches")
    expect(visitor.locator("ul.searches")).to_contain_text("Vases to give")

    publish(system, house, "gift-2", kind="urns", price=180, title="Funerary urn of Ravenna marble")
    saved_from_an_item(system, visitor)


def shared_by_its_owner(system: RunningSystem, page: Page) -> str:
    page.goto(f"{system.url}/searches/new?text=gift_kind+%3C%3D+vases&name=Vases+to+give")
    page.get_by_role("button", name="Save this search").click()
    row = page.locator("ul.searches > li", has_text="Vases to give")
    row.get_by_role("link", name="Share").click()
    page.get_by_role("button", name="Make a link").click()
    hold_time(page)  # it says so for two seconds only
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    page.clock.resume()
    return page.get_by_label("Link of this search").input_value()


def stopped_by_its_owner(page: Page) -> None:
    page.get_by_role("button", name="Stop sharing").click()
    expect(page.get_by_role("main")).to_contain_text("The link leads nowhere from now on.")


def saved_from_an_item(system: RunningSystem, page: Page) -> None:
    def is_there() -> bool:
        page.goto(f"{system.url}/feed")
        return page.locator("[data-card]", has_text="Funerary urn").count() > 0

    wait_until(is_there, seconds=SECONDS_TO_MATCH)
    card = page.locator("[data-card]", has_text="Funerary urn")
    card.locator("details.menu summary").click()
    card.get_by_role("link", name="Find more like this").click()
    proposals = page.get_by_role("region", name="More like Funerary urn of Ravenna marble")
    expect(proposals.get_by_role("listitem")).to_have_count(3)
    expect(proposals.get_by_role("listitem").nth(1)).to_contain_text("1 item in 30 days")
    proposals.get_by_role("link", name="Gift kind is a kind of Vases").click()
    expect(page.get_by_label("Your search as text")).to_have_value(
        "gift_kind <= vases and gift_price between 100 and 300"
    )
    page.get_by_role("button", name="Save this search").click()
    expect(page.locator("ul.searches")).to_contain_text("gift price between 100 EUR and 300 EUR")
