"""Pages as they stand after somebody has done something: menus open, lists offered, mistakes told."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

NESTED = (
    "look_kind <= table and look_price between 100 and 2000 and not look_words contains oak"
    " and (look_kind in (table, chair) or look_state in (good, worn)"
    " or (look_price < 100 and (look_price < 50 or look_price > 300)))"
)


@dataclass(frozen=True, slots=True)
class State:
    """`bring_about` does to the page at `path` what makes it so."""

    what: str
    path: str
    bring_about: Callable[[Page], None]


def tree_open(page: Page) -> None:
    page.locator(".tree .fold").first.click()
    expect(page.locator(".tree ul li").first).to_be_visible()


def as_text(text: str) -> Callable[[Page], None]:
    def write(page: Page) -> None:
        page.get_by_text("As text", exact=True).click()
        page.get_by_label("Your search as text").fill(text)
        expect(page.locator("#preview-said")).not_to_be_empty()

    return write


def picker_open(page: Page) -> None:
    page.get_by_text("Or look through them all").first.click()
    expect(page.get_by_role("button", name="What is below furniture")).to_be_visible()


def ending_offered(page: Page) -> None:
    """The editor's list is open, and another word is underlined."""
    page.get_by_text("As text", exact=True).click()
    expect(page.locator(".wrong")).to_have_count(1)
    page.get_by_label("Your search as text").focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+Space")
    expect(page.get_by_role("option")).not_to_have_count(0)
    page.keyboard.press("ArrowDown")


def why_and_menu_open(page: Page) -> None:
    _card(page).locator(".why summary").first.click()
    _card(page).locator(".not-relevant summary").click()


def less_offered(page: Page) -> None:
    _card(page).locator(".not-relevant summary").click()
    _card(page).get_by_role("link", name="No more like this").click()
    expect(_card(page).locator(".less-choices")).to_contain_text("Leave out of")
    expect(_card(page).locator(".not-relevant")).not_to_have_attribute("open", "")


def keys_shown(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def card_hidden(page: Page) -> None:
    _card(page).locator(".not-relevant summary").click()
    _card(page).get_by_role("button", name="Hide this item").click()
    expect(page.locator("[data-hidden-card]")).to_be_visible()


def search_deleted(page: Page) -> None:
    page.locator("ul.searches > li").first.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Undo")).to_be_focused()


def all_ticked(page: Page) -> None:
    page.get_by_label("Every one on this page").check()


def event_checked(page: Page) -> None:
    page.get_by_role("button", name="Check it").click()
    expect(page.locator("#verdict h2")).to_be_visible()


def key_made(page: Page) -> None:
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_label("Your new key").last).to_be_visible()


def key_rotated(page: Page) -> None:
    page.get_by_role("button", name="Rotate").first.click()
    expect(page.get_by_role("button", name="Revoke the old one")).to_be_visible()


def key_revoked(page: Page) -> None:
    page.locator(".keys > li").first.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()


def withdrawing_asked(page: Page) -> None:
    page.get_by_text("Withdraw it…").click()
    expect(page.get_by_role("button", name="Withdraw it for good")).to_be_visible()


def counts_told(page: Page) -> None:
    expect(page.locator(".alike small").first).to_contain_text("in 30 days")


def not_shared(page: Page) -> None:
    if (stop := page.get_by_role("button", name="Stop sharing")).count():
        stop.click()
    expect(page.get_by_role("button", name="Make a link")).to_be_visible()


def _card(page: Page) -> Locator:
    return page.locator("[data-card]").first


STATES = (
    State("the tree, open", "/schema/domains/{tree}", tree_open),
    State("a new search, nested", "/searches/new", as_text(NESTED)),
    State("a new search, unfinished", "/searches/new", as_text("look_price <= 200 and")),
    State("a new search, its tree open", "/searches/new?text=look_kind+in+(table,chair)", picker_open),
    State("the editor", "/searches/new?text=look_prise+%3C%3D+200+or+", ending_offered),
    State("the feed, its menu open", "/feed?search={search}", why_and_menu_open),
    State("the feed, no more like this", "/feed?search={search}", less_offered),
    State("more like an item, with counts", "/feed/items/{event}/more", counts_told),
    State("a search that is not shared", "/searches/{odd_search}/share", not_shared),
    State("the feed, its keys", "/feed?search={search}", keys_shown),
    State("the feed, one hidden", "/feed?search={search}", card_hidden),
    State("searches, all ticked", "/searches", all_ticked),
    State("the playground, mistakes", "/publish/{house}/playground?example=%3F", event_checked),
    State("the playground, a valid event", "/publish/{house}/playground", event_checked),
    State("keys, one made", "/publish/{house}/keys", key_made),
    State("keys, one rotated", "/publish/{house}/keys", key_rotated),
    State("keys, one revoked", "/publish/{house}/keys", key_revoked),
    State("an item, to be withdrawn", "/publish/{house}/items/{event}", withdrawing_asked),
    State("searches, one deleted", "/searches?q=Tables+up+to", search_deleted),
)
