"""A person's first minutes: sign up, follow the link in the mail, sign in."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import sign_in
from tests.browser.looks import link_in_newest_mail, mail_sent, signed_up
from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database


def test_a_visitor_signs_up_follows_the_mail_and_signs_in(system: RunningSystem, page: Page) -> None:
    address, password = "visitor@example.org", "a table of oak, please"
    page.goto(system.url)
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign up", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check your email")

    page.goto(link_in_newest_mail(system, address))
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text(f"You are signed in as {address}")).to_be_visible()

    page.get_by_text("Account", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    sign_in(system, page, address, password)
    expect(page.get_by_text(f"You are signed in as {address}")).to_be_visible()


def test_a_forgotten_password_is_set_anew_by_mail(system: RunningSystem, page: Page) -> None:
    address = "forgetful@example.org"
    signed_up(system, page, address, "soon to be forgotten")
    page.get_by_text("Account", exact=True).click()
    page.get_by_role("button", name="Sign out").click()

    page.goto(f"{system.url}/accounts/password/reset/")
    page.get_by_label("Email").fill(address)
    page.get_by_role("main").get_by_role("button").first.click()
    page.wait_for_url(f"{system.url}/accounts/password/reset/done/")
    page.goto(link_in_newest_mail(system, address))
    for field in page.locator("input[type=password]").all():
        field.fill("this one I shall keep")
    page.get_by_role("main").get_by_role("button").last.click()
    page.wait_for_url(f"{system.url}/accounts/password/reset/key/done/")
    sign_in(system, page, address, "this one I shall keep")
    expect(page.get_by_text(f"You are signed in as {address}")).to_be_visible()


def test_staff_read_the_mails_in_the_outbox(system: RunningSystem, demo_page: Page) -> None:
    page = demo_page
    name = mail_sent(system, page)
    page.goto(f"{system.url}/outbox")
    page.get_by_role("main").locator(f"a[href$='/{name}']").click()
    expect(page.get_by_role("main")).to_contain_text("nobody-knows@example.org")
