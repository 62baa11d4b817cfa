"""Whatever is announced again, dies or happens at the same time: everything is planned once."""

import threading
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from matching import announcements, failpoints
from matching.models import Announcement, Match, Subscription
from notifications import candidates, plan_rows, planning
from notifications.core.planning import Recipient, Telling
from notifications.core.policy import Frequency, Hours
from notifications.models import Allowance, Delivery
from schema_registry.accounts.models import User
from tests.integration.readers import NOW, World, assert_everything_is_told_once, plan, told

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    pass


@pytest.fixture
def world() -> World:
    return World()


def test_an_announcement_that_comes_again_changes_nothing(world: World) -> None:
    reader = world.person()
    world.channel(reader, most_per_day=1)
    searches = [world.search(reader), world.search(reader, frequency=Frequency.WEEKLY)]
    events = [world.item(*searches), world.item(searches[1]), world.item(searches[0])]
    assert plan() == 3
    before, used = told(), list(Allowance.objects.values())
    announcements.announce(events)
    assert plan() == 0
    assert (told(), list(Allowance.objects.values())) == (before, used)


def test_a_match_found_late_joins_the_delivery_of_its_item(world: World) -> None:
    reader = world.person()
    mail = world.channel(reader)
    early, late = world.search(reader), world.search(reader)
    event = world.item(early)
    plan()
    world.match(event, late)
    assert plan() == 0
    assert told() == {(mail.pk, f"event:{event}"): {(event, early.pk), (event, late.pk)}}
    assert Allowance.objects.get().used == 1


@pytest.mark.parametrize("since", ["active", "muted"])
def test_a_match_found_late_joins_the_digest_of_its_item_though_it_is_to_be_told_at_once(
    world: World, since: str
) -> None:
    reader = world.person()
    mail = world.channel(reader)
    early, late = world.search(reader, frequency=Frequency.DAILY), world.search(reader)
    event = world.item(early)
    assert plan() == 1
    Subscription.objects.filter(pk=early.pk).update(state=since)
    world.match(event, late)
    assert plan() == 0
    ((channel, key),) = told()
    assert (channel, key.partition(":")[0]) == (mail.pk, "daily")
    assert told()[channel, key] == {(event, early.pk), (event, late.pk)}


def test_a_match_found_late_is_not_told_on_a_channel_that_goes_meanwhile(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = world.person()
    mail = world.channel(reader)
    early, late = world.search(reader), world.search(reader)
    event = world.item(early)
    plan()
    world.match(event, late)
    read = candidates.of_events

    def then_it_goes(events: Sequence[int]) -> candidates.Part:
        part = read(events)
        mail.delete()
        return part

    monkeypatch.setattr(candidates, "of_events", then_it_goes)
    assert plan() == 0
    connection.check_constraints()
    assert told() == {}
    assert not Announcement.objects.exists()


def test_a_search_that_is_muted_no_more_joins_what_a_planner_had_planned_who_died(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_rows, "ROWS_PER_TRANSACTION", 1)
    reader, other = world.person(), world.person()
    mail = world.channel(reader)
    world.channel(other)
    daily, muted = world.search(reader, frequency=Frequency.DAILY), world.search(reader)
    Subscription.objects.filter(pk=muted.pk).update(state="muted")
    event = world.item(daily, muted, world.search(other))

    def die(*words: Any) -> None:
        if words[0] == "plan.between-commits":
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(failpoints, "reached", die)
        with pytest.raises(Killed):
            planning.plan(clock=lambda: NOW)
    Subscription.objects.filter(pk=muted.pk).update(state="active")
    Announcement.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    plan()
    (mine,) = (entries for (channel, _key), entries in told().items() if channel == mail.pk)
    assert mine == {(event, daily.pk), (event, muted.pk)}


def test_a_big_event_and_small_ones_take_turns(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MATCHES_AT_ONCE", 4)
    monkeypatch.setattr(planning, "ROWS_IN_A_TURN", 8)
    monkeypatch.setattr(planning, "_CANDIDATES_AT_ONCE", 7)
    monkeypatch.setattr(plan_rows, "ROWS_PER_TRANSACTION", 4)
    readers = [world.person() for _ in range(6)]
    searches = [world.search(reader) for reader in readers for _ in range(3)]
    for reader in readers[:5]:
        world.channel(reader)
    many = world.search(readers[4])  # one owner with more than a part can hold
    more = [world.search(readers[4]) for _ in range(6)]
    big = world.item(*searches, many, *more)
    small = [world.item(search) for search in searches[:8]]
    turns = []

    def note(*words: Any) -> None:
        if words[0] == "plan.after-commit":
            turns.append(set(Delivery.objects.values_list("event", flat=True)))

    monkeypatch.setattr(failpoints, "reached", note)
    assert plan() == 5 + 8
    assert {len(entries) for (_, key), entries in told().items() if key == f"event:{big}"} == {3, 10}
    first_big = next(place for place, seen in enumerate(turns) if big in seen)
    assert first_big < next(place for place, seen in enumerate(turns) if set(small) <= seen)


@pytest.mark.parametrize("place", ["plan.before-commit", "plan.after-commit", "plan.between-commits"])
def test_a_planner_that_dies_leaves_nothing_half_done(
    world: World, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(plan_rows, "ROWS_PER_TRANSACTION", 4)
    for _ in range(5):
        reader = world.person()
        world.channel(reader, most_per_day=5)
    readers = list(User.objects.filter(channels__isnull=False))
    searches = [world.search(reader) for reader in readers]
    searches += [world.search(reader, frequency=Frequency.DAILY) for reader in readers]
    events = [world.item(*searches), world.item(*searches[5:])]

    def die(*words: Any) -> None:
        if words[0] == place:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(failpoints, "reached", die)
        with pytest.raises(Killed):
            planning.plan(clock=lambda: NOW)
    assert Announcement.objects.count() == 2
    assert all(told().values())
    assert planning.plan(clock=lambda: NOW) == 0  # it is still held
    Announcement.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    plan()
    assert_everything_is_told_once(events)
    assert set(Allowance.objects.values_list("used", flat=True)) == {1}


def test_what_went_away_since_it_was_read_leaves_no_empty_delivery(world: World) -> None:
    reader = world.person()
    mail, gone = world.channel(reader), world.channel(reader)
    search = world.search(reader)
    kept, deleted = world.item(search), world.item(search)
    numbers = dict(Match.objects.values_list("event", "pk"))
    Match.objects.filter(event=deleted).delete()
    wanted = [
        Telling(event, Recipient(channel.pk, channel.address, 9, Hours()), (numbers[event],), frequency, due)
        for channel in (mail, gone)
        for event, frequency, due in (
            (kept, Frequency.AT_ONCE, NOW),
            (deleted, Frequency.HOURLY, NOW + timedelta(minutes=30)),
        )
    ]
    removed, address = gone.pk, mail.address
    gone.delete()
    assert plan_rows.write(wanted, now=NOW) == 1
    assert told() == {(mail.pk, f"event:{kept}"): {(kept, search.pk)}}
    assert not Delivery.objects.filter(channel=removed).exists()
    assert Allowance.objects.get(address=address).used == 1


@pytest.mark.django_db(transaction=True)
def test_planners_at_the_same_time_tell_everything_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leases that end at once let both take everything, all the time."""
    monkeypatch.setattr(announcements, "LEASE", timedelta(seconds=-1))
    monkeypatch.setattr(plan_rows, "ROWS_PER_TRANSACTION", 10)
    searches = []
    for number in range(12):
        reader = world.person()
        shared = f"{number % 3}@example.org"
        world.channel(reader, address=shared, most_per_day=7)
        world.channel(reader, kind="webhook", address=f"https://{number}.example")
        searches += [world.search(reader, frequency=frequency) for frequency in list(Frequency)[number % 2 :]]
    events = [world.item(*searches[number % 3 :: 3]) for number in range(20)]
    together = threading.Barrier(3)
    failed: list[BaseException] = []

    def run() -> None:
        together.wait()
        try:
            planning.plan(clock=lambda: NOW, seconds=600)
        except BaseException as error:
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert not Announcement.objects.exists()
    assert_everything_is_told_once(events)
    counted: dict[tuple[str, date], int] = {}
    for delivery in Delivery.objects.filter(channel__kind="email").select_related("channel"):
        if delivery.kind == "match" or delivery.key.startswith("hourly"):
            day = delivery.channel.address, delivery.next_attempt_at.date()
            counted[day] = counted.get(day, 0) + 1
    assert {(each.address, each.day): each.used for each in Allowance.objects.all() if each.used} == counted
    assert max(counted.values()) == 7


@pytest.mark.django_db(transaction=True)
def test_nobody_begins_a_digest_to_which_something_is_being_added(world: World) -> None:
    if not connection.features.has_select_for_update:
        return  # there is only one writer at a time
    reader = world.person()
    mail = world.channel(reader)
    search = world.search(reader, frequency=Frequency.DAILY)
    world.item(search)
    plan()
    digest = Delivery.objects.get()
    begun: list[int] = []

    def begin() -> None:
        begun.append(Delivery.objects.filter(pk=digest.pk, attempts=0).update(attempts=1))
        connections.close_all()

    sender = threading.Thread(target=begin)
    second = world.item(search)
    wanted = [
        Telling(
            second,
            Recipient(mail.pk, mail.address, None, Hours()),
            (Match.objects.get(event=second).pk,),
            Frequency.DAILY,
            digest.next_attempt_at,
        )
    ]

    def while_it_is_locked() -> None:
        sender.start()
        sender.join(timeout=0.3)
        assert sender.is_alive()

    plan_rows.write(wanted, now=NOW, then=while_it_is_locked)
    sender.join()
    assert begun == [1]
    assert len(told()[mail.pk, digest.key]) == 2
