"""The schema browser and the tree picker in a real browser, by keyboard only."""

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from schema_registry import services
from schema_registry.services import Author
from tests.browser.looks import hold_time, seek
from tests.integration import cached

pytestmark = pytest.mark.any_database

LONG = "A very long name of something that is sold" * 2


@pytest.fixture
def url(live_server: LiveServer, settings: Settings) -> str:
    settings.ROOT_URLCONF = "tests.browser.picker_page"
    cached.forget()
    by = Author(None)
    tree = {"furniture": None, "tables": "furniture", "dining": "tables", "art": None, LONG: "furniture"}
    tree |= {f"painting {number}": "art" for number in range(250)}
    labels = {"tables": "Tables", "dining": "Dining tables", "art": "Art", LONG: f"{LONG} label"}
    services.create_domain(by, "category", {"kind": "hierarchical", "values": tree, "labels": labels})
    periods = {"kind": "enumerated", "values": ["XVI", "XVII", "XVIII"], "order": [["XVI", "XVII"]]}
    services.create_domain(by, "period", periods)
    for name, domain in {"kind": "category", "period": "period"}.items():
        services.create_attribute(by, name, domain)
    marks = {"kind": ["mandatory", "multiple"], "period": ["optional", "unique"]}
    services.create_event_type(by, "lot", marks)
    services.deprecate_value(by, "category", LONG)
    return live_server.url


def test_a_tree_is_opened_and_walked_with_the_arrow_keys(url: str, page: Page) -> None:
    page.goto(f"{url}/schema/domains/category")
    page.get_by_role("link", name="furniture", exact=True).focus()
    page.keyboard.press("ArrowRight")
    tables = page.get_by_role("link", name="Tables", exact=True)
    expect(tables).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(tables).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("link", name="furniture", exact=True)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(tables).to_be_hidden()
    page.get_by_role("button", name="What is below Art").press("Enter")
    more = page.get_by_role("link", name="50 more")
    more.press("Enter")
    expect(page.get_by_role("link", name="painting 200")).to_be_focused()
    expect(page.get_by_role("link", name="painting")).to_have_count(250)


def test_a_tab_keeps_nothing_but_its_address(url: str, page: Page) -> None:
    """htmx would keep the page itself, with the name of who is signed in, for whoever comes after."""
    page.goto(f"{url}/schema")
    page.get_by_role("searchbox").press_sequentially("kin")
    expect(page).to_have_url(f"{url}/schema?q=kin")
    page.goto(f"{url}/schema/domains/category")
    assert page.evaluate("({...sessionStorage})") == {
        "htmx-current-path-for-history": "/schema/domains/category"
    }
    assert page.evaluate("localStorage.length") == 0


def test_typing_finds_names_without_a_reload_and_an_example_is_copied(url: str, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{url}/schema")
    page.get_by_role("searchbox").press_sequentially("kin")
    found = page.locator("#found")
    expect(found.get_by_role("link", name="kind")).to_be_visible()
    expect(page).to_have_url(f"{url}/schema?q=kin")
    button = found.get_by_role("button", name="Copy")
    hold_time(page)  # it says so for two seconds only
    button.press("Enter")
    expect(found.get_by_role("button", name="Copied")).to_be_focused()
    assert page.evaluate("navigator.clipboard.readText()") == "kind <= Tables"
    page.reload()
    expect(found.get_by_role("link", name="kind")).to_be_visible()


def test_values_are_picked_and_removed_by_keyboard_only(url: str, page: Page) -> None:
    page.goto(f"{url}/pickers?kind=art")
    page.evaluate(
        "document.addEventListener('change', (event) => (window.changes ??= []).push(event.target.id))"
    )
    field = page.get_by_role("combobox", name="Category")
    field.focus()
    seek(field, "tab")
    option = page.get_by_role("option", name="Dining tables")
    expect(option).to_be_visible()
    assert "furniture > Tables" in option.inner_text()
    page.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(field).to_have_value("")
    expect(page.get_by_role("button", name="Remove Dining tables")).to_be_visible()
    page.keyboard.type("zzz")
    expect(page.get_by_role("option", name="No value has this in its name.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # look through them all
    fold = page.get_by_role("button", name="What is below furniture")
    expect(fold).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Tables", exact=True)).to_be_visible()
    assert page.get_by_role("button", name=f"{LONG} label").count() == 0, "deprecated values are not offered"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Tables", exact=True)).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Remove Art").press("Enter")
    expect(page.get_by_role("button", name="Remove Dining tables")).to_be_focused()
    assert page.evaluate("window.changes") == ["kinds", "kinds", "kinds"]
    assert page.evaluate("new FormData(document.forms[0]).getAll('kind')") == ["dining", "tables"]


def test_a_picker_for_one_value_keeps_the_last(url: str, page: Page) -> None:
    page.goto(f"{url}/pickers")
    field = page.get_by_role("combobox", name="Period")
    for typed in ("XVI", "XVIII"):
        field.focus()
        seek(field, typed)
        expect(page.get_by_role("option", name=typed, exact=True)).to_have_attribute("aria-selected", "true")
        field.press("Enter")
    assert page.evaluate("new FormData(document.forms[0]).getAll('period')") == ["XVIII"]


def test_without_scripts_values_are_typed_and_unticked(url: str, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{url}/pickers?kind=tables&kind=art")
    page.get_by_role("checkbox", name="Art").uncheck()
    page.get_by_label("Category", exact=True).fill("furniture > Tables")
    page.get_by_role("button", name="Send").click()
    assert page.url == f"{url}/sent?kind=tables&kind=furniture+%3E+Tables&period="
    page.goto(f"{url}/schema/domains/category")
    page.get_by_role("link", name="furniture", exact=True).click()
    page.get_by_role("link", name="Tables", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tables")
    context.close()
