"""An item that changes while it is being told: its reader hears of it once, and does hear of it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from matching import announcements, services
from matching.models import PublishedEvent, Subscription
from notifications import claims, deliveries, outcomes, planning, sending, terms
from notifications.composing import composed
from notifications.core.policy import Frequency, Revisions
from notifications.models import Delivery, Entry
from notifications.outcomes import Tried
from notifications.told import told_by
from notifications.transports.base import DeliveryError, Exchange
from tests.integration.collector import Collector, item, match
from tests.sinks import SmtpSink

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test's deliveries were called is of no use here."""
    monkeypatch.setattr(claims, "_hints", claims.Hints())


@pytest.fixture
def mailbox(tmp_path: Path, settings: Settings) -> Iterator[SmtpSink]:
    with SmtpSink(tmp_path / "mails") as sink:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sink.port
        yield sink


@pytest.fixture
def search() -> Subscription:
    return Collector().searches("price <= 200")


def found(event: PublishedEvent, search: Subscription) -> None:
    match(event, search)
    PublishedEvent.objects.filter(pk=event.pk).update(match_count=1)
    announcements.announce([event.pk])
    planning.plan()


def send_all() -> None:
    """Whatever waits is due now."""
    moment = timezone.now() - timedelta(seconds=1)
    Delivery.objects.filter(state="waiting").update(next_attempt_at=moment)
    claims._hints = claims.Hints()
    sending.deliver(seconds=600)


def count(mailbox: SmtpSink, word: str) -> int:
    return sum(word in mail.content for mail in mailbox.receipts())


def test_what_was_left_out_of_a_digest_does_not_count_as_told(
    mailbox: SmtpSink, search: Subscription
) -> None:
    terms.choose(search, frequency=Frequency.DAILY)
    found(item("table", price=100, title="TABLE"), search)
    found(item("chair", price=50, title="CHAIR"), search)
    item("table", price=900, revision=2, title="TABLE")  # too dear: it matches nothing
    send_all()
    assert (count(mailbox, "TABLE"), count(mailbox, "CHAIR")) == (0, 1)
    found(item("table", price=80, revision=3, title="TABLE"), search)
    send_all()
    assert (count(mailbox, "TABLE"), count(mailbox, "CHAIR")) == (1, 1)


def test_what_was_muted_when_its_digest_went_is_told_later(mailbox: SmtpSink, search: Subscription) -> None:
    other = services.subscribe(search.owner, "price <= 60", now=timezone.now()).subscription
    for each in (search, other):
        terms.choose(each, frequency=Frequency.DAILY)
    found(item("table", title="TABLE"), search)
    found(item("chair", price=50, title="CHAIR"), other)
    services.change(search, state=Subscription.State.MUTED, now=timezone.now())
    send_all()
    services.change(search, state=Subscription.State.ACTIVE, now=timezone.now())
    found(item("table", price=170, revision=2, title="TABLE"), search)
    send_all()
    assert (count(mailbox, "TABLE"), count(mailbox, "CHAIR")) == (1, 1)


def test_a_revision_planned_while_the_older_was_under_way_is_not_told_as_well(
    mailbox: SmtpSink, search: Subscription
) -> None:
    found(item("table", price=100, title="TABLE"), search)
    older = claims.take()
    assert older is not None
    now = timezone.now()
    content = composed(older, now=now)
    exchange = sending._sent(older, content, now=now)
    found(item("table", price=120, revision=2, title="TABLE"), search)
    outcomes.record(
        Tried(
            delivery=older,
            began_at=now,
            ended_at=timezone.now(),
            exchange=exchange,
            told=told_by(content),
        )
    )
    send_all()
    assert count(mailbox, "TABLE") == 1
    newer = Delivery.objects.exclude(pk=older.pk).get()
    assert newer.state == "dropped"
    assert newer.reason.startswith("An earlier revision of the item was told")


def test_a_search_that_asks_for_changes_hears_of_them_all_the_same(
    mailbox: SmtpSink, search: Subscription
) -> None:
    terms.choose(search, revisions=Revisions.PRICE_DROP)
    for revision, price in enumerate((100, 120, 90), start=1):
        found(item("table", price=price, revision=revision, title="TABLE"), search)
        send_all()
    assert count(mailbox, "TABLE") == 2


def test_a_newer_revision_that_may_yet_be_parked_does_not_silence_the_older(
    mailbox: SmtpSink, search: Subscription
) -> None:
    found(item("table", title="TABLE"), search)
    item("table", revision=2, state=PublishedEvent.State.ACCEPTED)
    send_all()
    assert count(mailbox, "TABLE") == 1


def test_sending_again_what_has_changed_since_forgets_nothing(
    mailbox: SmtpSink, search: Subscription
) -> None:
    found(item("table", title="TABLE"), search)
    send_all()
    delivery = Delivery.objects.get()
    found(item("table", price=110, revision=2, title="TABLE"), search)
    deliveries.replay(delivery, now=timezone.now())
    send_all()
    delivery.refresh_from_db()
    assert delivery.state == "delivered"
    found(item("table", price=120, revision=3, title="TABLE"), search)
    send_all()
    assert count(mailbox, "TABLE") == 1
    assert Entry.objects.filter(is_told=True).count() == 1


def test_a_fault_of_ours_does_not_count_against_the_receiver(search: Subscription) -> None:
    found(item("table"), search)
    delivery = claims.take()
    assert delivery is not None
    now = timezone.now()
    error = DeliveryError("Our mail server is away.", is_ours=True)
    outcomes.record(Tried(delivery=delivery, began_at=now, ended_at=now, exchange=Exchange(), error=error))
    delivery.channel.refresh_from_db()
    assert (delivery.channel.failures, delivery.channel.resume_at) == (0, None)
    assert Delivery.objects.get().reason == "Our mail server is away."


def test_a_clock_that_was_set_back_spoils_nothing(search: Subscription) -> None:
    found(item("table"), search)
    delivery = claims.take()
    assert delivery is not None
    now = timezone.now()
    earlier = now - timedelta(hours=1)
    outcomes.record(Tried(delivery=delivery, began_at=now, ended_at=earlier, exchange=Exchange()))
    assert Delivery.objects.get().state == "delivered"


def test_what_took_long_to_compose_is_sent_only_if_it_is_still_ours(
    mailbox: SmtpSink, search: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(item("table", title="TABLE"), search)
    monkeypatch.setattr(sending, "SECONDS_TO_SEND", claims.LEASE_SECONDS)  # so that any time is long
    delivery = claims.take()
    assert delivery is not None
    Delivery.objects.update(attempts=2)  # somebody took it over
    sending._deal_with(delivery)
    assert count(mailbox, "TABLE") == 0
    delivery.attempts = 2
    sending._deal_with(delivery)
    assert count(mailbox, "TABLE") == 1
