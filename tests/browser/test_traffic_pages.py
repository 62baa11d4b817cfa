"""A publisher's mistake, from the answer to the plots: why, how to mend it, taken and matched."""

import json
import urllib.error
import urllib.request
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lesubscribe.demo import DEMO_EMAIL
from tests.browser.looks import check_look
from tests.integration.test_live_service import key, post
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.any_database
SECONDS_TO_DRAW = 60
HOUSE = "Maison des Erreurs"
MEMBER = """
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, User
house = Publisher.objects.get(name="{house}")
add_member(house, User.objects.get(email="{email}"))
print(house.pk)
"""
# How many points of a plot are neither grey nor empty: what was drawn in the red or the green of the page.
INKED = """(name) => {
  const canvas = document.querySelector(`[data-traffic="${name}"] canvas`);
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let inked = 0;
  for (let place = 0; place < data.length; place += 4)
    if (data[place + 3] > 200 && Math.abs(data[place] - data[place + 1]) > 30) inked += 1;
  return inked;
}"""


@pytest.fixture
def house(system: RunningSystem) -> tuple[str, int]:
    """Its key, and its number; the demo login looks after it."""
    secret = key(system, "publisher", HOUSE)
    post(
        system,
        secret,
        "schema/domains",
        {"name": "error_money", "definition": {"kind": "numeric", "unit": "EUR"}},
    )
    post(system, secret, "schema/attributes", {"name": "error_price", "domain": "error_money"})
    marks = {"error_price": ["mandatory", "unique"]}
    post(system, secret, "schema/event-types", {"name": "errors", "attributes": marks})
    made = system.manage("shell", "-c", MEMBER.format(house=HOUSE, email=DEMO_EMAIL))
    assert made.returncode == 0, made.stderr
    return secret, int(made.stdout.splitlines()[-1])


def test_a_mistake_is_understood_mended_and_seen_in_the_plots(
    system: RunningSystem, demo_page: Page, house: tuple[str, int]
) -> None:
    secret, number = house
    page = demo_page
    assert refused(system, secret, an_item("1.200,00 EUR"))["status"] == 422
    page.goto(f"{system.url}/publish/{number}/traffic?range=hour")
    page.get_by_role("heading", name="Traffic").wait_for()
    totals = page.locator("#traffic-totals")
    expect(totals).to_contain_text("1 rejected")  # counted every ten seconds, asked for every ten seconds
    wait_until(lambda: page.evaluate(INKED, "rejected") > 0, seconds=SECONDS_TO_DRAW)
    assert page.evaluate(INKED, "accepted") == 0
    totals.get_by_role("link", name="rejected").click()
    reason = page.get_by_role("region", name="“error_price” is not a number")
    expect(reason).to_contain_text("1 item in 24 hours")
    expect(reason).to_contain_text("Send 1200 or 1199.5, not “1.200,00 EUR”")
    expect(reason).to_contain_text("error_price: '1.200,00 EUR' is not a number.")
    expect(reason.locator("pre")).to_have_text(json.dumps(an_item("1.200,00 EUR")))
    check_look(page, "rejects")
    page.goto(f"{system.url}/publish/{number}/traffic?range=hour")
    table = page.get_by_text("The same as a table")
    table.click()
    post(system, secret, "events", an_item(1200))
    expect(totals).to_contain_text("1 accepted")
    expect(totals).not_to_contain_text("\N{EN DASH}")  # matched, so that there is a time
    for plot in ("accepted", "waits"):
        wait_until(partial(page.evaluate, INKED, plot), seconds=SECONDS_TO_DRAW)
    expect(page.get_by_role("table")).to_be_visible()  # still open, though its rows came anew
    check_look(page, "traffic with its table")


def an_item(price: Any) -> dict[str, Any]:
    return {"external_id": "lot-1", "event": {"event_type": ["errors"], "error_price": price}}


def refused(system: RunningSystem, secret: str, document: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{system.url}/api/v1/events",
        json.dumps(document).encode(),
        {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
    )
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(request, timeout=60)
    answer: dict[str, Any] = json.load(refusal.value)
    refusal.value.close()
    return answer
