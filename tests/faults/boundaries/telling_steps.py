"""From match to message: planning, digests among it, sending and what comes of it, replays, notices."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

from django.utils import timezone

from matching.models import Announcement
from notifications import deliveries, notices, plan_rows, planning, replays, sending
from notifications.core.attempts import MOST_ATTEMPTS
from notifications.core.policy import Frequency
from notifications.deliveries import CannotReplay
from notifications.models import Allowance, Attempt, Channel, Delivery, Preferences, Replay
from tests.faults.boundaries.world import Action, World, step
from tests.integration import readers
from tests.integration.following import NOW
from tests.integration.waiting import plan
from tests.sinks import Behaviour

ABOUT = {"about": "channel_disabled", "channel": 0, "address": "x", "reason": "y"}
SENT_TWICE = {"deliver.after-send", "deliver.before-commit"}  # it had arrived, and nobody could know


@step("plan")
def deliveries_and_digests_are_planned(world: World) -> Iterator[Action]:
    events = _announced(world)
    yield lambda: planning.plan(clock=lambda: readers.NOW)
    _assert_all_is_told_once(events)


@step("plan-part")
def a_big_event_is_planned_in_parts(world: World) -> Iterator[Action]:
    world.patch.setattr(planning, "MATCHES_AT_ONCE", 3)
    world.patch.setattr(planning, "_CANDIDATES_AT_ONCE", 5)
    events = _announced(world)
    yield lambda: planning.plan(clock=lambda: readers.NOW)
    _assert_all_is_told_once(events)


@step("deliver")
def one_is_sent(world: World) -> Iterator[Action]:
    (delivery,) = plan(world.receiver())
    yield _deliver
    _assert_arrived(world, delivery, times=2 if world.place in SENT_TWICE else 1)


@step("renew-delivery")
def one_that_took_long_to_compose_is_sent(world: World) -> Iterator[Action]:
    world.patch.setattr(sending, "SECONDS_TO_SEND", 3_600)
    (delivery,) = plan(world.receiver())
    yield _deliver
    _assert_arrived(world, delivery)


@step("fail")
def a_receiver_fails(world: World) -> Iterator[Action]:
    channel = world.receiver()
    (delivery,) = plan(channel)
    world.sink.behave(Behaviour(status=500))
    yield _deliver
    delivery.refresh_from_db()
    channel.refresh_from_db()
    is_written_down = world.place == "fail.after-commit"
    assert (delivery.state, delivery.attempts) == ("waiting", 2)
    assert channel.failures == Attempt.objects.count() == (2 if is_written_down else 1)
    world.sink.behave(Behaviour())
    world.let_leases_run_out()
    _deliver()
    _assert_arrived(world, delivery, times=3)


@step("drop")
def there_is_nothing_left_to_tell(world: World) -> Iterator[Action]:
    (delivery,) = plan(world.receiver(), kind="verify")  # which it does not wait for
    yield _deliver
    delivery.refresh_from_db()
    assert (delivery.state, world.sink.receipts()) == ("dropped", [])


@step("give-up")
def one_that_nobody_survives_is_given_up(world: World) -> Iterator[Action]:
    other = world.receiver("/other")
    (delivery,) = plan(world.receiver())
    Delivery.objects.update(attempts=MOST_ATTEMPTS)
    yield _deliver
    delivery.refresh_from_db()
    assert (delivery.state, world.sink.receipts(path="/hook")) == ("dead", [])
    assert other.deliveries.filter(kind="notice", about__about="given_up").count() == 1


@step("give-back")
def it_has_become_late(world: World) -> Iterator[Action]:
    now = timezone.now()
    ends = {"quiet_from": (now - timedelta(hours=2)).time(), "quiet_until": (now + timedelta(hours=2)).time()}
    Preferences.objects.create(owner=world.owner, **ends)
    (delivery,) = plan(world.receiver(), kind="notice")
    yield _deliver
    delivery.refresh_from_db()
    assert (delivery.state, delivery.leased_until, world.sink.receipts()) == ("waiting", None, [])
    assert delivery.next_attempt_at > now + timedelta(hours=1)


@step("replay")
@step("replay-on")
def a_span_is_sent_again(world: World) -> Iterator[Action]:
    world.patch.setattr(replays, "MOST_WAITING", 2)
    channel = world.receiver()
    sent = plan(channel, count=5, kind="notice")
    Delivery.objects.update(state="delivered", about=ABOUT)
    span = replays.span_of(timezone.now() - timedelta(hours=1), timezone.now() + timedelta(hours=1))

    def send_again() -> None:
        if not Replay.objects.filter(finished_at__isnull=False).exists():
            replays.begin(channel, span, now=timezone.now())
        replays.advance(now=timezone.now())

    yield send_again
    while True:
        world.let_leases_run_out()
        _deliver()
        if not replays.advance(now=timezone.now()):
            break
    replay = Replay.objects.get()
    assert (replay.total, replay.begun, replay.finished_at is None) == (5, 5, False)
    assert sorted(receipt.id for receipt in world.sink.receipts()) == sorted(each.wire_id for each in sent)


@step("send-again")
def one_is_sent_again_by_hand(world: World) -> Iterator[Action]:
    (delivery,) = plan(world.receiver())
    Delivery.objects.update(state="dead", attempts=MOST_ATTEMPTS)
    delivery.refresh_from_db()

    def send_again() -> None:
        with suppress(CannotReplay):
            deliveries.replay(delivery, now=timezone.now())

    yield send_again
    world.let_leases_run_out()
    _deliver()
    _assert_arrived(world, delivery)


@step("notice")
def people_are_told_of_a_channel(world: World) -> Iterator[Action]:
    channels = [world.receiver(f"/{number}") for number in range(2)]
    about = {**ABOUT, "channel": channels[0].pk}
    yield lambda: notices.tell(world.owner.pk, about=about, key="notice:once", now=NOW)
    assert list(Delivery.objects.values_list("channel", "key")) == [(channels[1].pk, "notice:once")]


@step("notice")
def people_are_told_of_what_ends(world: World) -> Iterator[Action]:
    channel = world.receiver()
    world.subscribe(valid_days=30), world.subscribe(valid_days=29)
    yield lambda: notices.tell_of_expiries(now=NOW + timedelta(days=28))
    assert list(Delivery.objects.values_list("channel", flat=True)) == [channel.pk] * 2


def _announced(world: World) -> list[int]:
    """Two items for readers who are told at once and by digests, each on a channel with room for one more."""
    world.patch.setattr(plan_rows, "ROWS_PER_TRANSACTION", 4)
    market = readers.World()
    people = [market.person() for _ in range(4)]
    for person in people:
        market.channel(person, most_per_day=5)
    searches = [market.search(person) for person in people]
    searches += [market.search(person, frequency=Frequency.DAILY) for person in people]
    return [market.item(*searches), market.item(*searches[4:])]


def _assert_all_is_told_once(events: list[int]) -> None:
    readers.assert_everything_is_told_once(events)
    assert not Announcement.objects.exists()
    assert set(Allowance.objects.values_list("used", flat=True)) == {1}


def _deliver() -> None:
    sending.deliver(seconds=300)  # at most


def _assert_arrived(world: World, delivery: Delivery, *, times: int = 1) -> None:
    """Once, as one row; on the wire so many times, always under its id."""
    delivery.refresh_from_db()
    assert (delivery.state, delivery.leased_until) == ("delivered", None)
    assert [receipt.id for receipt in world.sink.receipts()] == [delivery.wire_id] * times
    assert not Channel.objects.filter(failures__gt=0).exists()
