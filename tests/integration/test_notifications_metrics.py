"""What /metrics tells of notifications."""

from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import REGISTRY

from notifications import channels, metrics, selectors, switch
from notifications.metrics import Figures
from notifications.models import Channel, Delivery
from schema_registry.accounts.models import User

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


def test_figures_tell_what_is_due_what_fails_and_whether_sending_is_halted() -> None:
    assert selectors.figures(now=NOW) == Figures(due=0, failing=0, announcements=0, is_halted=False)
    owner = User.objects.create_user("fan@example.org")
    hook = channels.add(owner, kind=Channel.Kind.WEBHOOK, address="https://shop.example.org/", now=NOW)
    channels.activate(hook.pk, now=NOW)
    Channel.objects.update(failures=2)
    Delivery.objects.all().delete()
    for minutes in (0, 10):
        due = NOW + timedelta(minutes=minutes)
        Delivery.objects.create(
            channel=hook, key=str(minutes), kind="match", planned_at=NOW, next_attempt_at=due
        )
    switch.halt(owner, reason="", now=NOW)
    assert selectors.figures(now=NOW) == Figures(due=1, failing=1, announcements=0, is_halted=True)


@pytest.mark.parametrize(
    ("state", "due"), [("active", {"match", "verify"}), ("pending", {"verify"}), ("disabled", set())]
)
def test_only_what_can_be_sent_counts_as_due(state: str, due: set[str]) -> None:
    owner = User.objects.create_user("fan@example.org")
    hook = channels.add(owner, kind=Channel.Kind.WEBHOOK, address="https://shop.example.org/", now=NOW)
    Delivery.objects.create(channel=hook, key="1", kind="match", planned_at=NOW, next_attempt_at=NOW)
    Channel.objects.update(state=state)
    assert selectors.figures(now=NOW).due == len(due)


def test_of_what_is_due_no_more_is_counted_than_tells_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "MOST_COUNTED", 2)
    owner = User.objects.create_user("fan@example.org")
    hook = channels.add(owner, kind=Channel.Kind.WEBHOOK, address="https://shop.example.org/", now=NOW)
    channels.activate(hook.pk, now=NOW)
    for minutes in range(3):
        channels.send_test(hook, now=NOW + timedelta(minutes=minutes))
    assert selectors.figures(now=NOW).due == 2


def test_figures_become_gauges() -> None:
    metrics.measure(Figures(due=7, failing=2, announcements=3, is_halted=True))
    told = {
        "lesubscribe_deliveries_due": 7,
        "lesubscribe_channels_failing": 2,
        "lesubscribe_announcements_waiting": 3,
        "lesubscribe_sending_halted": 1,
    }
    assert {name: REGISTRY.get_sample_value(name) for name in told} == told
