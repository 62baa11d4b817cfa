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
    for minutes in (0, 10):
        channels.send_test(hook, now=NOW + timedelta(minutes=minutes))
    Delivery.objects.filter(kind="verify").update(state="delivered")
    switch.halt(owner, reason="", now=NOW)
    assert selectors.figures(now=NOW) == Figures(due=1, failing=1, announcements=0, is_halted=True)


def test_figures_become_gauges() -> None:
    metrics.measure(Figures(due=7, failing=2, announcements=3, is_halted=True))
    told = {
        "lesubscribe_deliveries_due": 7,
        "lesubscribe_channels_failing": 2,
        "lesubscribe_announcements_waiting": 3,
        "lesubscribe_sending_halted": 1,
    }
    assert {name: REGISTRY.get_sample_value(name) for name in told} == told
