"""The page about the API works under our policy: no blocked script, only inline styles allowed."""

import pytest
from playwright.sync_api import Page, expect

from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database


def test_the_api_can_be_read_and_tried_out(system: RunningSystem, page: Page) -> None:
    answer = page.goto(f"{system.url}/api/docs/")
    assert answer is not None
    assert "script-src" not in answer.headers["content-security-policy"]
    expect(page.get_by_text("/api/v1/schema/domains", exact=True)).to_be_visible()
