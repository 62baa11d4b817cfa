"""What all tests of this suite share: no answer is another one because the machine is slow, or it is late."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from lesubscribe import account_deletion
from lesubscribe import tasks as own_tasks
from matching import announcements, leases, portable, previews
from matching import tasks as matching_tasks
from matching.recent import searching
from notifications import tasks as notification_tasks

AN_HOUR = 3_600.0


@pytest.fixture(autouse=True)
def time_to_look_back(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A preview, or an import, that had to end early would be another answer; how it ends has unit tests."""
    if "own_seconds" not in request.fixturenames:
        for module in (portable, previews, searching):
            monkeypatch.setattr(module, "MOST_SECONDS", AN_HOUR)


@pytest.fixture
def own_seconds() -> None:
    """For a test with a clock of its own: a preview has the seconds that it has in earnest."""


@pytest.fixture(autouse=True)
def time_to_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task, or a request, does all there is, though two seconds may be over before it begins."""
    for tasks in (own_tasks, matching_tasks, notification_tasks):
        monkeypatch.setattr(tasks, "SLICE_SECONDS", AN_HOUR)
    monkeypatch.setattr(account_deletion, "SECONDS_FOR_SEARCHES", AN_HOUR)


@pytest.fixture(autouse=True)
def long_leases(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go by the database's clock. One that is to run out is made to by the test."""
    if "own_leases" not in request.fixturenames:
        for module in (leases, announcements):
            monkeypatch.setattr(module, "LEASE", timedelta(minutes=10))


@pytest.fixture
def own_leases() -> None:
    """For a test that measures one: leases are as long as they are in earnest."""


@pytest.fixture
def at_noon(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Our clock stands still, far from the end of any minute, hour or day that a page might show."""
    noon = datetime(2026, 11, 18, 12, 0, 30, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: noon)
    return noon
