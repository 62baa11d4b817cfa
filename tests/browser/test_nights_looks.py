"""How mappings of sites and nightly runs look in the administration, with long names and all they may say."""

from datetime import date

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from matching.models import NightlyRun
from schema_registry.accounts.models import User
from tests.browser.looks import check_look, signed_in_by_cookie
from tests.integration.lots import make_lots
from tests.integration.nightly.nights import a_night, site_mapping

pytestmark = [pytest.mark.any_database, pytest.mark.django_db(transaction=True)]

LONG = "x" * 150
ROWS = f'{{"id": "1", "name": "{LONG}", "price": "5"}}\n{{"id": "2", "price": "five"}}\n{{broken {LONG}\n'


@pytest.fixture
def staff(live_server: LiveServer, page: Page) -> Page:
    make_lots()
    signed_in_by_cookie(page.context, live_server.url, User.objects.create_superuser("staff@example.org"))
    return page


def test_a_night_and_the_list_of_nights(live_server: LiveServer, staff: Page) -> None:
    run = a_night(date(2026, 11, 16))
    NightlyRun.objects.update(
        problem=f"It stumbled.\nOver {LONG}",
        alerts=["There were 9 rows; usually there are 90 to 110."],
        directory=f"/{LONG}",
        rejects=[{"rule": "R2", "attribute": "price", "message": f"No price: {LONG}", "count": 75}],
        quarantined=[{"file": f"{LONG}.jsonl", "reason": "It is cut."}],
    )
    for path in ("", f"{run.pk}/change/"):
        staff.goto(f"{live_server.url}/admin/matching/nightlyrun/{path}")
        check_look(staff, f"a night, {path}")
    expect(staff.locator(".bars svg")).to_have_count(6)


def test_a_mapping_its_older_version_and_the_list(live_server: LiveServer, staff: Page) -> None:
    old, new = site_mapping(title={"field": LONG}), site_mapping()
    for path in ("", "add/", f"{old.pk}/change/", f"{new.pk}/change/"):
        staff.goto(f"{live_server.url}/admin/matching/sitemapping/{path}")
        check_look(staff, f"a mapping, {path}")


def test_trying_a_mapping(live_server: LiveServer, staff: Page) -> None:
    staff.goto(f"{live_server.url}/admin/matching/sitemapping/{site_mapping().pk}/change/")
    staff.get_by_role("link", name="Try it").click()
    staff.get_by_label("Rows").fill(ROWS)
    staff.get_by_role("button", name="Try").click()
    expect(staff.get_by_text("The first rows")).to_be_visible()
    check_look(staff, "a mapping that was tried")
    with staff.expect_navigation():
        staff.get_by_role("button", name="Try").click()
    staff.get_by_label("Rows").fill("")
    staff.get_by_role("button", name="Try").click()
    expect(staff.get_by_text("Paste some rows, or name a file.")).to_be_visible()
    check_look(staff, "nothing to try")
