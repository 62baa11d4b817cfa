"""Notices: to the channels that want them, once, and not in the middle of the night."""

import random
from datetime import UTC, datetime, time, timedelta

import pytest
from django.db import connection

from matching import services
from matching.models import Subscription
from notifications import notices, tasks
from notifications.composing import MOST_ENDING, NothingToTell, composed
from notifications.core.messages import ExpiresSoon, GivenUp
from notifications.core.payloads import payload
from notifications.models import Channel, Delivery, Preferences
from schema_registry.accounts.models import User
from tests.integration.collector import NOW, Collector

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
ABOUT = {"about": "given_up", "channel": 0, "address": "https://x.example", "deliveries": 2}


@pytest.fixture
def collector() -> Collector:
    return Collector()


def tell(collector: Collector, key: str = "notice:given_up:1", *, now: datetime = NOW) -> int:
    return notices.tell(collector.user.pk, about=ABOUT, key=key, now=now)


def told() -> set[tuple[str, str]]:
    return set(Delivery.objects.values_list("channel__address", "key"))


def test_a_notice_goes_to_each_active_channel_that_wants_notices(collector: Collector) -> None:
    other = collector.adds_channel("https://hooks.example.org", kind=Channel.Kind.WEBHOOK)
    other.wants = Channel.Wants.NOTICES
    other.save()
    others: dict[str, dict[str, str]] = {
        "silent@example.org": {"wants": Channel.Wants.NOTHING},
        "pending@example.org": {"state": Channel.State.PENDING},
        "off@example.org": {"state": Channel.State.DISABLED},
    }
    for address, changes in others.items():
        channel = collector.adds_channel(address)
        Channel.objects.filter(pk=channel.pk).update(**changes)
    assert tell(collector) == 2
    assert {address for address, _ in told()} == {"collector@example.org", "https://hooks.example.org"}
    delivery = Delivery.objects.first()
    assert delivery is not None
    assert (delivery.kind, delivery.about, delivery.next_attempt_at) == (Delivery.Kind.NOTICE, ABOUT, NOW)


def test_telling_twice_is_telling_once(collector: Collector) -> None:
    for _ in range(2):
        tell(collector)
    tell(collector, "notice:given_up:2")
    assert len(told()) == Delivery.objects.count() == 2


@pytest.mark.parametrize("about", ["given_up", "channel_disabled"])
def test_a_channel_is_not_told_of_its_own_trouble(collector: Collector, about: str) -> None:
    collector.adds_channel("https://hooks.example.org", kind=Channel.Kind.WEBHOOK)
    trouble = {"about": about, "channel": collector.channel.pk, "address": collector.channel.address}
    assert notices.tell(collector.user.pk, about=trouble, key="notice:1", now=NOW) == 1
    assert {address for address, _ in told()} == {"https://hooks.example.org"}


def test_who_has_no_channel_is_not_told(collector: Collector) -> None:
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
    assert [(each.name, each.expires_at) for each in content.searches] == [("Cheap", search.expires_at)]


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


def test_searches_that_end_on_the_same_day_are_one_notice_however_many(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    rng = random.Random(seed)
    monkeypatch.setattr(notices, "ROWS_PER_TRANSACTION", 7)
    day = datetime(2026, 12, 17, tzinfo=UTC)
    moments = [day, day + DAY - MOMENT, day + DAY, *(day + rng.random() * 2 * DAY for _ in range(37))]
    for moment in moments:
        search = collector.searches(days=30)
        Subscription.objects.filter(pk=search.pk).update(expires_at=moment)
    assert notices.tell_of_expiries(now=day - DAY) == 2
    assert notices.tell_of_expiries(now=day - DAY / 2) == 0
    assert {key for _, key in told()} == {
        "notice:expires_soon:2026-12-17",
        "notice:expires_soon:2026-12-18",
    }
    for delivery in Delivery.objects.all():
        content = composed(delivery, now=day)
        assert isinstance(content, ExpiresSoon)
        ending = sorted(each for each in moments if each.date() == content.day)
        assert [each.expires_at for each in content.searches] == ending[:MOST_ENDING]
        assert content.more == max(0, len(ending) - MOST_ENDING)


def test_each_owner_and_each_channel_has_its_own(collector: Collector) -> None:
    stranger = User.objects.create_user("stranger@example.org")
    theirs = services.subscribe(stranger, "price exists", now=NOW, valid_days=30, name="Theirs").subscription
    Channel.objects.filter(pk=collector.adds_channel(stranger.email).pk).update(owner=stranger)
    collector.adds_channel("https://hooks.example.org", kind=Channel.Kind.WEBHOOK)
    collector.searches(name="Mine", days=30)
    assert notices.tell_of_expiries(now=NOW + 28 * DAY) == 3
    for delivery in Delivery.objects.select_related("channel"):
        content = composed(delivery, now=NOW + 28 * DAY)
        assert isinstance(content, ExpiresSoon)
        expected = "Theirs" if delivery.channel.owner_id == theirs.owner_id else "Mine"
        assert [each.name for each in content.searches] == [expected]


def test_who_has_only_a_webhook_hears_it_there(collector: Collector) -> None:
    Channel.objects.update(kind=Channel.Kind.WEBHOOK, address="https://hooks.example.org")
    search = collector.searches(name="Cheap", days=30)
    assert search.expires_at is not None
    notices.tell_of_expiries(now=NOW + 28 * DAY)
    body = payload(composed(Delivery.objects.get(), now=NOW + 28 * DAY), now=NOW + 28 * DAY)
    assert (body["type"], body["data"]) == (
        "subscription.expires_soon",
        {
            "date": "2026-12-16",
            "subscriptions": [
                {"subscription": search.pk, "name": "Cheap", "expires_at": search.expires_at.isoformat()}
            ],
            "more": 0,
        },
    )


def test_what_is_told_is_what_is_left_when_it_is_sent(collector: Collector) -> None:
    searches = [collector.searches(f"price <= {price}", name=str(price), days=30) for price in range(1, 5)]
    notices.tell_of_expiries(now=NOW + 28 * DAY)
    delivery = Delivery.objects.get()
    renewed, removed, over, _ = searches
    services.renew(renewed, now=NOW + 28 * DAY, valid_days=30)
    services.unsubscribe(removed)
    Subscription.objects.filter(pk=over.pk).update(state=Subscription.State.EXPIRED)
    content = composed(delivery, now=NOW + 31 * DAY)
    assert isinstance(content, ExpiresSoon)
    assert [each.name for each in content.searches] == ["3", "4"]
    Subscription.objects.update(state=Subscription.State.REMOVED)
    with pytest.raises(NothingToTell, match="renewed or removed"):
        composed(delivery, now=NOW + 31 * DAY)


def test_one_that_lives_shortly_is_told_of_along_with_others_only(collector: Collector) -> None:
    services.subscribe(collector.user, "price exists", now=NOW + 28 * DAY, valid_days=2, name="Short")
    assert notices.tell_of_expiries(now=NOW + 28 * DAY) == 0
    collector.searches(name="Long", days=30)
    assert notices.tell_of_expiries(now=NOW + 28 * DAY) == 1
    content = composed(Delivery.objects.get(), now=NOW + 28 * DAY)
    assert isinstance(content, ExpiresSoon)
    assert {each.name for each in content.searches} == {"Short", "Long"}


def test_messages_that_died_on_the_same_day_are_all_counted(collector: Collector) -> None:
    hook = collector.adds_channel("https://hooks.example.org", kind=Channel.Kind.WEBHOOK)
    about = {"about": "given_up", "channel": hook.pk, "address": hook.address, "deliveries": 1}
    notices.tell(collector.user.pk, about=about, key="notice:given_up", now=NOW)
    notice = Delivery.objects.get()
    assert composed(notice, now=NOW) == GivenUp(channel=hook.pk, address=hook.address, deliveries=1)
    midnight = datetime(2026, 11, 16, tzinfo=UTC)
    died_at = [midnight - MOMENT, midnight, NOW, midnight + DAY - MOMENT, midnight + DAY]
    for number, moment in enumerate(died_at):
        is_dead(hook, f"event:{number}", moment)
    is_dead(collector.channel, "event:1", NOW)
    content = composed(notice, now=NOW + DAY)
    assert isinstance(content, GivenUp)
    assert content.deliveries == 3


def is_dead(channel: Channel, key: str, moment: datetime) -> None:
    Delivery.objects.create(
        channel=channel,
        kind=Delivery.Kind.MATCH,
        key=key,
        state=Delivery.State.DEAD,
        planned_at=moment,
        next_attempt_at=moment,
        finished_at=moment,
    )


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
