"""Messages that somebody asks for by hand: a test, one sent again; and what goes with its channel."""

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import Settings

from notifications import channels, deliveries
from notifications.channels import NotActive
from notifications.deliveries import TooSoon
from notifications.models import Allowance, Attempt, Channel, Delivery, Preferences
from schema_registry.accounts.models import User
from tests.integration.own_channels import HOOK, LATER, NOW, again, mailbox, verifications, webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("fan@example.org")


class TestTests:
    def test_one_is_planned_for_now(self, owner: User) -> None:
        channel = webhook(owner)
        Channel.objects.update(failures=2, resume_at=NOW + timedelta(hours=8))
        planned = channels.send_test(channel, now=NOW)
        assert (planned.kind, deliveries.next_attempt(planned)) == ("test", NOW)
        assert planned.key.startswith("test:")
        assert again(channel).resume_at is None

    def test_not_before_the_address_is_proved_and_not_too_often(self, owner: User) -> None:
        channel = webhook(owner, active=False)
        with pytest.raises(NotActive, match="waiting for confirmation"):
            channels.send_test(channel, now=NOW)
        channels.activate(channel.pk, now=NOW)
        channels.send_test(channel, now=NOW)
        with pytest.raises(TooSoon):
            channels.send_test(channel, now=NOW + timedelta(seconds=9))
        channels.send_test(channel, now=NOW + timedelta(seconds=10))

    def test_it_goes_before_all_that_waits_until_it_was_tried(self, owner: User) -> None:
        channel = webhook(owner)
        long_ago = NOW - timedelta(days=80)
        Delivery.objects.update(next_attempt_at=long_ago, planned_at=long_ago)
        planned = channels.send_test(channel, now=NOW)
        assert Delivery.objects.order_by("next_attempt_at").first() == planned
        tried = Delivery(state="waiting", planned_at=NOW, next_attempt_at=LATER, attempts=1)
        assert deliveries.next_attempt(tried) == LATER


class TestMailsOfADay:
    @pytest.fixture
    def box(self, owner: User, settings: Settings) -> Channel:
        """Its owner's day has just begun."""
        settings.MOST_MAILS_PER_DAY = 3
        Preferences.objects.create(owner=owner, time_zone="Pacific/Auckland")  # 13 h ahead
        box = mailbox(owner)
        channels.activate(box.pk, now=NOW)
        return again(box)

    def used(self) -> int:
        return Allowance.objects.get(address="box@example.org", day="2026-11-17").used

    def test_tests_and_replays_count_and_there_is_a_most(self, box: Channel) -> None:
        sent = channels.send_test(box, now=NOW)
        Delivery.objects.update(state="delivered", finished_at=NOW)
        deliveries.replay(sent, now=LATER)
        Delivery.objects.update(state="delivered", finished_at=NOW)
        channels.send_test(box, now=LATER)
        assert self.used() == 3
        with pytest.raises(TooSoon, match="tomorrow"):
            channels.send_test(box, now=LATER + timedelta(minutes=1))
        with pytest.raises(TooSoon, match="tomorrow"):
            deliveries.replay(sent, now=LATER + timedelta(minutes=1))
        assert self.used() == 3

    def test_the_others_that_have_the_address_are_counted_too(self, box: Channel) -> None:
        Allowance.objects.create(address="box@example.org", day="2026-11-17", used=3)
        with pytest.raises(TooSoon, match="its most messages of today; ask again tomorrow") as refusal:
            channels.send_test(box, now=NOW)
        assert refusal.value.again_at == datetime(2026, 11, 17, 11, tzinfo=UTC)
        assert not box.deliveries.filter(kind="test").exists()
        channels.send_test(box, now=refusal.value.again_at)

    def test_a_replay_that_is_refused_takes_nothing(self, box: Channel) -> None:
        sent = channels.send_test(box, now=NOW)
        with pytest.raises(deliveries.CannotReplay):
            deliveries.replay(sent, now=NOW)
        assert self.used() == 1

    def test_webhooks_are_not_counted(self, owner: User, settings: Settings) -> None:
        settings.MOST_MAILS_PER_DAY = 1
        hook = webhook(owner)
        for number in range(3):
            channels.send_test(hook, now=NOW + timedelta(minutes=number))
        assert not Allowance.objects.filter(address=HOOK).exists()


class TestReplays:
    @pytest.mark.parametrize("state", ["delivered", "dead", "dropped"])
    def test_a_finished_one_goes_again_under_its_id(self, owner: User, state: str) -> None:
        sent = channels.send_test(webhook(owner), now=NOW)
        Delivery.objects.filter(pk=sent.pk).update(state=state, attempts=12, finished_at=NOW, reason="x")
        later = NOW + timedelta(days=2)
        deliveries.replay(sent, now=later)
        now = Delivery.objects.get(pk=sent.pk)
        assert (now.state, now.attempts, now.next_attempt_at) == ("waiting", 0, later)
        assert (now.finished_at, now.reason, now.leased_until) == (None, "", None)
        assert now.wire_id == sent.wire_id

    def test_one_that_is_gone_is_not_there(self, owner: User) -> None:
        sent = channels.send_test(webhook(owner), now=NOW)
        Delivery.objects.all().delete()
        with pytest.raises(Delivery.DoesNotExist):
            deliveries.replay(sent, now=NOW)

    def test_one_that_waits_does_not(self, owner: User) -> None:
        sent = channels.send_test(webhook(owner), now=NOW)
        assert not deliveries.may_replay(sent)
        with pytest.raises(deliveries.CannotReplay, match="still on its way"):
            deliveries.replay(sent, now=NOW)

    def test_one_to_a_channel_that_wants_nothing_does_not(self, owner: User) -> None:
        sent = channels.send_test(webhook(owner), now=NOW)
        Delivery.objects.update(state="dead")
        assert deliveries.may_replay(Delivery.objects.get(pk=sent.pk))
        Channel.objects.update(wants=Channel.Wants.NOTHING)
        quiet = Delivery.objects.get(pk=sent.pk)
        assert not deliveries.may_replay(quiet)
        with pytest.raises(deliveries.CannotReplay, match="wants nothing"):
            deliveries.replay(quiet, now=NOW)

    def test_a_verification_is_not_replayed_since_that_would_be_a_way_round_its_limit(
        self, owner: User
    ) -> None:
        (sent,) = verifications(mailbox(owner))
        Delivery.objects.update(state="delivered")
        assert not deliveries.may_replay(Delivery.objects.get())
        with pytest.raises(deliveries.CannotReplay):
            deliveries.replay(sent, now=NOW)


def test_a_removed_one_takes_its_deliveries_and_their_log_along(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "ROWS_PER_TRANSACTION", 10)
    channel, other = webhook(owner), webhook(owner, HOOK + "/2")
    for number in range(7):
        sent = channels.send_test(channel, now=NOW + timedelta(minutes=number))
        Attempt.objects.create(delivery=sent, number=1, began_at=NOW, milliseconds=5, is_success=True)
    channels.remove(channel.pk)
    assert list(Channel.objects.all()) == [other]
    assert set(Delivery.objects.values_list("channel", flat=True)) == {other.pk}
    assert not Attempt.objects.exists()
    channels.remove(channel.pk)  # stopped half-way, it can be done again
