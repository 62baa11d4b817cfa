"""How to be told, in a real browser: a webhook with a real receiver, its test, removing it, and the hours."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from notifications import sending
from notifications.models import Channel, Delivery, Preferences
from tests.browser.looks import signed_in_by_cookie
from tests.integration.collector import Collector
from tests.integration.waiting import let_time_pass
from tests.running_system import wait_until
from tests.sinks import Behaviour, HttpSink

pytestmark = pytest.mark.any_database
SECONDS_TO_SEND = 60  # at most


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[HttpSink]:
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


@pytest.fixture
def telling(reader: Page, live_server: LiveServer) -> Page:
    reader.goto(f"{live_server.url}/notifications")
    return reader


def test_a_webhook_is_added_proves_itself_and_its_test_is_answered_in_place(
    telling: Page, sink: HttpSink
) -> None:
    telling.get_by_label("How").select_option("webhook")
    telling.get_by_label("Address", exact=True).fill("not an address")
    telling.get_by_role("button", name="Add", exact=True).click()
    expect(telling.locator(".new-channel .errorlist")).to_contain_text("is not an http or https address")
    telling.get_by_label("Address", exact=True).fill(sink.url("/told"))
    telling.get_by_role("button", name="Add", exact=True).click()
    card = telling.locator(".card", has_text=sink.url("/told"))
    expect(card).to_contain_text("once it has answered our challenge")
    secret = Channel.objects.get(kind="webhook").secret
    expect(card.get_by_label("Secret")).to_have_value(secret)
    sending.deliver(seconds=SECONDS_TO_SEND)
    telling.reload()
    expect(card).to_contain_text("active")

    card.get_by_role("button", name="Send a test").click()
    expect(card.locator(".result")).to_contain_text("On its way")
    sending.deliver(seconds=SECONDS_TO_SEND)
    expect(card.locator(".result")).to_contain_text("It arrived: your receiver answered 200")
    assert [receipt.content["type"] for receipt in sink.receipts()] == ["channel.verify", "channel.test"]

    sink.behave(Behaviour(status=500))
    Delivery.objects.update(planned_at=timezone.now() - timedelta(minutes=1))
    card.get_by_role("button", name="Send a test").click()
    expect(card.locator(".result")).to_contain_text("On its way")
    let_time_pass()
    sending.deliver(seconds=SECONDS_TO_SEND)
    expect(card.locator(".result")).to_contain_text("The receiver answered 500. We try again")


def test_a_removed_channel_can_be_had_back_for_a_while_and_is_gone_then(
    reader: Page, live_server: LiveServer
) -> None:
    page = reader
    page.clock.install()
    page.goto(f"{live_server.url}/notifications")
    card = page.locator(".card", has_text="collector@example.org")
    card.get_by_role("button", name="Remove").click()
    expect(card).to_contain_text("is removed, and nothing is sent to it")
    assert Channel.objects.get().state == "disabled"
    card.get_by_role("button", name="Undo").click()
    expect(card).to_contain_text("It is back.")
    page.clock.fast_forward(15_000)
    assert Channel.objects.get().state == "active"

    card.get_by_role("button", name="Remove").click()
    expect(card).to_contain_text("is removed")

    def is_gone_later() -> bool:
        page.clock.fast_forward(12_000)  # again and again: the page may not have begun to wait yet
        return card.count() == 0

    wait_until(is_gone_later, seconds=60)
    assert not Channel.objects.exists()


def test_quiet_hours_are_drawn_as_they_are_chosen_and_then_saved(
    chromium: Browser, live_server: LiveServer, collector: Collector
) -> None:
    context = chromium.new_context(timezone_id="Europe/Berlin")
    signed_in_by_cookie(context, live_server.url, collector.user)
    page = context.new_page()
    page.goto(f"{live_server.url}/notifications")
    page.get_by_role("button", name="Europe/Berlin").click()
    page.get_by_label("Quiet from").fill("22:00")
    page.get_by_label("Quiet until").fill("07:00")
    page.get_by_label("Quiet until").press("Tab")
    expect(page.locator("#day")).to_contain_text("Quiet from 22:00 to 07:00.")
    expect(page.locator(".day rect.quiet")).to_have_count(2)
    assert not Preferences.objects.exists()
    page.get_by_role("button", name="Save hours").click()
    expect(page.get_by_text("Saved. Your times are those of Europe/Berlin.")).to_be_visible()
    saved = Preferences.objects.get()
    assert (saved.time_zone, f"{saved.quiet_from:%H:%M}") == ("Europe/Berlin", "22:00")
    context.close()
