"""Saying what one looks for, in a real browser: by conditions, as text, with the keyboard alone."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from matching.models import PublishedEvent, Subscription
from tests.browser.looks import seek
from tests.integration.collector import Collector, item

pytestmark = pytest.mark.any_database


@pytest.fixture
def items(collector: Collector) -> None:
    for number in range(3):
        event = item(
            f"lot {number}",
            price=100 * (number + 1),
            title=f"Table {number}",
            attributes={"category": "dining-table", "title": "Oak dining table"},
        )
        days_ago = timezone.now() - timedelta(days=number)
        PublishedEvent.objects.filter(pk=event.pk).update(accepted_at=days_ago)


@pytest.fixture
def builder(reader: Page, live_server: LiveServer, items: None) -> Page:
    reader.set_viewport_size({"width": 1280, "height": 900})
    reader.goto(f"{live_server.url}/searches/new")
    return reader


def condition(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"Condition {number}", exact=True)


def found(page: Page) -> Locator:
    return page.get_by_role("region", name="What it would have found")


def text_field(page: Page) -> Locator:
    return page.get_by_label("Your search as text")


def choose_by_letters(field: Locator, letters: str, value: str) -> None:
    """By the beginning of a name, in a list. Whoever pauses for a second begins anew there, and so do we."""
    field.focus()
    field.page.keyboard.type(letters)
    while field.input_value() != value:
        field.page.wait_for_timeout(1_500)
        field.page.keyboard.type(letters)


def test_a_search_is_built_by_form_seen_as_text_saved_and_changed(builder: Page) -> None:
    page = builder
    condition(page, 1).get_by_label("What it is about").select_option("price")
    condition(page, 1).get_by_label("Value (EUR)").fill("250")
    expect(found(page)).to_contain_text("2 items in the last 30 days")
    page.get_by_role("button", name="Add a condition").click()
    expect(condition(page, 2).get_by_label("What it is about")).to_be_focused()
    condition(page, 2).get_by_label("What it is about").select_option("category")
    page.get_by_text("Or look through them all").click()
    page.get_by_role("button", name="What is below furniture").click()
    page.get_by_role("button", name="Tables", exact=True).click()
    expect(page.get_by_role("button", name="Remove Tables")).to_be_focused()
    page.get_by_text("As text", exact=True).click()
    expect(text_field(page)).to_have_value("price <= 250 and category <= table")
    expect(found(page)).to_contain_text("category is a kind of Tables: Dining table")
    expect(found(page).locator("canvas")).to_be_visible()

    text_field(page).fill("price <= 150 and title contains oak")
    expect(condition(page, 1).get_by_label("Value (EUR)")).to_have_value("150")
    expect(condition(page, 2).get_by_label("Words, all of which must occur")).to_have_value("oak")
    expect(found(page)).to_contain_text("1 item in the last 30 days")
    page.get_by_label("Name").fill("Cheap oak")
    page.get_by_role("button", name="Save this search").click()
    page.wait_for_url("**/searches")
    expect(page.get_by_role("status").first).to_contain_text("Your search is saved")

    saved = Subscription.objects.get()
    assert (saved.name, saved.text) == ("Cheap oak", "price <= 150 and title contains oak")
    page.goto(page.url + f"/{saved.pk}")
    condition(page, 2).get_by_role("button", name="Remove condition 2").click()
    expect(condition(page, 2)).to_have_count(0)
    page.get_by_role("button", name="Save changes").click()
    page.wait_for_url("**/searches")
    assert Subscription.objects.get().text == "price <= 150"


def test_a_search_is_built_with_the_keyboard_alone(builder: Page) -> None:
    page = builder
    press = page.keyboard.press
    choose_by_letters(condition(page, 1).get_by_label("What it is about"), "cat", "category")
    expect(condition(page, 1).get_by_label("How it compares")).to_be_visible()
    press("Tab")
    press("Tab")
    values = condition(page, 1).get_by_role("combobox", name="category", exact=True)
    expect(values).to_be_focused()
    seek(values, "dining")
    expect(page.get_by_role("option", name="Dining table")).to_be_visible()
    press("Enter")
    expect(page.get_by_role("button", name="Remove Dining table")).to_be_focused()
    expect(found(page)).to_contain_text("3 items in the last 30 days")
    while page.evaluate("document.activeElement.textContent.trim()") != "Add a condition":
        press("Tab")
    press("Enter")
    expect(condition(page, 2).get_by_label("What it is about")).to_be_focused()
    choose_by_letters(condition(page, 2).get_by_label("What it is about"), "pri", "price")
    expect(condition(page, 2).get_by_label("Value (EUR)")).to_be_visible()
    press("Tab")
    press("Tab")
    page.keyboard.type("150")
    press("Enter")  # saves nothing by surprise
    expect(found(page)).to_contain_text("1 item in the last 30 days")
    expect(condition(page, 2).get_by_label("Value (EUR)")).to_be_focused()
    assert not Subscription.objects.exists()
    while page.evaluate("document.activeElement.textContent.trim()") != "Save this search":
        press("Tab")
    press("Enter")
    page.wait_for_url("**/searches")
    assert Subscription.objects.get().canonical == "category <= dining-table and price <= 150"


def test_the_field_under_the_cursor_stays_and_a_mistake_appears_beside_it(builder: Page) -> None:
    page = builder
    condition(page, 1).get_by_label("What it is about").select_option("price")
    field = condition(page, 1).get_by_label("Value (EUR)")
    field.evaluate("field => { field.dataset.same = 'yes' }")
    field.press_sequentially("cheap")
    expect(condition(page, 1)).to_contain_text("price: 'cheap' is not a number.")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("data-same", "yes")
    field.fill("999")
    expect(condition(page, 1)).not_to_contain_text("is not a number")
    expect(found(page)).to_contain_text("3 items")


def test_groups_and_lists_of_values(builder: Page) -> None:
    page = builder
    page.get_by_text("Add a group").click()
    page.get_by_role("button", name="none of …").click()
    group = page.get_by_role("group", name="Group 2")
    group.get_by_label("What it is about").select_option("material")
    group.get_by_label("How it compares").select_option("in")
    group.get_by_label("Value 1").press_sequentially("oak")
    group.get_by_label("Value 2").press_sequentially("elm")
    expect(group.get_by_label("Value 3")).to_be_visible()
    page.get_by_text("As text", exact=True).click()
    expect(text_field(page)).to_have_value("not material in (oak, elm)")


def test_a_broken_text_leaves_the_conditions_and_says_so(builder: Page) -> None:
    page = builder
    page.get_by_text("As text", exact=True).click()
    text_field(page).fill("price <= 200")
    expect(condition(page, 1).get_by_label("Value (EUR)")).to_have_value("200")
    text_field(page).fill("price <= 200 and and")
    expect(page.get_by_text("the conditions above are those from before")).to_be_visible()
    expect(condition(page, 1).get_by_label("Value (EUR)")).to_have_value("200")


def test_a_double_click_saves_once_and_who_comes_back_can_save_again(
    builder: Page, live_server: LiveServer
) -> None:
    builder.goto(f"{live_server.url}/searches/new?text=price+exists")
    save = builder.get_by_role("button", name="Save this search")
    save.dblclick()
    builder.wait_for_url("**/searches")
    assert Subscription.objects.count() == 1
    builder.go_back()
    expect(save).to_be_enabled()
    save.click()
    builder.wait_for_url("**/searches")


def test_what_is_too_large_is_said_and_nothing_that_was_typed_is_lost(
    builder: Page, live_server: LiveServer
) -> None:
    builder.goto(f"{live_server.url}/searches/new?text=title+contains+oak")
    words = builder.get_by_label("Words, all of which must occur")
    words.fill("oak " * 3_000)
    said = builder.get_by_text("A search has at most 4,096 characters.")
    expect(said).to_be_visible()
    expect(words).to_have_value("oak " * 3_000)
    words.fill("elm")
    expect(said).to_be_hidden()
    expect(text_field(builder)).to_have_value("title contains elm")


def test_a_condition_by_an_operator_is_filled_in_and_says_what_was_found(builder: Page) -> None:
    row = condition(builder, 1)
    row.get_by_label("What it is about").select_option(label="alike text")
    row.get_by_label("title").select_option("title")
    row.get_by_label("text", exact=True).fill("oak dinning table")
    row.get_by_label("How it compares").select_option("at least")
    row.get_by_label("Value (score)").fill("80")
    builder.get_by_text("As text", exact=True).click()
    expect(text_field(builder)).to_have_value("similar(title, 'oak dinning table', ?score) and ?score >= 80")
    expect(found(builder)).to_contain_text("% like “oak dinning table” (at least 80)")
    row.get_by_label("What it is about").select_option("price")
    expect(row.get_by_label("Value (EUR)")).to_have_value("")
