"""The page about the API works under our policy: no blocked script, only inline styles allowed."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looks import check_look
from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database

OF_SWAGGER = ("heading-order", "nested-interactive", "region")  # how it is built


def test_the_api_can_be_read_and_tried_out(system: RunningSystem, page: Page) -> None:
    answer = page.goto(f"{system.url}/api/docs/")
    assert answer is not None
    assert "script-src" not in answer.headers["content-security-policy"]
    expect(page.get_by_text("/api/v1/schema/domains", exact=True)).to_be_visible()
    check_look(page, "the page about the API", without=OF_SWAGGER)
    page.get_by_role("link", name="Le Subscribe").click()
    expect(page).to_have_url(f"{system.url}/")
