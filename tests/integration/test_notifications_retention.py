"""What was sent long ago is forgotten in small steps; what waits is not, while its event is there."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from matching import retention as retention_of_events
from notifications import channels, retention
from notifications.models import Allowance, Attempt, Channel, Delivery
from notifications.retention import Forgotten, forget_before
from schema_registry.accounts.models import User
from tests.integration.collector import Collector, item

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture
def channel() -> Channel:
    owner = User.objects.create_user("fan@example.org")
    made = channels.add(owner, kind=Channel.Kind.WEBHOOK, address="https://shop.example.org/", now=NOW)
    Delivery.objects.all().delete()
    Allowance.objects.all().delete()
    return made


def delivery(channel: Channel, name: str, *, planned: int, finished: int | None) -> Delivery:
    """Planned and finished so many days ago."""
    made = Delivery.objects.create(
        channel=channel,
        kind="test",
        key=f"test:{name}",
        state="waiting" if finished is None else "delivered",
        planned_at=NOW - timedelta(days=planned),
        next_attempt_at=NOW,
        finished_at=None if finished is None else NOW - timedelta(days=finished),
    )
    Attempt.objects.create(delivery=made, number=1, began_at=NOW, milliseconds=1, is_success=True)
    return made


def test_what_was_finished_long_ago_goes_with_its_log_and_the_rest_stays(channel: Channel) -> None:
    waiting = delivery(channel, "waiting", planned=200, finished=None)
    delivery(channel, "old", planned=95, finished=91)
    lately = delivery(channel, "lately", planned=95, finished=89)
    young = delivery(channel, "young", planned=1, finished=1)
    Allowance.objects.create(address="fan@example.org", day=NOW.date() - timedelta(days=91))
    Allowance.objects.create(address="fan@example.org", day=NOW.date())
    assert forget_before(NOW - timedelta(days=90)) == Forgotten(deliveries=1, allowances=1)
    assert set(Delivery.objects.all()) == {waiting, lately, young}
    assert Attempt.objects.count() == 3
    assert Allowance.objects.get().day == NOW.date()


def test_what_waits_goes_with_the_event_that_it_tells_of() -> None:
    collector = Collector()
    event = item()
    at_once = collector.is_told((event, collector.searches("price <= 200")))
    digest = collector.is_told((event, collector.searches("price <= 300")), kind="digest")
    later = NOW + timedelta(days=91)
    assert forget_before(later) == Forgotten(deliveries=0, allowances=0)
    assert set(Delivery.objects.all()) == {at_once, digest}
    assert retention_of_events.forget_before(later).events == 1
    assert Delivery.objects.get() == digest  # it may tell of others, too
    assert not digest.entries.exists()


def test_no_transaction_deletes_more_than_a_few(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_DELIVERIES_AT_ONCE", 3)
    for number in range(8):
        delivery(channel, str(number), planned=100, finished=99)
    with CaptureQueriesContext(connection) as queries:
        assert forget_before(NOW).deliveries == 8
    deletions = [
        query for query in queries if query["sql"].startswith('DELETE FROM "notifications_delivery"')
    ]
    assert len(deletions) >= 3


def test_it_takes_only_the_time_it_is_given(channel: Channel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_DELIVERIES_AT_ONCE", 2)
    for number in range(5):
        delivery(channel, str(number), planned=100, finished=99)
    assert forget_before(NOW, seconds=0) == Forgotten(deliveries=2, allowances=0, is_more=True)
    assert forget_before(NOW).deliveries == 3
