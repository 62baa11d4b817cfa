"""A visitor who reads French: switches, signs up, gets mails, and switches back."""

import re
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from django.utils import translation
from django.utils.translation import gettext
from playwright.sync_api import Browser, Page, expect

from tests.browser.looks import check_look, link_in_newest_mail, newest_mail
from tests.integration.test_live_service import key, post
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database
ADDRESS, PASSWORD = "visiteuse@example.org", "une table en chêne, merci"


def fr(sentence: str) -> str:
    """As the catalogue has it."""
    with translation.override("fr"):
        return gettext(sentence)


def test_a_visitor_switches_to_french_signs_up_and_is_told_in_french(
    system: RunningSystem, page: Page
) -> None:
    page.goto(f"{system.url}/schema")
    expect(page.get_by_role("heading", level=1)).to_have_text("What you can ask")
    _switch(page, "Français")
    expect(page).to_have_url(f"{system.url}/schema")
    expect(page.get_by_role("heading", level=1)).to_have_text(fr("What you can ask"))
    check_look(page, "the schema in French")

    _sign_up(system, page)
    assert page.locator("html").get_attribute("lang") == "fr"
    expect(page.get_by_role("heading", level=1)).to_have_text(fr("Feed"))

    day = datetime.now(UTC).date()
    title = _find(system)
    message = wait_until(lambda: _mail_about(system, title), seconds=300)
    assert message is not None
    said = message.get_body(("html",))
    assert said is not None
    assert '<html lang="fr">' in said.get_content()
    assert "1\u202f250,50 EUR" in said.get_content()

    page.goto(f"{system.url}/feed")
    expect(page.get_by_role("main")).to_contain_text("1\u202f250,50 EUR")
    if datetime.now(UTC).date() == day:  # else it may have been found yesterday
        expect(page.get_by_role("heading", name=fr("Today"))).to_be_visible()
    check_look(page, "the feed in French")

    page.goto(f"{system.url}/account")
    expect(page.locator("dl.facts time")).to_have_text(re.compile(r"^\d{1,2} [a-zéû]+ \d{4}$"))
    check_look(page, "the account in French")
    _switch(page, "English")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
    page.goto(f"{system.url}/feed")
    expect(page.get_by_role("main")).to_contain_text("1,250.50 EUR")


def test_a_browser_that_asks_for_french_gets_it_without_scripts(
    system: RunningSystem, chromium: Browser
) -> None:
    context = chromium.new_context(locale="fr-FR", java_script_enabled=False)
    page = context.new_page()
    page.goto(system.url)
    assert page.locator("html").get_attribute("lang") == "fr"
    _switch(page, "English")
    assert page.locator("html").get_attribute("lang") == "en"
    context.close()


def _switch(page: Page, name: str) -> None:
    page.get_by_role("contentinfo").get_by_role("button", name=name).click()
    expect(page.get_by_role("contentinfo").get_by_role("button", name=name)).to_have_attribute(
        "aria-current", "true"
    )


def _sign_up(system: RunningSystem, page: Page) -> None:
    page.goto(f"{system.url}/accounts/signup/")
    page.get_by_label(fr("Email")).fill(ADDRESS)
    page.get_by_label(fr("Password"), exact=True).fill(PASSWORD)
    page.get_by_role("button", name=fr("Sign up"), exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(fr("Check your email"))
    newest = newest_mail(system, ADDRESS)
    message = message_from_bytes(newest.read_bytes(), policy=policy.default)
    assert message["Subject"] == fr("Confirm your email address for Le Subscribe")
    page.goto(link_in_newest_mail(system, ADDRESS))
    page.get_by_role("main").get_by_role("button", name=fr("Confirm")).click()
    page.wait_for_url(f"{system.url}/feed")


def _find(system: RunningSystem) -> str:
    """Something that a search of theirs finds; its title."""
    house, reader = key(system, "publisher", "Maison du Quai"), key(system, "subscriber", ADDRESS)
    money = {"kind": "numeric", "min": 0, "unit": "EUR"}
    post(system, house, "schema/domains", {"name": "quai_money", "definition": money})
    post(system, house, "schema/attributes", {"name": "quai_price", "domain": "quai_money"})
    marks = {"quai_price": ["optional", "unique"]}
    post(system, house, "schema/event-types", {"name": "quai", "attributes": marks})
    post(system, reader, "subscriptions", {"text": "event_type = quai and quai_price <= 2000"})
    title = "Commode du quai"
    event = {"event_type": ["quai"], "quai_price": 1250.5}
    post(system, house, "events", {"external_id": "quai-1", "title": title, "event": event})
    return title


def _mail_about(system: RunningSystem, title: str) -> EmailMessage | None:
    for path in (system.var / "outbox").glob("*.eml"):
        message = message_from_bytes(path.read_bytes(), policy=policy.default)
        if title in str(message["Subject"]) and ADDRESS in str(message["To"]):
            return message
    return None
