"""How the operations page looks when everything is wrong at once, with long names and no end of a reason."""

from datetime import date, timedelta
from math import sin
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from lesubscribe.operations import looking, matchers
from lesubscribe.operations.figures import Disk
from lesubscribe.operations.models import Sample
from matching.describing import Description
from matching.models import NightlyRun
from matching.shards import WHOLE
from notifications import switch
from notifications.models import Channel, Delivery
from schema_registry.accounts.models import User
from tests.browser.looks import check_look, signed_in_by_cookie
from tests.integration import cached
from tests.integration.collector import Collector, item
from tests.integration.nightly.nights import a_night
from tests.running_system import wait_until

pytestmark = [pytest.mark.any_database, pytest.mark.django_db(transaction=True)]

LONG = "x" * 150
SHAPE = {"segments": 3, "fresh": 12, "gone": 7, "keys": (40_000, 900_000, 60_000), "bytes": 210_000_000}


@pytest.fixture
def staff(live_server: LiveServer, page: Page, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setattr(looking, "_disk", lambda: Disk(2**40, 2**41))  # whatever this machine has
    user = User.objects.create_superuser("staff@example.org")
    signed_in_by_cookie(page.context, live_server.url, user)
    bring_about_everything(user, collector)
    return page


def bring_about_everything(staff: User, collector: Collector) -> None:
    cached.forget()  # so no worker answers
    now = timezone.now()
    long_ago = now - timedelta(hours=3)
    for number in range(5):
        title = f"Oak dining table {LONG}"
        item(
            f"lot {number}",
            state="parked",
            title=title,
            reason=f"It failed: {LONG}",
            state_changed_at=long_ago,
        )
    item("lot 9", state="parked", reason="No worker survived matching it 5 times.", state_changed_at=now)
    found = (item("lot 10", title=f"Chair {LONG}"), collector.searches())
    given_up = collector.is_told(found, state=Delivery.State.DEAD)
    Delivery.objects.filter(pk=given_up.pk).update(finished_at=now, reason=f"It answered 500: {LONG}")
    for number, state in enumerate(("active", "disabled")):
        Channel.objects.filter(
            pk=collector.adds_channel(f"https://hooks.example.org/{number}/{LONG}", "webhook").pk
        ).update(failures=7, failing_since=long_ago, resume_at=now, state=state, reason=f"Gone. {LONG}")
    a_night(date(2026, 11, 15))
    NightlyRun.objects.update(state="failed", problem=f"It stumbled over {LONG}", ended_at=long_ago)
    switch.halt(staff, reason=f"Links lead nowhere. {LONG}", now=long_ago)
    told = {
        "subscriptions": 1_000_000,
        "sequence": 0,
        "changes_since_merge": 40,
        "merged_at": "",
        "saved_at": "",
    }
    matchers.record(WHOLE, Description(**told, shape=SHAPE, bytes_of_process=900_000_000))  # type: ignore[arg-type]
    minute = int(now.timestamp()) // 60
    Sample.objects.bulk_create(
        Sample(
            minute=minute - ago,
            waiting=int(500 + 500 * sin(ago / 20)),
            due=int(40 + 30 * sin(ago / 7)),
            accepted=900,
            matched=int(800 + 100 * sin(ago / 11)),
            delivered=int(300 + 50 * sin(ago / 5)),
            lag=int(300 + 100 * sin(ago / 9)),
            oldest=int(2_000 + 2_000 * sin(ago / 20)),
        )
        for ago in range(180)
        if not 60 < ago < 80  # it was stopped
    )


def test_everything_is_wrong_at_once(live_server: LiveServer, staff: Page) -> None:
    staff.goto(f"{live_server.url}/operations")
    expect(staff.locator(".troubles > li")).to_have_count(7)
    expect(staff.locator("[data-plot] canvas")).to_have_count(3)
    check_look(staff, "the operations page")
    for path in ("parked/retry?reason=none", "deliveries", "waiting", "sending/resume"):
        staff.goto(f"{live_server.url}/operations/{path}")
        check_look(staff, f"operations, {path}")


def test_lines_are_told_apart_without_colour_and_drawn_anew_in_the_dark(
    live_server: LiveServer, staff: Page
) -> None:
    staff.goto(f"{live_server.url}/operations")
    expect(staff.locator("[data-plot] canvas")).to_have_count(3)
    wait_until(lambda: 0 < drawn(staff)["solid"] < 1, seconds=60)  # there is something, and not everywhere
    light = drawn(staff)
    staff.emulate_media(color_scheme="dark")
    wait_until(lambda: drawn(staff)["colours"] not in ([], light["colours"]), seconds=60)
    expect(staff.locator("[data-plot] canvas")).to_have_count(3)
    styles = staff.locator(".plots figure:nth-child(2) .key").evaluate_all(
        "keys => keys.map((key) => getComputedStyle(key).borderTopStyle)"
    )
    assert styles == ["solid", "dashed", "dotted"]


def drawn(page: Page) -> dict[str, Any]:
    """The share of the second plot that is painted, and some of the colours there."""
    painted: dict[str, Any] = page.evaluate(
        """() => {
          const canvas = document.querySelectorAll("[data-plot] canvas")[1];
          const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
          const colours = new Set();
          let painted = 0;
          for (let at = 0; at < pixels.length; at += 4) {
            if (pixels[at + 3] < 250) continue;
            painted += 1;
            colours.add(`${pixels[at]},${pixels[at + 1]},${pixels[at + 2]}`);
          }
          return { solid: painted / (pixels.length / 4), colours: [...colours].sort().slice(0, 20) };
        }"""
    )
    return painted


def test_it_comes_again_by_itself_and_keeps_where_one_is(live_server: LiveServer, staff: Page) -> None:
    staff.clock.install()
    staff.goto(f"{live_server.url}/operations")
    staff.locator("#all-given-up").focus()
    switch.resume(User.objects.get(email="staff@example.org"), now=timezone.now())
    staff.clock.run_for(11_000)
    expect(staff.locator(".troubles > li", has_text="All sending is halted")).to_have_count(0)
    expect(staff.locator("#halt")).to_be_visible()
    expect(staff.locator("#all-given-up")).to_be_focused()


def test_without_scripts_the_table_takes_the_place_of_the_plots(live_server: LiveServer, staff: Page) -> None:
    browser = staff.context.browser
    assert browser is not None
    plain = browser.new_context(java_script_enabled=False, storage_state=staff.context.storage_state())
    page = plain.new_page()
    page.goto(f"{live_server.url}/operations")
    expect(page.locator(".plots figure").first).to_be_hidden()
    page.get_by_text("As a table").click()
    expect(page.locator("[data-samples] tr").first).to_be_visible()
    page.get_by_role("link", name="Resume sending").click()
    page.get_by_role("button", name="Resume sending").click()
    expect(page.get_by_text("Sending goes on.")).to_be_visible()
    plain.close()
