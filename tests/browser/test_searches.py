"""The list of searches in a real browser: pause, delete and take it back, many at once, by keyboard."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from matching.models import Subscription
from tests.browser.looks import signed_in_by_cookie
from tests.integration.collector import Collector

pytestmark = pytest.mark.any_database

NAMES = ["Stamps of Ceylon", "Stamps of Peru", "x" * 120]


@pytest.fixture
def searches(collector: Collector) -> None:
    for place, name in enumerate(NAMES):
        collector.searches(f"price >= {place}", name=name, days=None)


@pytest.fixture
def list_page(live_server: LiveServer, searches: None, reader: Page) -> Page:
    reader.goto(f"{live_server.url}/searches")
    return reader


def state_of(name: str) -> str:
    return Subscription.objects.get(name=name).state


def test_a_search_is_paused_and_resumed_by_keyboard_without_a_new_page(list_page: Page) -> None:
    list_page.evaluate("window.isTheSamePage = true")
    row = list_page.get_by_role("listitem").filter(has_text="Stamps of Peru")
    pause = row.get_by_role("button", name="Pause")
    pause.focus()
    list_page.keyboard.press("Enter")
    resume = row.get_by_role("button", name="Resume")
    expect(resume).to_be_focused()  # the keyboard goes on where it was
    expect(row).to_contain_text("we do not look for it")
    expect(list_page.get_by_role("status").filter(has_text="“Stamps of Peru” is paused")).to_have_count(1)
    expect(list_page.get_by_role("navigation", name="Searches by state")).to_contain_text("Paused 1")
    assert state_of("Stamps of Peru") == "paused"
    list_page.keyboard.press("Enter")
    expect(row).to_contain_text("tells you at once")
    assert list_page.evaluate("window.isTheSamePage")


def test_whoever_presses_again_at_once_gets_no_new_page_either(list_page: Page) -> None:
    list_page.evaluate(
        """window.isTheSamePage = true
        document.addEventListener("focusin", (event) => {
          if (event.target.textContent.includes("Resume")) setTimeout(() => event.target.click())
        })"""
    )
    row = list_page.get_by_role("listitem").filter(has_text="Stamps of Peru")
    row.get_by_role("button", name="Pause").focus()
    list_page.keyboard.press("Enter")
    expect(list_page.get_by_role("status").filter(has_text="“Stamps of Peru” is active again")).to_have_count(
        1
    )
    assert list_page.evaluate("window.isTheSamePage")


def test_a_search_is_deleted_at_once_and_taken_back(list_page: Page) -> None:
    name = "Stamps of Ceylon"
    row = list_page.get_by_role("listitem").filter(has_text=name)
    row.get_by_role("button", name="Delete").click()
    undo = list_page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    assert state_of(name) == "removed"
    list_page.keyboard.press("Enter")
    expect(row.get_by_role("link", name=name)).to_be_visible()
    assert state_of(name) == "active"


def test_all_of_a_page_are_ticked_deleted_and_taken_back(list_page: Page) -> None:
    list_page.get_by_label("Every one on this page").check()
    expect(list_page.get_by_label("Which searches")).to_contain_text(f"Ticked ({len(NAMES)})")
    list_page.get_by_label(f"Tick {NAMES[2]}").uncheck()
    list_page.get_by_label("What to do with them").select_option("Delete")
    list_page.get_by_role("button", name="Do it").click()
    expect(list_page.get_by_text("2 searches are deleted.")).to_be_visible()
    assert state_of(NAMES[0]) == "removed"
    list_page.get_by_role("button", name="Undo").click()
    expect(list_page.get_by_text("2 searches are back.")).to_be_visible()
    assert state_of(NAMES[0]) == "active"


@pytest.mark.usefixtures("searches")
def test_without_scripts_the_same_can_be_done(
    live_server: LiveServer, collector: Collector, chromium: Browser
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    signed_in_by_cookie(context, live_server.url, collector.user)
    page.goto(f"{live_server.url}/searches?q=peru")
    page.get_by_role("button", name="Mute").click()
    expect(page.get_by_text("“Stamps of Peru” is muted.")).to_be_visible()
    assert page.url == f"{live_server.url}/searches?q=peru"
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_label("Which searches").select_option("all")
    page.get_by_label("What to do with them").select_option("resume")
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_text("1 search is active again.")).to_be_visible()
    context.close()


def test_while_a_file_is_read_the_page_says_so_and_sends_it_once(
    live_server: LiveServer, reader: Page
) -> None:
    reader.goto(f"{live_server.url}/searches/import")
    reader.get_by_label("File").set_input_files(
        {"name": "searches.json", "mimeType": "application/json", "buffer": b"{}"}
    )
    # As long as it stays on the way, Playwright would wait for the page that comes.
    reader.evaluate("document.addEventListener('submit', (event) => event.preventDefault())")
    button = reader.get_by_role("button", name="Import")
    button.click()
    expect(button).to_be_disabled()
    expect(reader.get_by_role("status").filter(has_text="Reading the file")).to_be_visible()
    reader.evaluate("dispatchEvent(new PageTransitionEvent('pageshow'))")
    expect(button).to_be_enabled()
    expect(reader.get_by_text("Reading the file")).to_have_count(0)
