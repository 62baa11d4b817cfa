"""What was matched becomes deliveries, on the reader's terms."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from notifications import planning, wakeups
from notifications.core.policy import Frequency, Hours, Revisions
from notifications.hours import hours_of
from notifications.models import Allowance, Delivery, Entry, Terms
from tests.integration.readers import NOW, World, plan, told

pytestmark = pytest.mark.django_db

TODAY = NOW.date()
EIGHT_TOMORROW = "daily:2026-11-17T08:00:00+00:00"


@pytest.fixture
def world() -> World:
    return World()


def sent(*, state: str = "delivered") -> None:
    """All that waits was sent."""
    waiting = Delivery.objects.filter(state="waiting")
    Entry.objects.filter(delivery__in=waiting).update(is_told=state == "delivered")
    waiting.update(state=state, attempts=1)


def test_an_item_is_told_once_on_each_channel_with_all_subscriptions_it_matched(world: World) -> None:
    reader = world.person()
    mail, hook = world.channel(reader), world.channel(reader, kind="webhook", address="https://a.example")
    searches = [world.search(reader), world.search(reader)]
    event = world.item(*searches)
    assert plan() == 2
    both = {(event, search.pk) for search in searches}
    assert told() == {(channel.pk, f"event:{event}"): both for channel in (mail, hook)}
    delivery = Delivery.objects.get(channel=mail)
    assert (delivery.kind, delivery.event_id, delivery.state, delivery.attempts) == (
        "match",
        event,
        "waiting",
        0,
    )
    assert (delivery.planned_at, delivery.next_attempt_at, delivery.leased_until) == (NOW, NOW, None)
    assert (delivery.about, delivery.reason) == ({}, "")
    uids = set(Delivery.objects.values_list("uid", flat=True))
    assert len(uids) == 2
    assert {uid.version for uid in uids} == {7}
    assert Delivery.objects.filter(uid__in=uids).count() == 2


def test_nothing_is_told_to_those_who_do_not_want_it(world: World) -> None:
    nobody, reader, muted = world.person(), world.person(), world.person()
    world.channel(reader, state="pending")
    world.channel(reader, state="disabled")
    world.channel(reader, wants="notices")
    world.channel(muted)
    world.item(world.search(nobody), world.search(reader), world.search(muted, state="muted"))
    assert plan() == 0
    assert told() == {}


def test_a_subscription_tells_on_the_channels_it_chose(world: World) -> None:
    reader = world.person()
    first, second = world.channel(reader), world.channel(reader)
    everywhere, chosen = world.search(reader), world.search(reader, on=[second])
    nowhere = world.search(reader, frequency=Frequency.AT_ONCE)
    Terms.objects.filter(pk=nowhere.pk).update(every_channel=False)
    event = world.item(everywhere, chosen, nowhere)
    plan()
    assert told() == {
        (first.pk, f"event:{event}"): {(event, everywhere.pk)},
        (second.pk, f"event:{event}"): {(event, everywhere.pk), (event, chosen.pk)},
    }


def test_items_of_a_day_share_its_digest_until_somebody_begins_to_send_it(world: World) -> None:
    reader = world.person(
        time_zone="Europe/Paris", digest_at=time(9), quiet_from=time(22), quiet_until=time(9, 30)
    )
    mail = world.channel(reader)
    search = world.search(reader, frequency=Frequency.DAILY)
    first = world.item(search)
    assert plan() == 1
    second = world.item(search)
    assert plan() == 0
    moved = "daily:2026-11-17T08:30:00+00:00"  # half past nine in Paris, when the night is over
    assert told() == {(mail.pk, moved): {(first, search.pk), (second, search.pk)}}
    digest = Delivery.objects.get()
    assert (digest.kind, digest.event_id) == ("digest", None)
    assert digest.next_attempt_at == datetime(2026, 11, 17, 8, 30, tzinfo=UTC)
    Delivery.objects.update(attempts=1)
    third = world.item(search)
    assert plan() == 1
    assert told()[mail.pk, "daily:2026-11-18T08:30:00+00:00"] == {(third, search.pk)}


def test_hours_are_those_of_the_preferences(world: World) -> None:
    chosen = world.person(
        time_zone="Europe/Paris", quiet_from=time(22), quiet_until=time(7), digest_weekday=4
    )
    assert hours_of(chosen.pk) == Hours(
        zone=ZoneInfo("Europe/Paris"), quiet_from=time(22), quiet_until=time(7), digest_weekday=4
    )
    assert hours_of(world.person().pk) == Hours()
    assert (
        hours_of(world.person(time_zone="Moon/Tranquility").pk) == Hours()
    )  # a zone we do not know any more


def test_at_once_waits_for_the_end_of_the_night(world: World) -> None:
    reader = world.person(time_zone="America/New_York", quiet_from=time(22), quiet_until=time(9))
    world.channel(reader)
    world.item(world.search(reader))
    plan()
    assert Delivery.objects.get().next_attempt_at == datetime(2026, 11, 16, 14, tzinfo=UTC)


def test_beyond_the_most_of_a_day_items_wait_for_the_digest(world: World) -> None:
    reader = world.person()
    hook = world.channel(reader, kind="webhook", address="https://a.example", most_per_day=2)
    search = world.search(reader)
    events = [world.item(search) for _ in range(2)]
    plan()
    events += [world.item(search) for _ in range(2)]
    plan()
    assert told() == {
        (hook.pk, f"event:{events[0]}"): {(events[0], search.pk)},
        (hook.pk, f"event:{events[1]}"): {(events[1], search.pk)},
        (hook.pk, EIGHT_TOMORROW): {(event, search.pk) for event in events[2:]},
    }
    assert set(Entry.objects.filter(is_overflow=True).values_list("match__event", flat=True)) == set(
        events[2:]
    )
    assert list(Allowance.objects.values_list("address", "day", "used")) == [("https://a.example", TODAY, 2)]


def test_an_address_has_one_allowance_over_all_its_owners(world: World, settings: Any) -> None:
    settings.MOST_MAILS_PER_DAY = 3
    searches = []
    for spelling in ("me@example.org", "Me@example.org"):
        reader = world.person()
        world.channel(reader, address=spelling)
        searches.append(world.search(reader))
    for _ in range(2):
        world.item(*searches)
        plan()
    assert list(Allowance.objects.values_list("address", "day", "used")) == [("me@example.org", TODAY, 3)]
    assert Delivery.objects.filter(kind="match").count() == 3
    assert Entry.objects.filter(is_overflow=True).count() == 1


def test_a_webhook_without_a_cap_is_not_counted(world: World) -> None:
    reader = world.person()
    world.channel(reader, kind="webhook", address="https://a.example")
    world.item(world.search(reader))
    assert plan() == 1
    assert not Allowance.objects.exists()


def test_an_hourly_digest_is_counted_once(world: World) -> None:
    reader = world.person()
    mail = world.channel(reader, most_per_day=1)
    search = world.search(reader, frequency=Frequency.HOURLY)
    for _ in range(3):
        world.item(search)
        plan()
    assert Allowance.objects.get().used == 1
    plan(NOW)
    late = world.item(search)
    plan(NOW + timedelta(hours=1))
    assert set(told()) == {(mail.pk, "hourly:2026-11-16T13:00:00+00:00"), (mail.pk, EIGHT_TOMORROW)}
    assert Entry.objects.get(is_overflow=True).match.event_id == late


@pytest.mark.parametrize(
    ("revisions", "prices", "is_told"),
    [
        (Revisions.ONCE, (10, 5), False),
        (Revisions.PRICE_DROP, (10, 5), True),
        (Revisions.PRICE_DROP, (10, 10), False),
        (Revisions.PRICE_DROP, (None, 5), False),
        (Revisions.ALWAYS, (10, 10), True),
    ],
)
def test_a_new_revision_is_told_as_its_subscriptions_ask(
    world: World, revisions: Revisions, prices: tuple[float | None, float], is_told: bool
) -> None:
    reader = world.person()
    world.channel(reader)
    once, search = world.search(reader), world.search(reader, revisions=revisions)
    world.item(once, search, of="clock", price=prices[0])
    plan()
    sent()
    second = world.item(once, search, of="clock", revision=2, price=prices[1])
    plan()
    assert set(Entry.objects.filter(match__event=second).values_list("match__subscription", flat=True)) == (
        {once.pk, search.pk} if is_told else set()
    )


def test_the_price_that_counts_is_that_of_the_last_telling(world: World) -> None:
    reader = world.person()
    mail = world.channel(reader)
    search = world.search(reader, revisions=Revisions.PRICE_DROP)
    told_events = []
    for revision, price in enumerate([10, 12, 11, 9], start=1):
        event = world.item(search, of="clock", revision=revision, price=price)
        plan()
        if (mail.pk, f"event:{event}") in told():
            told_events.append(revision)
        sent()
    assert told_events == [1, 4]


@pytest.mark.parametrize("state", ["waiting", "dropped", "dead"])
def test_what_did_not_arrive_was_not_told(world: World, state: str) -> None:
    reader = world.person()
    world.channel(reader)
    search = world.search(reader)
    world.item(search, of="clock")
    plan()
    sent(state=state)
    world.item(search, of="clock", revision=2)
    assert plan() == 1


def test_another_channel_and_another_publishers_item_were_not_told(world: World) -> None:
    reader = world.person()
    world.channel(reader)
    search = world.search(reader)
    world.item(search, of="clock")
    plan()
    sent()
    world.channel(reader)
    world.item(search, of="clock", revision=2)
    assert plan() == 1
    world.item(search, of="watch", revision=2)
    assert plan() == 2


def test_senders_are_woken_for_what_is_due_now(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[int] = []
    monkeypatch.setattr(wakeups, "SENDERS", type("Bell", (), {"send": lambda self: woken.append(1)})())
    reader = world.person()
    world.channel(reader)
    daily, at_once = world.search(reader, frequency=Frequency.DAILY), world.search(reader)
    world.item(daily)
    plan()
    assert not woken
    world.item(at_once)
    plan()
    assert woken == [1]


def test_a_slice_of_time_ends_between_turns(world: World) -> None:
    world.item(world.search(world.person()))
    assert planning.is_anything_waiting()
    assert planning.plan(seconds=0) == 0
    assert planning.is_anything_waiting()
    plan()
    assert not planning.is_anything_waiting()
