"""What tests of pages share: signing in, the mail that came, and how every page must look."""

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright.sync_api import BrowserContext, Locator, Page, expect

from schema_registry.accounts.models import User
from tests.running_system import RunningSystem, wait_until

WIDTHS = [360, 768, 1440]
# Its preload of style sheets puts them inline, against our policy; no rule in use needs it.
_ALWAYS = {"preload": False, "resultTypes": ["violations"]}
# Nothing but colours is another in the dark, so what else is wrong was found in the light.
_OF_COLOURS = ("color-contrast", "link-in-text-block")
_AXE = Axe().axe_script
# Nothing else leaves the page: what is well, in all its words, would be most of the answer.
_VIOLATIONS = """(options) => {
    for (const each of document.getAnimations()) {
        if (each instanceof CSSTransition) each.finish()  // between two colours it is neither
    }
    return axe.run(options).then((answer) => answer.violations)
}"""
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# In our own frame the body holds everything; something that was meant to be out of sight may stand out of it.
_EMPTY_BELOW = """!document.querySelector("body > footer") ? 0 : document.documentElement.scrollHeight
    - Math.max(innerHeight, Math.ceil(document.body.getBoundingClientRect().bottom + scrollY))"""


def check_look(page: Page, what: str, *, without: tuple[str, ...] = ()) -> None:
    """The page as it stands fits every width, and axe finds nothing, in light and in dark."""
    wrong = wrong_with(page, what, without=without)
    assert not wrong, "\n".join(wrong)


def wrong_with(page: Page, what: str, *, without: tuple[str, ...] = ()) -> list[str]:
    """In words, each beginning with what it is about; `without` are rules of axe that do not apply."""
    wrong = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        if (too_wide := page.evaluate(_TOO_WIDE)) > 0:
            wrong.append(f"{what}: {too_wide} px too wide at {width} px")
        if (empty := page.evaluate(_EMPTY_BELOW)) > 0:
            wrong.append(f"{what}: {empty} px empty below its end at {width} px")
    page.evaluate(_AXE)
    options: dict[Literal["light", "dark"], dict[str, Any]] = {
        "light": {"rules": {rule: {"enabled": False} for rule in without}},
        "dark": {"runOnly": [rule for rule in _OF_COLOURS if rule not in without]},
    }
    for scheme, chosen in options.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found: list[dict[str, Any]] = page.evaluate(_VIOLATIONS, _ALWAYS | chosen)
        for violation in found:
            places = [node["html"][:200] for node in violation["nodes"][:3]]
            wrong.append(f"{what}, {scheme}: {violation['id']}: {violation['help']}: {places}")
    return wrong


def signed_in_by_cookie(context: BrowserContext, url: str, user: User) -> None:
    """Without the form; the server at this address shares the test's database."""
    client = Client()
    client.force_login(user)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": url}])


def signed_up(system: RunningSystem, page: Page, address: str, password: str) -> None:
    """A new account, signed in: by the form, and the link in the mail."""
    page.goto(f"{system.url}/accounts/signup/")
    page.get_by_label("Email").fill(address)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign up", exact=True).click()
    page.wait_for_url(f"{system.url}/accounts/confirm-email/")
    page.goto(link_in_newest_mail(system, address))
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url(f"{system.url}/feed")


def mail_sent(system: RunningSystem, page: Page) -> str:
    """Has us send a mail, to somebody we do not know; the answer is its name in the outbox."""
    address = "nobody-knows@example.org"
    page.goto(f"{system.url}/accounts/password/reset/")
    page.get_by_label("Email").fill(address)
    page.get_by_role("main").get_by_role("button").first.click()
    page.wait_for_url(f"{system.url}/accounts/password/reset/done/")
    return newest_mail(system, address).stem


def link_in_newest_mail(system: RunningSystem, address: str) -> str:
    newest = newest_mail(system, address)
    found = re.search(rf"{re.escape(system.url)}/\S+", newest.read_text())
    assert found, newest.read_text()
    return found[0]


def newest_mail(system: RunningSystem, address: str) -> Path:
    """The newest one to this address: a worker may write to others at any moment."""

    def theirs() -> list[Path]:
        kept = (system.var / "outbox").glob("*.eml")
        return [path for path in kept if address in _recipient(path)]

    return max(wait_until(theirs, seconds=120))


def _recipient(mail: Path) -> str:
    return str(message_from_bytes(mail.read_bytes(), policy=policy.default)["To"])


def seek(field: Locator, words: str) -> None:
    """Type into a picker, and wait for the list for all of it: between two keys it may show one for less."""
    with field.page.expect_response(lambda answer: f"q={words}&" in answer.url):
        field.page.keyboard.type(words)
    expect(field).not_to_have_attribute("aria-busy", "true")


def hold_time(page: Page) -> None:
    """What a page shows for a moment only stays: timers that it sets from now on do not run."""
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
