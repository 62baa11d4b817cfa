"""The open feed in a real browser: what is published appears by itself, and nothing moves that one reads."""

import itertools
import time
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from lesubscribe.demo import DEMO_EMAIL
from tests.integration.test_live_service import call, key, post
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database
SECONDS_TO_MATCH, SECONDS_TO_FOCUS = 300, 60
_crates, _items = itertools.count(1), itertools.count(1)


class House:
    """A publisher whose items a person looks for, on a running system: those of one crate, each its own."""

    def __init__(self, system: RunningSystem) -> None:
        self._system = system
        self._publisher = key(system, "publisher", "Maison des caisses")
        self._subscriber = key(system, "subscriber", DEMO_EMAIL)
        post(system, self._publisher, "schema/domains", {"name": "crates", "definition": {"kind": "string"}})
        post(system, self._publisher, "schema/attributes", {"name": "crate", "domain": "crates"})
        crate = {"name": "crated", "attributes": {"crate": ["mandatory", "unique"]}}
        post(system, self._publisher, "schema/event-types", crate)

    def new_crate(self) -> tuple[str, str]:
        """Its name, and where its finds are in the feed."""
        name = f"crate {next(_crates)}"
        made = post(
            self._system,
            self._subscriber,
            "subscriptions",
            {"text": f"crate = '{name}'", "name": f"All of {name}"},
        )
        return name, f"{self._system.url}/feed?search={made['id']}"

    def publish(self, crate: str, title: str) -> int:
        """Its number."""
        item = {
            "external_id": f"{crate}, {next(_items)}",
            "title": title,
            "url": f"{self._system.url}/healthz",
            "event": {"event_type": ["crated"], "crate": crate},
        }
        number: int = post(self._system, self._publisher, "events", item)["id"]
        return number

    def has_matched(self, number: int) -> bool:
        state: str = call(self._system, self._publisher, f"events/{number}")["state"]
        return state == "matched"


@pytest.fixture(scope="module")
def house(system: RunningSystem) -> House:
    return House(system)


@pytest.fixture
def reader(demo_page: Page) -> Page:
    return demo_page


@pytest.fixture
def eight(house: House) -> tuple[str, str]:
    """A crate in which eight items were found, and where they are in the feed."""
    crate, address = house.new_crate()
    events = [house.publish(crate, f"Item {number}") for number in range(8)]
    wait_until(lambda: all(map(house.has_matched, events)), seconds=SECONDS_TO_MATCH)
    return crate, address


@pytest.fixture
def filled(eight: tuple[str, str], reader: Page) -> tuple[Page, str]:
    """The open feed of such a crate, and the crate."""
    crate, address = eight
    reader.goto(address)
    expect(cards(reader)).to_have_count(8)
    return reader, crate


def cards(page: Page) -> Locator:
    return page.locator("[data-card]")


def unseen(page: Page) -> int:
    return int(page.locator("nav.top-bar [data-unseen]").get_attribute("data-unseen") or 0)


def focused_title(page: Page) -> str:
    return (
        str(page.evaluate("document.activeElement.querySelector('h3')?.innerText ?? ''"))
        .split("(")[0]
        .strip()
    )


def wait_until_focused(page: Page, title: str) -> None:
    wait_until(
        lambda: focused_title(page) == title, seconds=SECONDS_TO_FOCUS, why=lambda: focused_title(page)
    )


def test_a_find_slides_into_the_open_feed_by_itself(house: House, reader: Page) -> None:
    crate, address = house.new_crate()
    day = datetime.now(UTC).date()
    reader.goto(address)
    expect(reader.get_by_text("No find fits these filters")).to_be_visible()
    house.publish(crate, "Oak table")
    began = time.monotonic()
    expect(cards(reader)).to_have_count(1)
    print(f"shown {time.monotonic() - began:.2f} s after it was published")
    if datetime.now(UTC).date() == day:  # else it may have been found yesterday
        expect(reader.get_by_role("heading", name="Today")).to_be_visible()
    expect(reader.get_by_text("No find fits these filters")).to_be_hidden()
    cards(reader).locator(".why summary").click()
    expect(reader.get_by_text(f"crate is {crate}")).to_be_visible()


def test_who_has_scrolled_gets_a_bar_and_sees_nothing_move(house: House, filled: tuple[Page, str]) -> None:
    reader, crate = filled
    reader.set_viewport_size({"width": 360, "height": 600})
    fourth = cards(reader).nth(3)
    fourth.scroll_into_view_if_needed()
    assert reader.evaluate("scrollBy({top: 200, behavior: 'instant'}), scrollY") > 100
    place = fourth.bounding_box()
    house.publish(crate, "Late one")
    bar = reader.get_by_role("button", name="Show 1 new item")
    expect(bar).to_be_visible()
    assert fourth.bounding_box() == place
    expect(cards(reader)).to_have_count(8)
    house.publish(crate, "Later one")
    expect(reader.get_by_role("button", name="Show 2 new items")).to_be_visible()
    reader.keyboard.press("n")
    expect(cards(reader)).to_have_count(10)
    wait_until_focused(reader, "Later one")
    wait_until(lambda: reader.evaluate("scrollY") == 0, seconds=SECONDS_TO_FOCUS)
    expect(reader.locator("[data-show-new]")).to_be_hidden()


def test_the_feed_is_read_by_keys(filled: tuple[Page, str]) -> None:
    reader, _ = filled
    reader.keyboard.press("j")
    reader.keyboard.press("j")
    wait_until_focused(reader, "Item 6")
    reader.keyboard.press("k")
    wait_until_focused(reader, "Item 7")
    reader.keyboard.press("h")
    expect(reader.get_by_text("Hidden: Item 7")).to_be_visible()
    expect(cards(reader)).to_have_count(7)
    reader.keyboard.press("u")
    expect(cards(reader)).to_have_count(8)
    wait_until_focused(reader, "Item 7")
    with reader.context.expect_page() as opened:
        reader.keyboard.press("o")
    opened.value.wait_for_url("**/healthz")
    opened.value.close()
    reader.bring_to_front()
    reader.keyboard.press("?")
    expect(reader.get_by_role("dialog")).to_be_visible()
    reader.keyboard.press("Escape")
    expect(reader.get_by_role("dialog")).to_be_hidden()
    reader.get_by_label("Words in the title").press_sequentially("j?h")
    expect(reader.get_by_label("Words in the title")).to_have_value("j?h")
    expect(reader.get_by_role("dialog")).to_be_hidden()


def test_what_was_in_view_for_a_second_no_longer_counts_as_new(eight: tuple[str, str], reader: Page) -> None:
    _, address = eight
    reader.clock.install()
    reader.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))  # until we have looked at the count
    reader.goto(address)
    expect(reader.locator("[data-unseen-item]")).to_have_count(8)
    before = unseen(reader)
    reader.set_viewport_size({"width": 1440, "height": 2400})
    with reader.expect_response("**/feed/seen"):
        reader.clock.resume()
    expect(reader.locator("[data-unseen-item]")).to_have_count(0)
    wait_until(lambda: unseen(reader) <= before - 8, seconds=60, why=lambda: f"{before}, {unseen(reader)}")
    reader.reload()
    expect(reader.locator(".badge.new")).to_have_count(0)
