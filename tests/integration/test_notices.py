"""Notices: to the e-mail channels that want them, once, and not in the middle of the night."""

import random
from datetime import UTC, datetime, time, timedelta

import pytest
from django.db import connection

from matching import services
from matching.models import Subscription
from notifications import notices, tasks
from notifications.composing import composed
from notifications.core.messages import ExpiresSoon
from notifications.models import Channel, Delivery, Preferences
from schema_registry.accounts.models import User
from tests.integration.collector import NOW, Collector

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
ABOUT = {"about": "given_up", "channel": 1, "address": "https://x.example", "deliveries": 2}


@pytest.fixture
def collector() -> Collector:
    return Collector()


def tell(collector: Collector, key: str = "notice:given_up:1", *, now: datetime = NOW) -> int:
    return notices.tell(collector.user.pk, about=ABOUT, key=key, now=now)


def told() -> set[tuple[str, str]]:
    return set(Delivery.objects.values_list("channel__address", "key"))


def test_a_notice_goes_to_each_active_mail_channel_that_wants_notices(collector: Collector) -> None:
    other = collector.adds_channel("other@example.org")
    other.wants = Channel.Wants.NOTICES
    other.save()
    others: dict[str, dict[str, str]] = {
        "silent@example.org": {"wants": Channel.Wants.NOTHING},
        "pending@example.org": {"state": Channel.State.PENDING},
        "off@example.org": {"state": Channel.State.DISABLED},
        "https://hooks.example.org": {"kind": Channel.Kind.WEBHOOK},
    }
    for address, changes in others.items():
        channel = collector.adds_channel(address)
        Channel.objects.filter(pk=channel.pk).update(**changes)
    assert tell(collector) == 2
    assert {address for address, _ in told()} == {"collector@example.org", "other@example.org"}
    delivery = Delivery.objects.first()
    assert delivery is not None
    assert (delivery.kind, delivery.about, delivery.next_attempt_at) == (Delivery.Kind.NOTICE, ABOUT, NOW)


def test_telling_twice_is_telling_once(collector: Collector) -> None:
    for _ in range(2):
        tell(collector)
    tell(collector, "notice:given_up:2")
    assert len(told()) == Delivery.objects.count() == 2


def test_who_has_no_mail_channel_is_not_told(collector: Collector) -> None:
    Channel.objects.all().delete()
    assert tell(collector) == 0
    assert not Delivery.objects.exists()


def test_a_notice_waits_for_the_end_of_quiet_hours(collector: Collector) -> None:
    Preferences.objects.create(
        owner=collector.user, time_zone="Europe/Paris", quiet_from=time(22), quiet_until=time(7)
    )
    tell(collector, now=datetime(2026, 11, 16, 23, tzinfo=UTC))
    assert Delivery.objects.get().next_attempt_at == datetime(2026, 11, 17, 6, tzinfo=UTC)


def test_the_end_of_a_search_is_told_three_days_before_it_and_once(collector: Collector) -> None:
    search = collector.searches(name="Cheap", days=30)
    assert search.expires_at is not None
    assert notices.tell_of_expiries(now=search.expires_at - 3 * DAY - MOMENT) == 0
    assert notices.tell_of_expiries(now=search.expires_at - 3 * DAY) == 1
    assert notices.tell_of_expiries(now=search.expires_at - 2 * DAY) == 0
    content = composed(Delivery.objects.get(), now=NOW)
    assert isinstance(content, ExpiresSoon)
    assert (content.name, content.expires_at) == ("Cheap", search.expires_at)


def test_a_renewed_search_is_told_of_again_at_its_next_end(collector: Collector) -> None:
    search = collector.searches(days=30)
    notices.tell_of_expiries(now=NOW + 28 * DAY)
    services.renew(search, now=NOW + 28 * DAY, valid_days=30)
    assert notices.tell_of_expiries(now=NOW + 29 * DAY) == 0
    assert notices.tell_of_expiries(now=NOW + 56 * DAY) == 1
    assert Delivery.objects.count() == 2


@pytest.mark.parametrize("state", [Subscription.State.PAUSED, Subscription.State.MUTED])
def test_one_that_is_paused_or_muted_is_told_of_too(collector: Collector, state: Subscription.State) -> None:
    services.change(collector.searches(days=30), state=state, now=NOW)
    assert notices.tell_of_expiries(now=NOW + 28 * DAY) == 1


def test_what_is_over_removed_endless_or_short_lived_is_not(collector: Collector) -> None:
    collector.searches(days=25)
    services.unsubscribe(collector.searches(days=30))
    collector.searches(days=None)
    services.subscribe(collector.user, "price exists", now=NOW + 27 * DAY, valid_days=2)
    assert notices.tell_of_expiries(now=NOW + 28 * DAY) == 0


def test_nothing_is_planned_for_whom_nobody_can_tell(collector: Collector) -> None:
    collector.searches(days=30)
    Channel.objects.update(wants=Channel.Wants.NOTHING)
    assert notices.tell_of_expiries(now=NOW + 28 * DAY) == 0
    Channel.objects.update(wants=Channel.Wants.NOTICES)
    User.objects.update(is_active=False)
    assert notices.tell_of_expiries(now=NOW + 28 * DAY) == 0


def test_many_are_told_in_portions_and_none_twice(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    monkeypatch.setattr(notices, "ROWS_PER_TRANSACTION", 7)
    for _ in range(40):
        search = collector.searches(days=30)
        Subscription.objects.filter(pk=search.pk).update(expires_at=NOW + 30 * DAY + rng.randrange(3) * DAY)
    assert notices.tell_of_expiries(now=NOW + 29 * DAY + DAY / 2) == 40
    assert notices.tell_of_expiries(now=NOW + 29 * DAY + DAY / 2) == 0
    assert len({key for _, key in told()}) == 40


def test_looking_for_them_goes_by_the_index(collector: Collector) -> None:
    plan = notices._ending(after=(NOW, 0), now=NOW).explain()
    assert connection.vendor != "sqlite" or "subscriptions_by_expiry" in plan


def test_the_task_tells(collector: Collector) -> None:
    search = collector.searches(days=30)
    moment = datetime.now(UTC)
    Subscription.objects.filter(pk=search.pk).update(
        created_at=moment - 30 * DAY, expires_at=moment + 2 * DAY
    )
    tasks.tell_of_expiries()
    assert Delivery.objects.get().kind == Delivery.Kind.NOTICE
