"""The mission, end to end: from signing up to unsubscribing, and from the administration to the builder."""

import re
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from lesubscribe.demo import DEMO_EMAIL
from tests.browser.chromium import sign_in
from tests.integration.test_live_service import call, key, post
from tests.running_system import RunningSystem, wait_until
from tests.sinks import HttpSink, SmtpSink

pytestmark = pytest.mark.any_database
ADDRESS, PASSWORD = "collector@example.org", "a table of oak, please"
SECONDS_TO_ARRIVE = 300
FURNITURE = {"kind": "hierarchical", "values": {"furniture": None, "table": "furniture"}}


@dataclass(frozen=True, slots=True)
class World:
    """A running system with a publisher, and the receivers of its mails and webhooks."""

    system: RunningSystem
    publisher: str
    mails: SmtpSink
    hooks: HttpSink

    def publish(self, number: str, *, price: int, title: str) -> None:
        event = {"event_type": ["lot"], "price": price, "kind": "table"}
        item = {"external_id": number, "title": title, "url": f"{self.system.url}/healthz", "event": event}
        number = post(self.system, self.publisher, "events", item)["id"]
        path = f"events/{number}"
        wait_until(
            lambda: call(self.system, self.publisher, path)["state"] == "matched", seconds=SECONDS_TO_ARRIVE
        )

    def mails_about(self, title: str) -> list[EmailMessage]:
        mails = [receipt.message for receipt in self.mails.receipts(address=ADDRESS)]
        return [mail for mail in mails if title in mail["Subject"]]

    def hooks_about(self, title: str) -> int:
        return sum(title in receipt.body for receipt in self.hooks.receipts())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    with SmtpSink(folder / "mails") as mails, HttpSink(folder / "hooks") as hooks:
        system = RunningSystem(
            folder / "var", EMAIL_URL=mails.url, LESUBSCRIBE_WEBHOOK_ALLOWED_HOSTS="127.0.0.1"
        ).start()
        publisher = key(system, "publisher", "Maison Belleroche")
        vocabulary: list[tuple[str, dict[str, Any]]] = [
            ("schema/domains", {"name": "money", "definition": {"kind": "numeric", "unit": "EUR"}}),
            ("schema/domains", {"name": "furniture", "definition": FURNITURE}),
            ("schema/attributes", {"name": "price", "domain": "money"}),
            ("schema/attributes", {"name": "kind", "domain": "furniture"}),
            (
                "schema/event-types",
                {"name": "lot", "attributes": {name: ["mandatory", "unique"] for name in ("price", "kind")}},
            ),
        ]
        for path, document in vocabulary:
            post(system, publisher, path, document)
        yield World(system, publisher, mails, hooks)
        system.stop()


def test_a_person_signs_up_says_what_they_look_for_and_hears_of_it(world: World, page: Page) -> None:
    world.publish("1", price=90, title="Trestle table")
    sign_up(world, page)
    build_by_form(world, page)
    add_webhook(world, page)

    page.goto(f"{world.system.url}/feed")
    expect(card(page, "Trestle table")).to_have_count(0)
    began = time.monotonic()
    world.publish("2", price=140, title="Drop-leaf table")
    expect(card(page, "Drop-leaf table")).to_be_visible()
    print(f"in the open feed after {time.monotonic() - began:.2f} s")
    expect(card(page, "Drop-leaf table")).to_contain_text("140 EUR")
    (mail,) = wait_until(lambda: world.mails_about("Drop-leaf table"), seconds=SECONDS_TO_ARRIVE) or []
    wait_until(lambda: world.hooks_about("Drop-leaf table") == 1, seconds=SECONDS_TO_ARRIVE)

    unsubscribe_by_one_click(mail)
    world.publish("3", price=150, title="Side table")
    wait_until(lambda: world.hooks_about("Side table") == 1, seconds=SECONDS_TO_ARRIVE)
    expect(card(page, "Side table")).to_be_visible()
    assert world.mails_about("Side table") == []


def test_what_staff_add_to_a_hierarchy_the_builder_offers(world: World, page: Page) -> None:
    sign_in(world.system, page, DEMO_EMAIL, world.system.demo_password())
    page.goto(f"{world.system.url}/admin/schema_registry/domain/")
    page.get_by_role("link", name="furniture", exact=True).click()
    page.get_by_role("link", name="Add values").click()
    page.get_by_label("New values").fill("dining-table | Dining table | table")
    page.get_by_label("Why").fill("people ask for them")
    page.locator(".submit-row input[type=submit]").click()

    page.goto(f"{world.system.url}/searches/new")
    condition(page, 1).get_by_label("What it is about").select_option("kind")
    condition(page, 1).get_by_role("combobox", name="kind", exact=True).fill("dining")
    page.get_by_role("option", name="Dining table").click()
    page.get_by_text("As text", exact=True).click()
    expect(page.get_by_label("Your search as text")).to_have_value("kind <= dining-table")


def sign_up(world: World, page: Page) -> None:
    page.goto(world.system.url)
    page.get_by_role("main").get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Email").fill(ADDRESS)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Check your email")
    (mail, *_) = wait_until(lambda: world.mails.receipts(address=ADDRESS), seconds=SECONDS_TO_ARRIVE) or []
    body = mail.message.get_body(("plain",))
    assert body is not None
    link = re.search(rf"{re.escape(world.system.url)}/\S+", body.get_content())
    assert link, body
    page.goto(link[0])
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url(f"{world.system.url}/feed")


def build_by_form(world: World, page: Page) -> None:
    page.goto(f"{world.system.url}/searches/new")
    condition(page, 1).get_by_label("What it is about").select_option("price")
    condition(page, 1).get_by_label("Value (EUR)").fill("200")
    found = page.get_by_role("region", name="What it would have found")
    expect(found).to_contain_text("1 item in the last 30 days")
    expect(found).to_contain_text("Trestle table")
    page.get_by_label("Name").fill("Under 200")
    page.get_by_role("button", name="Save this search").click()
    page.wait_for_url("**/searches")
    expect(page.get_by_role("link", name="Under 200")).to_be_visible()


def add_webhook(world: World, page: Page) -> None:
    page.goto(f"{world.system.url}/notifications")
    page.get_by_label("How").select_option("webhook")
    page.get_by_label("Address", exact=True).fill(world.hooks.url("/told"))
    page.get_by_role("button", name="Add", exact=True).click()
    added = page.locator(".card", has_text=world.hooks.url("/told"))
    expect(added).to_be_visible()

    def is_active() -> bool:
        page.reload()
        return added.get_by_text("active", exact=True).count() > 0

    wait_until(is_active, seconds=SECONDS_TO_ARRIVE)


def unsubscribe_by_one_click(mail: EmailMessage) -> None:
    """What a mail program does when its reader presses its button (RFC 8058)."""
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    (address,) = re.findall(r"<(https?://[^>]+)>", "".join(mail["List-Unsubscribe"].split()))
    body = urllib.parse.urlencode({"List-Unsubscribe": "One-Click"}).encode()
    with urllib.request.urlopen(urllib.request.Request(address, body)) as answer:
        assert answer.status == 200


def condition(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"Condition {number}", exact=True)


def card(page: Page, title: str) -> Locator:
    return page.locator("[data-card]", has_text=title)
