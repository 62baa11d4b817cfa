"""Sending and writing down what came of it, against a real receiver."""

from collections.abc import Callable, Iterator
from datetime import datetime, time, timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from notifications import claims, outcomes, sending
from notifications.core import attempts
from notifications.core.attempts import MOST_ATTEMPTS
from notifications.models import Attempt, Channel, Delivery, Preferences, SendingSwitch
from notifications.outcomes import Tried
from notifications.transports.base import DeliveryError, Exchange
from schema_registry.accounts.models import User
from tests.integration.waiting import add_channel, let_time_pass, plan
from tests.sinks import Behaviour, HttpSink

pytestmark = pytest.mark.django_db

MakeChannel = Callable[..., Channel]
FIRST_GAP = timedelta(minutes=5)


@pytest.fixture
def sink(tmp_path: Path, settings: Settings) -> Iterator[HttpSink]:
    settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test's deliveries were called is of no use here.

    And the first gap is longer than a machine stands still: what failed is not tried again by the same call.
    """
    monkeypatch.setattr(claims, "_hints", claims.Hints())
    monkeypatch.setattr(attempts, "GAPS", (FIRST_GAP, *attempts.GAPS[1:]))


@pytest.fixture
def reader() -> User:
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def channel(reader: User, sink: HttpSink) -> MakeChannel:
    return lambda path="/hook", **fields: add_channel(reader, sink.url(path), **fields)


def test_what_is_due_is_sent_and_written_down(channel: MakeChannel, sink: HttpSink) -> None:
    (delivery,) = plan(channel())
    assert sending.deliver(seconds=600) == 1
    (receipt,) = sink.receipts()
    assert receipt.id == f"msg_{delivery.uid.hex}"
    assert receipt.content["type"] == "channel.test"
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.leased_until) == ("delivered", 1, None)
    attempt = Attempt.objects.get()
    assert (attempt.number, attempt.is_success, attempt.status, attempt.response) == (
        1,
        True,
        200,
        "Thank you.",
    )
    assert "channel.test" in attempt.request
    assert not sending.is_any_due()


def test_what_is_not_due_waits(channel: MakeChannel, sink: HttpSink) -> None:
    plan(channel(), due_in=60)
    assert not sending.is_any_due()
    assert sending.deliver(seconds=600) == 0
    assert sink.receipts() == []


def test_nothing_is_sent_while_sending_is_halted_and_all_of_it_afterwards(
    channel: MakeChannel, sink: HttpSink
) -> None:
    plan(channel(), count=3)
    switch = SendingSwitch.objects.create(is_halted=True)
    assert not sending.is_any_due()
    assert sending.deliver(seconds=600) == 0
    switch.is_halted = False
    switch.save()
    assert sending.deliver(seconds=600) == 3
    assert len(sink.receipts()) == 3


def test_a_failure_is_tried_again_later_and_the_channel_is_left_alone(
    channel: MakeChannel, sink: HttpSink
) -> None:
    receiver = channel()
    (delivery, *_) = plan(receiver, count=3)
    sink.behave(Behaviour(status=500, body="Broken."))
    before = timezone.now()
    assert sending.deliver(seconds=600) == 1
    delivery.refresh_from_db()
    assert (delivery.state, delivery.reason) == ("waiting", "The receiver answered 500.")
    longest = FIRST_GAP * (1 + attempts.JITTER)
    assert before + FIRST_GAP <= delivery.next_attempt_at <= timezone.now() + longest
    receiver.refresh_from_db()
    assert receiver.failures == 1
    assert receiver.failing_since is not None
    assert receiver.resume_at is not None
    assert Attempt.objects.get().response == "Broken."
    sink.behave(Behaviour())
    let_time_pass()
    assert sending.deliver(seconds=600) == 3
    well = Channel.objects.filter(failures=0, failing_since=None, resume_at=None)
    assert well.exists()
    assert len({receipt.id for receipt in sink.receipts()}) == 3


def test_a_receiver_may_ask_for_a_longer_wait(channel: MakeChannel, sink: HttpSink) -> None:
    receiver = channel()
    (delivery,) = plan(receiver)
    sink.behave(Behaviour(status=429, headers={"Retry-After": "3600"}))
    before, an_hour = timezone.now(), timedelta(hours=1)
    sending.deliver(seconds=600)
    delivery.refresh_from_db()
    receiver.refresh_from_db()
    assert receiver.resume_at is not None
    for moment in (delivery.next_attempt_at, receiver.resume_at):
        assert before + an_hour <= moment <= timezone.now() + an_hour


def test_after_the_last_attempt_it_is_a_dead_letter_and_the_owner_is_told(
    channel: MakeChannel, sink: HttpSink, reader: User
) -> None:
    mail = channel("/mail", kind="email")
    receiver = channel()
    (delivery,) = plan(receiver)
    sink.behave(Behaviour(status=500))
    for _ in range(MOST_ATTEMPTS):
        assert Delivery.objects.get(pk=delivery.pk).state == "waiting"
        let_time_pass()
        sending.deliver(seconds=600)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("dead", MOST_ATTEMPTS)
    assert Attempt.objects.filter(delivery=delivery).count() == MOST_ATTEMPTS
    notice = Delivery.objects.get(channel=mail)
    assert notice.about == {
        "about": "given_up",
        "channel": receiver.pk,
        "address": receiver.address,
        "deliveries": 1,
    }


def test_one_that_no_worker_survives_ends_as_a_dead_letter(channel: MakeChannel, sink: HttpSink) -> None:
    plan(channel())
    for _ in range(MOST_ATTEMPTS):
        assert claims.take() is not None
        let_time_pass()
    assert sending.deliver(seconds=600) == 1
    dead = Delivery.objects.get()
    assert (dead.state, dead.reason) == ("dead", "No worker survived sending it 12 times.")
    assert sink.receipts() == []


def test_410_switches_the_channel_off_and_what_waits_stays(channel: MakeChannel, sink: HttpSink) -> None:
    receiver = channel()
    plan(receiver, count=3)
    sink.behave(Behaviour(status=410))
    assert sending.deliver(seconds=600) == 1
    receiver.refresh_from_db()
    assert (receiver.state, receiver.reason) == (
        "disabled",
        "The receiver says that it is gone for good (410).",
    )
    assert Delivery.objects.filter(state="waiting").count() == 3
    let_time_pass()
    assert not sending.is_any_due()


def test_a_channel_that_fails_for_five_days_is_switched_off(channel: MakeChannel, sink: HttpSink) -> None:
    receiver = channel(failures=9, failing_since=timezone.now() - timedelta(days=5))
    plan(receiver)
    sink.behave(Behaviour(status=500))
    sending.deliver(seconds=600)
    receiver.refresh_from_db()
    assert receiver.state == "disabled"
    assert receiver.reason == "Nothing arrived for 5 days. The receiver answered 500."


def test_a_webhook_that_answers_its_challenge_is_active(channel: MakeChannel, sink: HttpSink) -> None:
    receiver = channel(state="pending", challenge="abc")
    plan(receiver, kind="verify")
    Delivery.objects.update(key="verify:abc")
    sink.behave(Behaviour(echoes=False))
    sending.deliver(seconds=600)
    receiver.refresh_from_db()
    assert receiver.state == "pending"
    assert Delivery.objects.get().reason == "The answer does not contain the challenge."
    sink.behave(Behaviour())
    let_time_pass()
    sending.deliver(seconds=600)
    receiver.refresh_from_db()
    assert (receiver.state, receiver.failures) == ("active", 0)
    assert receiver.verified_at is not None


def test_during_quiet_hours_matches_wait_and_it_counts_as_no_attempt(
    channel: MakeChannel, sink: HttpSink, reader: User
) -> None:
    Preferences.objects.create(owner=reader, **_quiet_now())
    receiver = channel()
    (notice,) = plan(receiver, kind="notice")
    plan(receiver, kind="test")
    sending.deliver(seconds=600)
    assert [receipt.content["type"] for receipt in sink.receipts()] == ["channel.test"]
    notice.refresh_from_db()
    assert (notice.state, notice.attempts, notice.leased_until) == ("waiting", 0, None)
    assert notice.next_attempt_at > timezone.now()


def test_a_retry_is_kept_out_of_quiet_hours(channel: MakeChannel, sink: HttpSink, reader: User) -> None:
    soon = timezone.now() + timedelta(minutes=30)
    until = soon + timedelta(hours=3)
    Preferences.objects.create(owner=reader, quiet_from=soon.time(), quiet_until=until.time())
    (delivery,) = plan(channel(), kind="notice")
    Delivery.objects.update(about={"about": "channel_disabled", "channel": 1, "address": "a", "reason": "b"})
    sink.behave(Behaviour(status=503, headers={"Retry-After": "3600"}))
    sending.deliver(seconds=600)
    delivery.refresh_from_db()
    assert delivery.attempts == 1
    assert abs(delivery.next_attempt_at - until) < timedelta(seconds=1)


def test_a_delivery_with_nothing_left_to_tell_is_dropped(channel: MakeChannel, sink: HttpSink) -> None:
    plan(channel(), kind="match")  # it has no entries
    assert sending.deliver(seconds=600) == 1
    dropped = Delivery.objects.get()
    assert dropped.state == "dropped"
    assert dropped.reason
    assert sink.receipts() == []


def test_a_fault_of_our_own_is_a_failure_with_a_retry(channel: MakeChannel, sink: HttpSink) -> None:
    plan(channel(), kind="notice")
    Delivery.objects.update(about={})  # what it is about was lost
    sending.deliver(seconds=600)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.attempts) == ("waiting", 1)
    assert delivery.reason == "Sending it failed (KeyError); the worker's log has more."


def test_who_finishes_late_still_counts_when_it_arrived_and_not_when_it_failed(channel: MakeChannel) -> None:
    plan(channel())
    late = claims.take()
    let_time_pass()
    assert claims.take() is not None
    assert late is not None
    now = timezone.now()
    failed = Tried(
        delivery=late,
        began_at=now,
        ended_at=now,
        exchange=Exchange(),
        error=DeliveryError("Too late."),
    )
    outcomes.record(failed)
    assert Delivery.objects.get().leased_until is not None
    outcomes.record(Tried(delivery=late, began_at=now, ended_at=now, exchange=Exchange()))
    assert Delivery.objects.get().state == "delivered"


def test_a_channel_removed_meanwhile_leaves_nothing_behind(channel: MakeChannel) -> None:
    receiver = channel()
    plan(receiver)
    delivery = claims.take()
    assert delivery is not None
    receiver.delete()
    now = timezone.now()
    outcomes.record(Tried(delivery=delivery, began_at=now, ended_at=now, exchange=Exchange()))
    assert not Attempt.objects.exists()


def _quiet_now() -> dict[str, time]:
    now: datetime = timezone.now()
    begin, end = now - timedelta(minutes=5), now + timedelta(minutes=5)
    return {"quiet_from": begin.time(), "quiet_until": end.time()}
