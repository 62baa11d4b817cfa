"""The text editor: colours, what could come next, what is wrong; by keyboard alone, and without scripts."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from schema_registry import services

pytestmark = pytest.mark.any_database

BY_STAFF = services.Author(None)
KINDS = {"furniture": None, "table": "furniture", "dining table": "table", "chair": "furniture"}


@pytest.fixture
def address(live_server: LiveServer, settings: Settings) -> str:
    settings.ROOT_URLCONF = "tests.browser.editor_page"
    services.create_domain(BY_STAFF, "money", {"kind": "numeric", "unit": "EUR"})
    services.create_domain(BY_STAFF, "kind", {"kind": "hierarchical", "values": KINDS})
    services.create_domain(BY_STAFF, "words", {"kind": "text"})
    services.create_attribute(BY_STAFF, "price", "money")
    services.create_attribute(BY_STAFF, "kind", "kind")
    services.create_attribute(BY_STAFF, "title", "words")
    return f"{live_server.url}/editor"


@pytest.fixture
def field(page: Page, address: str) -> Locator:
    """The editor, open, empty, and with the caret in it."""
    page.goto(address)
    page.locator("search-editor.is-alive").wait_for()
    found = page.get_by_label("What you look for")
    found.focus()
    return found


def coloured(page: Page) -> list[tuple[str, str]]:
    spans = page.locator(".editor-layer span[class]").all()
    found = [(span.inner_text(), span.get_attribute("class") or "") for span in spans]
    return [(text, kind) for text, kind in found if kind and text.strip()]


def layout(part: Locator) -> object:
    """What decides where its letters stand."""
    return part.evaluate(
        """(part, names) => [JSON.stringify(part.getBoundingClientRect()),
            ...names.map((name) => getComputedStyle(part)[name])]""",
        [
            "padding",
            "font",
            "letterSpacing",
            "tabSize",
            "whiteSpace",
            "overflowWrap",
            "wordBreak",
            "textIndent",
        ],
    )


def test_a_search_is_written_with_the_keyboard_alone(page: Page, field: Locator) -> None:
    offers = page.get_by_role("option")
    page.keyboard.type("ki")
    expect(offers).to_have_text(["kind hierarchical"])
    expect(field).to_have_attribute("aria-activedescendant", offers.first.get_attribute("id") or "")
    page.keyboard.press("Enter")
    expect(offers.first).to_have_text("=")
    page.keyboard.type("<= 'di")
    expect(offers).to_have_text(["'dining table' furniture > table > dining table"])
    page.keyboard.press("Tab")
    expect(offers).to_have_text(["and", "or"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(field).to_have_value("kind <= 'dining table' and ")
    expect(page.get_by_role("option", name="price numeric, EUR", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(offers).to_have_count(0)
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Save")).to_be_focused()


def test_tab_and_enter_do_what_they_always_do_until_a_letter_is_typed(page: Page, field: Locator) -> None:
    page.keyboard.press("Control+Space")
    expect(page.get_by_role("option")).not_to_have_count(0)
    page.keyboard.press("Enter")
    expect(field).to_have_value("\n")
    page.keyboard.press("Control+Space")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Save")).to_be_focused()


def test_what_was_taken_can_be_undone_and_the_page_hears_of_it(page: Page, field: Locator) -> None:
    page.evaluate("window.heard = []; document.addEventListener('input', (e) => heard.push(e.target.value))")
    page.keyboard.type("pri")
    page.get_by_role("option", name="price").click()
    expect(field).to_have_value("price ")
    assert page.evaluate("heard.at(-1)") == "price "
    page.keyboard.press("Control+z")
    expect(field).to_have_value("pri")


def test_letters_typed_after_an_offer_was_made_are_part_of_what_it_takes_the_place_of(
    page: Page, field: Locator
) -> None:
    page.route("**/language/completions", lambda route: None if '"ki"' in asked(route) else route.continue_())
    page.keyboard.type("k")
    expect(page.get_by_role("option")).to_have_text(["kind hierarchical"])
    page.keyboard.type("i")  # for which no answer comes
    page.keyboard.press("Enter")
    expect(field).to_have_value("kind ")


def asked(route: Route) -> str:
    return route.request.post_data or ""


def test_words_have_their_colours(page: Page, address: str) -> None:
    first = "price <= 200 AND not kind in (table, 'dining table') or title contains and-so"
    text = f"{first}\nand kind between a and b"
    page.goto(f"{address}?text={quote(text)}")
    expect(page.locator(".editor-layer .wrong")).not_to_have_count(0)  # so it was painted for the last time
    assert coloured(page)[:9] == [
        *(("price", "attribute"), ("<=", "operator"), ("200", "value"), ("AND", "keyword")),
        *(
            ("not", "keyword"),
            ("kind", "attribute"),
            ("in", "operator"),
            ("(", "bracket"),
            ("table", "value"),
        ),
    ]
    values = [kind for word, kind in coloured(page) if word in ("and-so", "a", "b")]
    assert [kind.split()[0] for kind in values] == ["value"] * 3


def test_a_mistake_is_underlined_told_and_mended(page: Page, field: Locator) -> None:
    page.keyboard.type("🪑 ")  # two halves in JavaScript, one character to the server
    page.keyboard.press("Control+a")
    page.keyboard.type("prise <= 200")
    said = page.locator(".editor-said")
    expect(said).to_contain_text("There is no attribute 'prise'.")
    expect(page.locator(".wrong")).to_have_text("prise")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert layout(field) == layout(page.locator(".editor-layer"))
    page.get_by_role("button", name="Use price").click()
    expect(field).to_have_value("price <= 200")
    expect(said).to_be_empty()
    expect(page.locator(".wrong")).to_have_count(0)


def test_what_is_not_finished_is_wrong_only_when_one_leaves_it(page: Page, field: Locator) -> None:
    page.keyboard.type("price <=")
    page.keyboard.press("Escape")
    expect(page.locator(".editor-said")).not_to_be_empty()
    expect(page.locator(".wrong")).to_have_count(0)
    page.get_by_role("button", name="Save").focus()
    expect(page.locator(".wrong")).to_have_count(1)
    expect(field).to_have_attribute("aria-invalid", "true")


def test_a_word_is_not_wrong_while_it_is_offered_an_ending(page: Page, field: Locator) -> None:
    with page.expect_response("**/language/check"):
        page.keyboard.type("kind = ta")
    expect(page.get_by_role("option")).to_have_text(["table furniture > table"])
    expect(page.locator(".editor-said")).not_to_be_empty()
    expect(page.locator(".wrong")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".wrong")).to_have_text("ta")


def test_a_text_from_outside_takes_its_place(page: Page, field: Locator) -> None:
    field.evaluate(
        """(field, detail) => field.dispatchEvent(new CustomEvent(
            "lesubscribe:settext", {detail, bubbles: true}))""",
        "price < 'x'",
    )
    expect(field).to_have_value("price < 'x'")
    expect(page.locator(".wrong")).to_have_text("'x'")


def test_an_old_answer_is_dropped(page: Page, field: Locator) -> None:
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/language/check", hold_the_first)
    with page.expect_request("**/language/check"):
        page.keyboard.type("prise <= 1")
    field.fill("price <= 'x'")
    expect(page.locator(".wrong")).to_have_text("'x'")
    held[0].continue_()
    field.fill("price <= 2")
    expect(page.locator(".editor-said")).to_be_empty()
    expect(page.locator(".wrong")).to_have_count(0)


def test_without_scripts_it_is_a_textarea(chromium: Browser, address: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}?text=price")
    field = page.get_by_label("What you look for")
    expect(field).to_have_value("price")
    field.fill("price <= 2")
    page.get_by_role("button", name="Save").click()
    assert page.url.endswith("?text=price+%3C%3D+2")
    context.close()
