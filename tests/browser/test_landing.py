"""The landing page: finds come in while somebody looks, and the command does what it says."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.looks import hold_time
from tests.integration.test_landing import Demo

pytestmark = pytest.mark.any_database


def test_a_find_comes_in_while_somebody_looks(live_server: LiveServer, page: Page) -> None:
    demo = Demo()
    demo.finds("Writing table in oak")
    page.goto(live_server.url)
    expect(page.locator(".found h3")).to_have_text(["Writing table in oak"])
    demo.finds("Refectory table in oak", seconds_ago=0)
    expect(page.locator(".found h3")).to_have_text(["Refectory table in oak", "Writing table in oak"])
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()


def test_the_command_is_copied(live_server: LiveServer, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(live_server.url)
    hold_time(page)  # it says so for two seconds only
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator(".command code").text_content()
