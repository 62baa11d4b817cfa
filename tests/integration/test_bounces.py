"""Mails that come back and complaints, from what a mail service POSTs to what becomes of channels."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from lesubscribe.mail_events import urlpatterns
from lesubscribe.mail_services import SERVICES, anymail_settings
from notifications import channels, retention, sending
from notifications.bounces import MOST_DELAYED
from notifications.models import Channel, Delivery, MailEvent
from notifications.suppression import COMPLAINED, Suppressed
from schema_registry.accounts.models import User
from tests.integration.callers import PROBLEM, caller, key_of
from tests.integration.mail_services import (
    KEY,
    USER,
    basic,
    mailgun,
    postmark_bounce,
    postmark_complaint,
    postmark_delivery,
)
from tests.integration.own_channels import again, mailbox, verifications, webhook
from tests.integration.waiting import add_channel, plan

pytestmark = pytest.mark.django_db
BOX = "box@example.org"
Tells = Callable[..., int]


@pytest.fixture
def tells(client: Client) -> Tells:
    """POSTs to the view as it is mounted for a service; the status of its answer."""

    def tell(document: Any, *, service: str = "postmark", user: str = USER) -> int:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        with override_settings(
            ANYMAIL=anymail_settings(service, secret=USER, key=KEY), ROOT_URLCONF=tuple(urlpatterns(service))
        ):
            headers = basic(user) if user else {}
            answer = client.post("/mail-events", body, content_type="application/json", headers=headers)
        return answer.status_code

    return tell


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("fan@example.org")


@pytest.fixture
def box(owner: User) -> Channel:
    return add_channel(owner, BOX, kind="email", verified_at=timezone.now())


class TestReturned:
    @pytest.mark.parametrize(
        ("service", "document"), [("postmark", postmark_bounce(BOX)), ("mailgun", mailgun(BOX))]
    )
    def test_the_address_is_switched_off_and_its_owner_hears_why_elsewhere(
        self, tells: Tells, owner: User, box: Channel, service: str, document: Any
    ) -> None:
        other = webhook(owner)
        assert tells(document, service=service) == 200
        box = again(box)
        assert box.state == "disabled"
        assert box.reason.startswith("Mails to it come back: ")
        notice = other.deliveries.get(kind="notice")
        assert (notice.about["address"], notice.about["reason"]) == (BOX, box.reason)
        assert not box.deliveries.filter(kind="notice").exists()

    def test_to_hear_it_again_is_to_hear_it_once(self, tells: Tells, owner: User, box: Channel) -> None:
        other = webhook(owner)
        tells(postmark_bounce(BOX))
        channels.change(box.pk, now=timezone.now(), state=Channel.State.ACTIVE)  # its owner has mended it
        assert tells(postmark_bounce(BOX)) == 200
        assert again(box).state == "active"
        assert other.deliveries.filter(kind="notice").count() == 1
        tells(postmark_bounce(BOX, number=2))  # but this is another mail
        assert again(box).state == "disabled"

    def test_all_who_have_the_address_are_concerned_however_it_is_written(
        self, tells: Tells, owner: User, box: Channel
    ) -> None:
        second = add_channel(User.objects.create_user("second@example.org"), BOX, kind="email")
        kept = add_channel(owner, "another@example.org", kind="email")
        tells(postmark_bounce("Box@Example.ORG"))
        assert [again(each).state for each in (box, second, kept)] == ["disabled", "disabled", "active"]

    def test_an_address_that_is_nobodys_leaves_no_trace(self, tells: Tells, box: Channel) -> None:
        for address in ("nobody@example.org", "not an address", "", None, "x\0@example.org"):
            assert tells(postmark_bounce(address)) == 200  # type: ignore[arg-type] # whatever they send
        assert not MailEvent.objects.exists()
        assert again(box).state == "active"

    def test_what_went_well_and_what_the_service_still_tries_changes_nothing(
        self, tells: Tells, box: Channel
    ) -> None:
        tells(postmark_delivery(BOX))
        tells(postmark_bounce(BOX, kind="Transient"))
        tells(mailgun(BOX, severity="temporary", code=450), service="mailgun")
        assert again(box).state == "active"
        assert not MailEvent.objects.exists()


class TestDelayed:
    def test_some_are_counted_and_too_many_switch_it_off(self, tells: Tells, box: Channel) -> None:
        for number in range(MOST_DELAYED - 1):
            tells(postmark_bounce(BOX, kind="SoftBounce", number=number))
            tells(postmark_bounce(BOX, kind="SoftBounce", number=number))  # told twice, counted once
        assert again(box).state == "active"
        tells(postmark_bounce(BOX, kind="SoftBounce", number=99))
        box = again(box)
        assert box.state == "disabled"
        assert box.reason.startswith("5 mails to it came back within 7 days.")

    def test_those_of_last_month_do_not_count(self, tells: Tells, box: Channel) -> None:
        for number in range(MOST_DELAYED - 1):
            tells(postmark_bounce(BOX, kind="SoftBounce", number=number))
        MailEvent.objects.update(happened_at=timezone.now() - timedelta(days=8))
        tells(postmark_bounce(BOX, kind="SoftBounce", number=99))
        assert again(box).state == "active"


class TestComplaints:
    @pytest.mark.parametrize(
        ("service", "document"),
        [("postmark", postmark_complaint(BOX)), ("mailgun", mailgun(BOX, event="complained"))],
    )
    def test_the_address_gets_nothing_more_at_once(
        self, tells: Tells, box: Channel, service: str, document: Any
    ) -> None:
        plan(box, count=3)
        assert tells(document, service=service) == 200
        assert (again(box).state, again(box).reason) == ("disabled", COMPLAINED)
        assert sending.deliver(seconds=600) == 0
        assert box.deliveries.filter(state="waiting").count() == 3

    def test_nobody_but_staff_can_switch_it_on_again(self, tells: Tells, owner: User, box: Channel) -> None:
        tells(postmark_complaint(BOX))
        with pytest.raises(Suppressed):
            channels.change(box.pk, now=timezone.now(), state=Channel.State.ACTIVE)
        client = Client()
        answer = caller(client, key=key_of(owner.email))("PATCH", f"channels/{box.pk}", {"state": "active"})
        assert (answer.status_code, answer.json()["type"]) == (409, f"{PROBLEM}suppressed")
        assert again(box).state == "disabled"
        client.force_login(User.objects.create_superuser("staff@example.org", "a password"))
        event = MailEvent.objects.get()
        assert (
            client.post(f"/admin/notifications/mailevent/{event.pk}/delete/", {"post": "yes"}).status_code
            == 302
        )
        channels.change(box.pk, now=timezone.now(), state=Channel.State.ACTIVE)
        assert again(box).state == "active"

    def test_who_adds_it_anew_makes_us_write_nothing_and_hears_nothing(
        self, tells: Tells, owner: User, box: Channel
    ) -> None:
        tells(postmark_complaint(BOX))
        stranger = User.objects.create_user("stranger@example.org")
        added = mailbox(stranger, BOX)
        assert (added.state, verifications(added)) == ("pending", [])
        channels.remove(box.pk)
        assert verifications(mailbox(owner, BOX)) == []

    def test_an_account_that_proves_it_has_a_channel_that_is_off(self, tells: Tells, box: Channel) -> None:
        tells(postmark_complaint(BOX))
        later = User.objects.create_user("later@example.org")
        channels.add_confirmed(later, BOX, now=timezone.now())
        mine = Channel.objects.get(owner=later)
        assert (mine.state, mine.reason) == ("disabled", COMPLAINED)

    def test_it_is_remembered_when_all_else_is_forgotten(self, tells: Tells, box: Channel) -> None:
        tells(postmark_complaint(BOX))
        tells(postmark_bounce(BOX))
        retention.forget_before(timezone.now() + timedelta(days=1))
        assert [event.kind for event in MailEvent.objects.all()] == ["complaint"]


class TestWhoTells:
    @pytest.mark.parametrize("service", ["postmark", "mailgun"])
    def test_whoever_has_not_the_password_changes_nothing(
        self, tells: Tells, box: Channel, service: str
    ) -> None:
        document = postmark_complaint(BOX) if service == "postmark" else mailgun(BOX, event="complained")
        for user in ("lesubscribe:another password", ""):
            assert tells(document, service=service, user=user) == 400
        assert again(box).state == "active"

    def test_a_signature_that_does_not_fit_changes_nothing(self, tells: Tells, box: Channel) -> None:
        forged = mailgun(BOX, event="complained")
        forged["signature"]["token"] = "another"
        assert tells(forged, service="mailgun") == 400
        assert again(box).state == "active"

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"RecordType": 7}', b'"text"'])
    def test_what_cannot_be_read_is_no_fault_of_ours(self, tells: Tells, box: Channel, body: bytes) -> None:
        assert tells(body) in (200, 400)
        assert again(box).state == "active"

    def test_there_is_an_address_only_if_there_is_a_service(self, client: Client) -> None:
        assert client.post("/mail-events").status_code == 404
        assert urlpatterns("") == []
        for service in SERVICES:
            (only,) = urlpatterns(service)
            assert str(only.pattern) == "mail-events"

    def test_a_failure_in_between_is_told_again_and_leaves_nothing_half_done(
        self, tells: Tells, box: Channel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def die(*args: Any, **options: Any) -> None:
            raise ConnectionError

        with monkeypatch.context() as patched:
            patched.setattr("notifications.channels.disable", die)
            with pytest.raises(ConnectionError):  # the service gets 500, and tells it again
                tells(postmark_bounce(BOX))
        assert not MailEvent.objects.exists()
        tells(postmark_bounce(BOX))
        assert again(box).state == "disabled"
        assert Delivery.objects.filter(kind="notice").count() == 0  # there is no other channel
