"""A publisher's first hour: from signing up to an item that people find, by pages and the shown command."""

import json
import os
import re
import subprocess
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from schema_registry.language.spelling import spelled
from tests.browser.content import Content
from tests.browser.looks import signed_up
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database
HOUSE = "Maison du Parcours"
APPROVE = """
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.services import set_publisher_state
set_publisher_state(Publisher.objects.get(name="{name}"), Publisher.State.APPROVED)
"""


def test_from_signing_up_to_an_item_that_is_found(
    system: RunningSystem, content: Content, page: Page
) -> None:
    signed_up(system, page, "house@example.org", "lots and lots of lots")
    page.goto(f"{system.url}/publish")
    page.get_by_label("Name of your auction house").fill(HOUSE)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("waits for our approval")).to_be_visible()
    start = page.url

    secret = key_made(page)
    page.goto(start)
    expect(step(page, 1)).to_contain_text("done")
    approved = system.manage("shell", "-c", APPROVE.format(name=HOUSE))
    assert approved.returncode == 0, approved.stderr
    expect(page.get_by_text("waits for our approval")).to_have_count(0)  # the page has asked again
    command = page.locator("#command").inner_text()
    assert secret not in page.content()

    refused = run(spoilt(command), secret)
    assert refused["status"] == 422
    expect(step(page, 2)).to_contain_text("done")
    expect(step(page, 3)).to_contain_text("Nothing was taken yet")

    page.get_by_role("link", name="Try it in the playground").click()
    verdict = page.locator("#verdict")
    tried(page, body_of(spoilt(command)))
    expect(verdict).to_contain_text(f"{len(refused['errors'])} things are wrong")
    for error in refused["errors"]:
        expect(verdict).to_contain_text(error["detail"])
    looked_for(system, page, json.loads(body_of(command))["event"]["event_type"][0])
    wait_until(lambda: is_counted(page, body_of(command)), seconds=300)
    expect(verdict).to_contain_text(re.compile(r"[1-9]\d* search(es)? would find it now"))

    page.goto(start)
    assert run(command, secret)["status_url"].startswith(f"{system.url}/api/v1/events/")
    for number in (1, 2, 3, 4):
        expect(step(page, number)).to_contain_text("done")
    expect(step(page, 4)).to_contain_text(re.compile(r"[1-9]\d* search(es)? found it"))
    expect(page.get_by_text("It works")).to_be_visible()

    page.get_by_role("navigation", name=HOUSE).get_by_role("link", name="Items").click()
    page.get_by_role("link", name="A first item").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A first item")

    tabs = page.get_by_role("navigation", name=HOUSE)
    tabs.get_by_role("link", name="Traffic").click()
    page.get_by_role("link", name="Last hour").click()
    totals = page.locator("#traffic-totals")
    for said in ("1 accepted", "1 rejected"):
        expect(totals).to_contain_text(said)  # counted every ten seconds, asked for every ten seconds
    expect(page.locator('[data-traffic="accepted"] canvas')).to_be_visible()
    tabs.get_by_role("link", name="Rejects").click()
    expect(page.get_by_role("main")).to_contain_text("nothing_like_it")


def key_made(page: Page) -> str:
    page.get_by_role("link", name="Make a key").click()
    page.get_by_label("Name").fill("the shop's program")
    page.get_by_role("button", name="Make the key").click()
    field = page.get_by_role("textbox", name="Your new key")
    expect(field).to_be_visible()
    return field.input_value()


def step(page: Page, number: int) -> Locator:
    return page.locator(".first-steps > li").nth(number - 1)


def spoilt(command: str) -> str:
    """With mistakes: an event type that is not there, and an attribute."""
    wrong = command.replace('"event_type": [', '"event_type": ["nothing like it", ')
    return wrong.replace('"event": {', '"event": {"nothing_like_it": 1, ')


def body_of(command: str) -> str:
    found = re.search(r"-d '(.*)'$", command, re.DOTALL)
    assert found, command
    return found[1]


def run(command: str, secret: str) -> dict[str, Any]:
    """In a shell, as it stands on the page."""
    answer = subprocess.run(
        ["bash", "-c", command.replace("curl ", "curl -sS ", 1)],
        env={**os.environ, "KEY": secret},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stderr
    document: dict[str, Any] = json.loads(answer.stdout)
    return document


def tried(page: Page, text: str) -> None:
    page.get_by_label("An event as JSON").fill(text)
    page.get_by_role("button", name="Check it").click()


def is_counted(page: Page, text: str) -> bool:
    """A worker that has no time for ten seconds counts no searches, and one is asked to try again."""
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        tried(page, text)
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("It is valid")
    return "would find it now" in verdict.inner_text()


def looked_for(system: RunningSystem, page: Page, event_type: str) -> None:
    """Somebody, the same person here, has a search that fits."""
    token = next(each["value"] for each in page.context.cookies() if each["name"] == "csrftoken")
    answer = page.request.post(
        f"{system.url}/api/v1/subscriptions",
        data={"text": f"event_type contains {spelled(event_type)}"},
        headers={"X-CSRFToken": token, "Referer": system.url},
    )
    assert answer.status == 201, answer.text()
