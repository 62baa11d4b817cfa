"""Taking deliveries: never the same twice, never too many of a channel, and nobody hidden by another."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from notifications import channels, claims, due, sending
from notifications.models import Channel, Delivery
from schema_registry.accounts.models import User
from tests.integration.waiting import add_channel, let_time_pass, plan
from tests.limits.measuring import Measured

pytestmark = pytest.mark.django_db

MakeChannel = Callable[..., Channel]


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test's deliveries were called is of no use here."""
    monkeypatch.setattr(claims, "_hints", claims.Hints())


@pytest.fixture
def reader() -> User:
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def channel(reader: User) -> MakeChannel:
    return lambda path="/hook", **fields: add_channel(reader, f"https://receiver.example{path}", **fields)


def test_a_claim_counts_the_attempt_and_holds_a_lease(channel: MakeChannel, measured: Measured) -> None:
    plan(channel())
    lease, before = timedelta(seconds=claims.LEASE_SECONDS), timezone.now()
    delivery = claims.take()
    assert delivery is not None
    assert delivery.attempts == 1
    assert delivery.leased_until is not None
    a_millisecond = timedelta(milliseconds=1)  # SQLite's clock has no less
    assert before - a_millisecond <= delivery.leased_until - lease <= timezone.now() + a_millisecond
    left = delivery.leased_until - timezone.now()
    measured("length of a lease", left.total_seconds(), "s", at_most=30)
    assert claims.take() is None
    let_time_pass()
    again = claims.take()
    assert again is not None
    assert (again.pk, again.attempts) == (delivery.pk, 2)


@pytest.mark.parametrize(("kind", "most"), [("webhook", 2), ("email", 8)])
def test_a_channel_has_so_many_under_way_and_no_more(channel: MakeChannel, kind: str, most: int) -> None:
    plan(channel(kind=kind), count=20)
    assert sum(claims.take() is not None for _ in range(20)) == most
    assert not sending.is_any_due()


def test_a_failing_channel_has_one_under_way_and_only_once_its_time_has_come(channel: MakeChannel) -> None:
    plan(channel(failures=1, resume_at=timezone.now() + timedelta(minutes=1)), count=5)
    assert claims.take() is None
    let_time_pass()
    assert claims.take() is not None
    assert claims.take() is None


def test_a_test_that_is_asked_for_is_what_a_failing_channel_is_tried_with(channel: MakeChannel) -> None:
    failing = channel(failures=3, resume_at=timezone.now() + timedelta(hours=1))
    plan(failing, count=due.MOST_LOOKED_AT + 1, kind="match")
    Delivery.objects.update(next_attempt_at=timezone.now() - timedelta(days=80))
    asked = channels.send_test(failing, now=timezone.now())
    assert claims.take() == asked
    assert claims.take() is None
    let_time_pass()
    Delivery.objects.filter(kind="match").update(next_attempt_at=timezone.now() - timedelta(days=80))
    after_that = claims.take()
    assert after_that is not None
    assert after_that.kind == "match"


def test_mailboxes_leave_half_of_the_threads_to_webhooks(channel: MakeChannel, settings: Settings) -> None:
    """They share a mail server, which may hang."""
    settings.DELIVERY_THREADS = 8
    for number in range(10):
        plan(channel(f"/{number}", kind="email"))
    plan(channel())
    kinds = [delivery.channel.kind for _ in range(11) if (delivery := claims.take())]
    assert sorted(kinds) == ["email"] * 4 + ["webhook"]


def test_failing_channels_leave_three_quarters_of_the_threads_to_the_others(
    channel: MakeChannel, settings: Settings
) -> None:
    settings.DELIVERY_THREADS = 16
    for number in range(10):
        plan(channel(f"/{number}", failures=1))
    assert sum(claims.take() is not None for _ in range(10)) == 4
    plan(channel("/well"))
    assert claims.take() is not None


@pytest.mark.parametrize(
    ("state", "kind", "is_sent"),
    [
        ("active", "match", True),
        ("active", "notice", True),
        ("active", "test", True),
        ("pending", "verify", True),
        ("pending", "match", False),
        ("pending", "notice", False),
        ("pending", "test", False),
        ("disabled", "verify", False),
        ("disabled", "match", False),
        ("disabled", "notice", False),
    ],
)
def test_only_active_channels_get_anything_but_their_verification(
    channel: MakeChannel, state: str, kind: str, is_sent: bool
) -> None:
    plan(channel(state=state), kind=kind)
    assert sending.is_any_due() is is_sent
    assert (claims.take() is not None) is is_sent


def test_many_that_wait_for_a_dead_channel_or_a_slow_one_do_not_hide_the_others(
    channel: MakeChannel,
) -> None:
    dead = channel("/dead", failures=3, resume_at=timezone.now() + timedelta(hours=1))
    slow = channel("/slow")
    plan(dead, count=due.MOST_LOOKED_AT)
    plan(slow, count=due.MOST_LOOKED_AT)
    others = [channel(f"/{number}") for number in range(20)]
    for other in others:
        plan(other)
    taken = [claimed.channel_id for claimed in iter(claims.take, None)]
    assert sorted(taken) == sorted([slow.pk, slow.pk, *(other.pk for other in others)])


def test_channels_are_gone_through_in_turn_however_many_there_are(
    reader: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "TIMES_AS_LONG_A_REST", 10**6)  # a busy machine does not end it
    now = timezone.now()
    Channel.objects.bulk_create(
        Channel(owner=reader, kind="email", address=str(number), state="active", created_at=now)
        for number in range(due.MOST_STEPS * 2)
    )
    every = list(Channel.objects.order_by("pk"))
    for each in every[:-1]:
        each.resume_at = now + timedelta(hours=1)
    Channel.objects.bulk_update(every, ["resume_at"], batch_size=500)
    Delivery.objects.bulk_create(
        Delivery(channel=each, key="test", kind="test", planned_at=now, next_attempt_at=now) for each in every
    )
    assert sending.is_any_due()
    claimed = claims.take()
    assert claimed is not None
    assert claimed.channel_id == every[-1].pk
    assert claims.take() is None
    plan(every[-1], kind="notice")  # nobody goes round again so soon, but the first that are due are seen
    assert not sending.is_any_due()
    Delivery.objects.filter(kind="notice").update(next_attempt_at=now - timedelta(days=1))
    assert sending.is_any_due()


@pytest.mark.django_db(transaction=True)
def test_threads_that_claim_at_once_never_get_the_same(reader: User) -> None:
    now = timezone.now()
    channels = [
        Channel.objects.create(
            owner=reader, kind="webhook", address=str(number), state="active", created_at=now
        )
        for number in range(200)
    ]
    for each in channels:
        plan(each, count=2)
    barrier = Barrier(8)

    def claim_all() -> list[int]:
        barrier.wait()
        claimed = []
        try:
            while claims.is_any_due():
                while delivery := claims.take():
                    claimed.append(delivery.pk)
        finally:
            connection.close()
        return claimed

    with ThreadPoolExecutor(8) as threads:
        claimed = [pk for portion in threads.map(lambda _: claim_all(), range(8)) for pk in portion]
    assert len(claimed) == len(set(claimed)) == 400
    assert set(Delivery.objects.values_list("attempts", flat=True)) == {1}


@pytest.mark.django_db(transaction=True)
def test_threads_that_claim_at_once_keep_to_the_most_of_a_channel(reader: User) -> None:
    busy = Channel.objects.create(
        owner=reader, kind="webhook", address="x", state="active", created_at=timezone.now()
    )
    hints = [due.Hint(each.pk, busy.pk) for each in plan(busy, count=100)]
    barrier = Barrier(8)

    def claim(portion: list[due.Hint]) -> int:
        barrier.wait()
        try:
            return sum(claims._claim(hint) for hint in portion)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(claim, [hints[number::8] for number in range(8)])) == 2
