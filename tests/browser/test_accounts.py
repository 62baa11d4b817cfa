"""A person's first minutes: sign up, follow the link in the mail, sign in; and how the pages look."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from lesubscribe.demo import DEMO_EMAIL
from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database

ENTRANCES = ["/", "/accounts/signup/", "/accounts/login/", "/accounts/password/reset/"]
INSIDE = ["/", "/outbox", "/accounts/email/", "/accounts/password/change/", "/accounts/logout/"]
WIDTHS = [360, 768, 1440]


def test_a_visitor_signs_up_follows_the_mail_and_signs_in(system: RunningSystem, page: Page) -> None:
    address, password = "visitor@example.org", "a table of oak, please"
    page.goto(system.url)
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign up", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check your email")

    page.goto(link_in_newest_mail(system))
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text(f"You are signed in as {address}")).to_be_visible()

    page.get_by_text("Account", exact=True).click()
    page.get_by_role("button", name="Sign out").click()
    sign_in(system, page, address, password)
    expect(page.get_by_text(f"You are signed in as {address}")).to_be_visible()


def test_a_forgotten_password_is_set_anew_by_mail(system: RunningSystem, page: Page) -> None:
    address = "forgetful@example.org"
    page.goto(f"{system.url}/accounts/signup/")
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill("soon to be forgotten")
    page.get_by_role("button", name="Sign up", exact=True).click()
    page.goto(link_in_newest_mail(system))
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Account", exact=True).click()
    page.get_by_role("button", name="Sign out").click()

    page.goto(f"{system.url}/accounts/password/reset/")
    page.get_by_label("Email").fill(address)
    page.get_by_role("main").get_by_role("button").first.click()
    page.goto(link_in_newest_mail(system))
    for field in page.locator("input[type=password]").all():
        field.fill("this one I shall keep")
    page.get_by_role("main").get_by_role("button").last.click()
    sign_in(system, page, address, "this one I shall keep")
    expect(page.get_by_text(f"You are signed in as {address}")).to_be_visible()


def test_staff_read_the_mails_in_the_outbox(system: RunningSystem, page: Page) -> None:
    page.goto(f"{system.url}/accounts/password/reset/")
    page.get_by_label("Email").fill("nobody-knows@example.org")
    page.get_by_role("main").get_by_role("button").first.click()
    sign_in(system, page, DEMO_EMAIL, system.demo_password())
    page.goto(f"{system.url}/outbox")
    page.get_by_role("main").get_by_role("link").first.click()
    expect(page.get_by_role("main")).to_contain_text("nobody-knows@example.org")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible_and_fit_every_width(
    system: RunningSystem, chromium: Browser, scheme: str
) -> None:
    context = chromium.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    for path in ENTRANCES:
        check_look(system, page, path)
    sign_in(system, page, DEMO_EMAIL, system.demo_password())
    for path in INSIDE:
        check_look(system, page, path)
    context.close()


def test_pages_carry_a_strict_policy(system: RunningSystem, page: Page) -> None:
    answer = page.goto(system.url)
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def check_look(system: RunningSystem, page: Page, path: str) -> None:
    page.goto(system.url + path)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0, f"{path} scrolls sideways at {width} px"
    report = Axe().run(page)
    assert report.violations_count == 0, f"{path}: {report.generate_report()}"


def sign_in(system: RunningSystem, page: Page, address: str, password: str) -> None:
    page.goto(f"{system.url}/accounts/login/")
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(f"{system.url}/")


def link_in_newest_mail(system: RunningSystem) -> str:
    newest = max((system.var / "outbox").glob("*.eml"))
    found = re.search(rf"{re.escape(system.url)}/\S+", newest.read_text())
    assert found, newest.read_text()
    return found[0]
