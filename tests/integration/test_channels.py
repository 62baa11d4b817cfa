"""The life of a channel: nothing is sent to an address before its owner has shown that it is theirs."""

import base64
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from lesubscribe.demo.account import demo_user
from notifications import channels, deliveries, verification
from notifications.addresses import InvalidAddress
from notifications.channels import AddressTaken, AlreadyVerified, NotActive, TooManyChannels
from notifications.deliveries import TooSoon
from notifications.models import Allowance, Channel, Delivery
from schema_registry.accounts.models import User
from tests.integration import cached
from tests.integration.own_channels import (
    HOOK,
    LATER,
    NOW,
    Kind,
    State,
    again,
    mailbox,
    verifications,
    webhook,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("fan@example.org")


class TestAdding:
    def test_a_new_one_waits_for_its_verification_which_is_on_its_way(self, owner: User) -> None:
        channel = channels.add(owner, kind=Kind.WEBHOOK, address="HTTPS://Shop.example.org:443/hook", now=NOW)
        assert (channel.address, channel.state, channel.verified_at) == (HOOK, State.PENDING, None)
        (planned,) = verifications(channel)
        assert (planned.key, planned.state) == (f"verify:{channel.challenge}", "waiting")
        assert deliveries.next_attempt(planned) == NOW

    def test_it_has_a_secret_of_the_standard_and_a_challenge_of_its_own(self, owner: User) -> None:
        first, second = webhook(owner), webhook(owner, HOOK + "/2")
        assert first.secret.startswith("whsec_")
        assert len(base64.b64decode(first.secret.removeprefix("whsec_"), validate=True)) == 32
        assert first.secret != second.secret
        assert first.challenge != second.challenge

    def test_the_same_address_is_taken_once(self, owner: User) -> None:
        webhook(owner)
        with pytest.raises(AddressTaken):
            webhook(owner, HOOK.upper().replace("/HOOK", "/hook"))
        mailbox(owner)
        with pytest.raises(AddressTaken):
            mailbox(owner, "BOX@example.org")
        mailbox(User.objects.create_user("other@example.org"))
        assert Channel.objects.count() == 3

    def test_there_is_a_limit_to_how_many_one_has(self, owner: User, settings: Settings) -> None:
        settings.MOST_CHANNELS_PER_OWNER = 1
        webhook(owner)
        with pytest.raises(TooManyChannels, match="You may have 1 channels"):
            mailbox(owner)

    def test_an_address_that_cannot_be_leaves_nothing(self, owner: User) -> None:
        for kind, address in ((Kind.EMAIL, "fan"), (Kind.WEBHOOK, "javascript:alert(1)")):
            with pytest.raises(InvalidAddress):
                channels.add(owner, kind=kind, address=address, now=NOW)
        assert not Channel.objects.exists()

    def test_private_hosts_are_taken_where_they_are_allowed(self, owner: User, settings: Settings) -> None:
        with pytest.raises(InvalidAddress):
            webhook(owner, "http://127.0.0.1:9/")
        settings.WEBHOOK_ALLOWED_HOSTS = ["127.0.0.1"]
        assert webhook(owner, "http://127.0.0.1:9/").address == "http://127.0.0.1:9/"


@pytest.mark.django_db(transaction=True)
def test_adding_one_wakes_the_senders(owner: User) -> None:
    cached.forget()
    webhook(owner)
    assert not cache.add("notifications.tasks.deliver-is-on-its-way", True)


class TestAddressesOfTheAccount:
    def test_a_confirmed_one_is_a_channel_at_once(self, owner: User) -> None:
        address = EmailAddress.objects.create(user=owner, email="fan@example.org")
        assert not Channel.objects.exists()
        address.set_verified()
        channel = Channel.objects.get()
        assert (channel.address, channel.state) == ("fan@example.org", State.ACTIVE)
        assert channel.verified_at is not None
        assert not Delivery.objects.exists()

    def test_following_the_link_in_the_mail_makes_it_a_channel(self, owner: User, client: Client) -> None:
        address = EmailAddress.objects.create(user=owner, email="fan@example.org")
        client.post(reverse("account_confirm_email", args=[EmailConfirmationHMAC(address).key]))
        channel = Channel.objects.get()
        assert (channel.address, channel.state) == ("fan@example.org", State.ACTIVE)

    def test_a_channel_that_waited_for_it_is_active_then(self, owner: User) -> None:
        channel = mailbox(owner, "fan@example.org")
        EmailAddress.objects.create(user=owner, email="Fan@example.org", verified=True)
        assert again(channel).state == State.ACTIVE

    def test_adding_one_that_is_confirmed_needs_no_mail(self, owner: User) -> None:
        EmailAddress.objects.create(user=owner, email="fan@example.org", verified=True)
        channels.remove(Channel.objects.get().pk)
        channel = mailbox(owner, "FAN@example.org")
        assert channel.state == State.ACTIVE
        assert verifications(channel) == []

    def test_that_of_somebody_else_proves_nothing(self, owner: User) -> None:
        other = User.objects.create_user("other@example.org")
        EmailAddress.objects.create(user=other, email="other@example.org", verified=True)
        assert mailbox(owner, "other@example.org").state == State.PENDING

    def test_one_that_is_removed_gets_nothing_until_it_is_confirmed_again(self, owner: User) -> None:
        address = EmailAddress.objects.create(user=owner, email="fan@example.org", verified=True)
        address.delete()
        channel = Channel.objects.get()
        assert (channel.state, channel.reason) == (
            State.DISABLED,
            "The address was removed from your account.",
        )
        EmailAddress.objects.create(user=owner, email="fan@example.org", verified=True)
        assert (again(channel).state, again(channel).reason) == (State.ACTIVE, "")

    def test_a_domain_in_another_alphabet_is_the_same_in_both_its_forms(self, owner: User) -> None:
        address = EmailAddress.objects.create(user=owner, email="Fan@bücher.example", verified=True)
        channel = Channel.objects.get()
        assert channel.address == "fan@xn--bcher-kva.example"
        channels.remove(channel.pk)
        channel = mailbox(owner, "fan@bücher.example")
        assert channel.state == State.ACTIVE
        address.delete()
        assert again(channel).state == State.DISABLED

    def test_one_that_we_would_not_write_to_is_no_channel_and_can_be_removed(self, owner: User) -> None:
        address = EmailAddress.objects.create(user=owner, email="fan@localhost", verified=True)
        assert mailbox(owner).state == State.PENDING
        address.delete()
        assert Channel.objects.get().state == State.PENDING

    def test_one_that_its_owner_switched_off_or_removed_stays_so(self, owner: User) -> None:
        address = EmailAddress.objects.create(user=owner, email="fan@example.org", verified=True)
        channel = Channel.objects.get()
        channels.change(channel.pk, now=NOW, state=State.DISABLED)
        address.set_as_primary()
        assert again(channel).state == State.DISABLED
        channels.remove(channel.pk)
        address.set_as_primary()
        assert not Channel.objects.exists()

    def test_the_demo_account_has_one(self) -> None:
        demo = demo_user()
        assert Channel.objects.get(owner=demo).state == State.ACTIVE


class TestVerification:
    def test_a_proved_one_is_active_and_is_proved_once(self, owner: User) -> None:
        channel = webhook(owner, active=False)
        assert channels.activate(channel.pk, now=NOW)
        assert not channels.activate(channel.pk, now=NOW + timedelta(days=1))
        assert (again(channel).state, again(channel).verified_at) == (State.ACTIVE, NOW)

    def test_one_that_is_switched_off_is_not_made_active_by_an_old_link(self, owner: User) -> None:
        channel = webhook(owner, active=False)
        channels.disable(channel.pk, reason="410", now=NOW)
        assert not channels.activate(channel.pk, now=NOW)
        assert again(channel).state == State.DISABLED

    def test_another_one_takes_the_place_of_the_first(self, owner: User) -> None:
        channel = webhook(owner, active=False)
        Channel.objects.update(failures=3, resume_at=NOW + timedelta(hours=1))
        later = NOW + timedelta(minutes=1)
        channels.verify_again(channel.pk, now=later)
        old, new = verifications(channel)
        assert (old.state, new.state) == ("dropped", "waiting")
        assert again(channel).challenge != channel.challenge
        assert new.key == f"verify:{again(channel).challenge}"
        assert again(channel).resume_at is None

    def test_it_is_not_asked_for_too_often(self, owner: User) -> None:
        hook, box = webhook(owner, active=False), mailbox(owner)
        for channel, seconds in ((hook, 10), (box, 600)):
            with pytest.raises(TooSoon, match=f"ask again in {seconds} s"):
                channels.verify_again(channel.pk, now=NOW)
            channels.verify_again(channel.pk, now=NOW + timedelta(seconds=seconds))
            assert len(verifications(channel)) == 2

    def test_one_that_is_proved_needs_none(self, owner: User) -> None:
        with pytest.raises(AlreadyVerified):
            channels.verify_again(webhook(owner).pk, now=NOW)

    def test_an_address_gets_one_mail_in_ten_minutes_whoever_asks(self, owner: User) -> None:
        mailbox(owner)
        other = User.objects.create_user("other@example.org")
        theirs = mailbox(other, now=NOW + timedelta(minutes=9))
        assert (theirs.state, verifications(theirs)) == (State.PENDING, [])
        channels.verify_again(theirs.pk, now=NOW + timedelta(minutes=9))  # they are not told why none came
        assert verifications(theirs) == []
        channels.verify_again(theirs.pk, now=NOW + timedelta(minutes=10))
        assert len(verifications(theirs)) == 1

    def test_an_address_gets_five_mails_a_day_also_when_channels_are_removed_and_added(
        self, owner: User
    ) -> None:
        for hour in range(8):
            channel = mailbox(owner, now=NOW + timedelta(hours=hour))
            assert bool(verifications(channel)) == (hour < verification.MOST_MAILS_PER_DAY)
            channels.remove(channel.pk)
        assert Allowance.objects.get(address="verify:box@example.org").used == 5
        assert verifications(mailbox(owner, now=NOW + timedelta(days=1)))

    def test_who_asks_for_too_many_in_a_day_gets_no_more_whatever_the_addresses(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(verification, "MOST_PER_OWNER_AND_DAY", 5)
        waiting = webhook(owner, active=False)
        off = webhook(owner, HOOK + "/off", active=False)
        channels.disable(off.pk, reason="410", now=NOW)
        for number in range(3):
            channels.remove(webhook(owner, f"{HOOK}?{number}").pk)
        later = NOW + timedelta(hours=1)
        for ask in (
            lambda: channels.add(owner, kind=Kind.WEBHOOK, address=HOOK + "?6", now=later),
            lambda: mailbox(owner),
            lambda: channels.verify_again(waiting.pk, now=later),
            lambda: channels.enable(off.pk, now=later),
        ):
            with pytest.raises(TooSoon, match="You asked for 5 verifications today") as refusal:
                ask()
            assert refusal.value.again_at == datetime(2026, 11, 17, tzinfo=UTC)
        assert list(Channel.objects.order_by("pk")) == [waiting, off]
        assert again(off).state == State.DISABLED
        assert Delivery.objects.filter(state="waiting").count() == 2
        webhook(User.objects.create_user("other@example.org"))
        channels.verify_again(waiting.pk, now=datetime(2026, 11, 17, tzinfo=UTC))


class TestWantingNothing:
    @pytest.fixture
    def unwilling(self, owner: User) -> Channel:
        box = mailbox(owner)
        channels.activate(box.pk, now=NOW)
        Delivery.objects.update(state="delivered", finished_at=NOW)
        channels.change(box.pk, wants="nothing", now=NOW)
        return again(box)

    def test_no_test_is_sent_and_nothing_is_sent_again(self, unwilling: Channel) -> None:
        with pytest.raises(NotActive, match="This channel wants nothing, so no test is sent to it"):
            channels.send_test(unwilling, now=LATER)
        sent = deliveries.plan_now(unwilling, kind=Delivery.Kind.TEST, key="test:1", now=NOW)
        Delivery.objects.update(state="delivered", finished_at=NOW)
        with pytest.raises(deliveries.CannotReplay, match="wants nothing"):
            deliveries.replay(sent, now=LATER)

    @pytest.mark.parametrize("wants", ["everything", "notices"])
    def test_the_mailbox_has_to_agree_when_the_account_wants_more(
        self, unwilling: Channel, wants: str
    ) -> None:
        channels.change(unwilling.pk, wants=wants, by_account=True, now=LATER)
        now = again(unwilling)
        assert (now.state, now.wants, now.verified_at) == (State.PENDING, wants, None)
        assert now.challenge != unwilling.challenge
        (asked,) = verifications(now, state="waiting")
        assert asked.key == f"verify:{now.challenge}"

    def test_that_holds_for_one_that_is_switched_off_and_on(self, unwilling: Channel) -> None:
        channels.change(unwilling.pk, state=State.DISABLED, by_account=True, now=LATER)
        channels.change(unwilling.pk, wants="everything", by_account=True, now=LATER)
        assert (again(unwilling).state, verifications(unwilling, state="waiting")) == (State.DISABLED, [])
        channels.change(unwilling.pk, state=State.ACTIVE, by_account=True, now=LATER)
        assert again(unwilling).state == State.PENDING
        assert len(verifications(unwilling, state="waiting")) == 1

    def test_both_changes_at_once_are_no_way_round(self, unwilling: Channel) -> None:
        for before in (State.ACTIVE, State.DISABLED):
            Channel.objects.update(state=before, wants="nothing", verified_at=NOW)
            Delivery.objects.all().delete()
            channels.change(unwilling.pk, wants="everything", state=State.ACTIVE, by_account=True, now=LATER)
            assert again(unwilling).state == State.PENDING
            assert len(verifications(unwilling, state="waiting")) == 1
            Allowance.objects.all().delete()

    def test_an_account_that_asks_too_soon_changes_nothing(self, unwilling: Channel) -> None:
        with pytest.raises(TooSoon):
            channels.change(unwilling.pk, wants="everything", by_account=True, now=NOW)
        assert (again(unwilling).state, again(unwilling).wants) == (State.ACTIVE, "nothing")

    def test_an_address_of_the_account_needs_no_other_proof(self, owner: User, unwilling: Channel) -> None:
        EmailAddress.objects.create(user=owner, email=unwilling.address, verified=True)
        channels.change(unwilling.pk, wants="everything", by_account=True, now=LATER)
        assert (again(unwilling).state, again(unwilling).wants) == (State.ACTIVE, "everything")

    def test_a_link_in_a_mail_needs_none_nor_does_a_webhook_nor_another_change(
        self, owner: User, unwilling: Channel
    ) -> None:
        channels.change(unwilling.pk, most_per_day=5, by_account=True, now=LATER)
        channels.change(unwilling.pk, wants="everything", now=LATER)
        channels.change(unwilling.pk, wants="notices", by_account=True, now=LATER)
        hook = webhook(owner)
        for wants in ("nothing", "everything"):
            channels.change(hook.pk, wants=wants, by_account=True, now=LATER)
        assert again(unwilling).state == again(hook).state == State.ACTIVE


class TestSwitchingOffAndOn:
    def test_what_waits_for_it_goes_on_waiting_and_its_owner_is_told_by_mail(self, owner: User) -> None:
        EmailAddress.objects.create(user=owner, email="fan@example.org", verified=True)
        channel = webhook(owner)
        waiting = channels.send_test(channel, now=NOW)
        assert channels.disable(channel.pk, reason="It answered 410 Gone.", now=NOW)
        assert (again(channel).state, again(channel).reason) == (State.DISABLED, "It answered 410 Gone.")
        waiting.refresh_from_db()
        assert waiting.state == "waiting"
        notice = Delivery.objects.get(kind="notice")
        assert notice.channel.address == "fan@example.org"
        assert notice.about == {
            "about": "channel_disabled",
            "channel": channel.pk,
            "address": HOOK,
            "reason": "It answered 410 Gone.",
        }

    def test_it_is_switched_off_and_told_once(self, owner: User) -> None:
        EmailAddress.objects.create(user=owner, email="fan@example.org", verified=True)
        channel = webhook(owner)
        assert channels.disable(channel.pk, reason="a", now=NOW)
        assert not channels.disable(channel.pk, reason="b", now=NOW + timedelta(seconds=1))
        assert again(channel).reason == "a"
        assert Delivery.objects.filter(kind="notice").count() == 1

    def test_who_switches_it_off_needs_no_mail_about_it(self, owner: User) -> None:
        EmailAddress.objects.create(user=owner, email="fan@example.org", verified=True)
        channel = webhook(owner)
        channels.change(channel.pk, now=NOW, state=State.DISABLED)
        assert again(channel).reason == "You switched it off."
        assert not Delivery.objects.filter(kind="notice").exists()

    def test_switched_on_again_it_starts_without_its_failures(self, owner: User) -> None:
        channel = webhook(owner)
        Channel.objects.update(failures=7, failing_since=NOW, resume_at=NOW + timedelta(days=1))
        channels.disable(channel.pk, reason="5 days", now=NOW)
        assert channels.enable(channel.pk, now=NOW)
        now = again(channel)
        assert (now.state, now.reason, now.failures, now.failing_since, now.resume_at) == (
            (State.ACTIVE, "", 0, None, None)
        )
        assert not channels.enable(channel.pk, now=NOW)

    def test_one_that_was_never_proved_has_to_prove_itself(self, owner: User) -> None:
        channel = webhook(owner, active=False)
        channels.disable(channel.pk, reason="410", now=NOW)
        assert channels.enable(channel.pk, now=NOW + timedelta(minutes=1))
        assert again(channel).state == State.PENDING
        assert len(verifications(channel, state="waiting")) == 1

    def test_only_its_proof_makes_a_new_one_active(self, owner: User) -> None:
        channel = webhook(owner, active=False)
        with pytest.raises(NotActive):
            channels.change(channel.pk, now=NOW, state=State.ACTIVE, most_per_day=5)
        assert (again(channel).state, again(channel).most_per_day) == (State.PENDING, None)


class TestSecrets:
    def test_for_a_day_the_old_one_signs_along(self, owner: User) -> None:
        channel = webhook(owner)
        rotated = channels.rotate_secret(channel.pk, now=NOW)
        assert rotated.secret != channel.secret
        assert rotated.old_secret == channel.secret
        assert rotated.old_secret_until == NOW + timedelta(hours=24)

    def test_after_two_rotations_the_first_is_worth_nothing(self, owner: User) -> None:
        first = webhook(owner)
        second = channels.rotate_secret(first.pk, now=NOW)
        third = channels.rotate_secret(first.pk, now=NOW + timedelta(hours=1))
        assert {third.secret, third.old_secret}.isdisjoint({first.secret})
        assert third.old_secret == second.secret
