"""Channels, deliveries and the switch in the admin: what staff see, and what they may do."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from matching import services
from notifications import channels, preferences, selectors, switch, terms
from notifications.core.policy import Frequency
from notifications.models import Attempt, Channel, Delivery, SendingSwitch
from schema_registry import services as schema_services
from schema_registry.accounts.models import User
from tests.integration.admin.pages import text

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
HOOK = "https://shop.example.org/hook"


def address(part: str, view: str, *args: Any) -> str:
    return reverse(f"admin:notifications_{part}_{view}", args=args)


def ask(question: str, *rows: Any) -> str:
    where = address(rows[0]._meta.model_name, "ask", question)
    return f"{where}?ids={','.join(str(row.pk) for row in rows)}"


def listed(page: Client, part: str, query: str = "") -> list[Any]:
    return list(page.get(address(part, "changelist") + query).context["cl"].result_list)


def notes() -> list[str]:
    return [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("staff@example.org"))
    return client


@pytest.fixture
def owner() -> User:
    owner = User.objects.create_user("collector@example.org")
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True)
    return owner


@pytest.fixture
def hook(owner: User) -> Channel:
    made = channels.add(owner, kind=Channel.Kind.WEBHOOK, address=HOOK, now=NOW)
    channels.activate(made.pk, now=NOW)
    return Channel.objects.get(pk=made.pk)


@pytest.fixture
def dead(hook: Channel) -> Delivery:
    sent = channels.send_test(hook, now=NOW)
    Attempt.objects.create(
        delivery=sent,
        number=12,
        began_at=NOW,
        milliseconds=15_000,
        is_success=False,
        request="POST /hook",
        response="<script>alert(1)</script>",
        error="It took too long.",
    )
    Delivery.objects.filter(pk=sent.pk).update(
        state="dead", attempts=12, finished_at=NOW, reason="It took too long."
    )
    return Delivery.objects.get(pk=sent.pk)


class TestChannels:
    def test_they_are_found_by_address_owner_state_and_failure(
        self, page: Client, hook: Channel, owner: User
    ) -> None:
        mailbox = Channel.objects.get(kind="email")
        Channel.objects.filter(pk=hook.pk).update(failures=3, failing_since=NOW)
        for query, found in {
            "?q=shop": [hook],
            "?q=@collector": [hook, mailbox],
            "?q=@nobody": [],
            "?state__exact=active": [hook, mailbox],
            "?state__exact=disabled": [],
            "?kind__exact=email": [mailbox],
            "?failing=yes": [hook],
        }.items():
            assert listed(page, "channel", query) == found, query
        assert HOOK in text(page.get(address("channel", "change", hook.pk)))

    def test_secrets_are_not_shown(self, page: Client, hook: Channel) -> None:
        shown = page.get(address("channel", "change", hook.pk)).content.decode()
        assert hook.secret not in shown
        assert hook.challenge not in shown

    def test_one_is_switched_off_with_a_reason_that_its_owner_reads_and_on_again(
        self, page: Client, hook: Channel
    ) -> None:
        assert "It belongs to collector@example.org." in text(page.get(ask("disable", hook)))
        page.post(ask("disable", hook), {"why": "it floods a school"})
        hook.refresh_from_db()
        assert (hook.state, hook.reason) == ("disabled", "it floods a school")
        assert Delivery.objects.get(kind="notice").about["reason"] == "it floods a school"
        assert "It is switched off." in text(page.get(ask("disable", hook)))
        page.post(ask("enable", hook))
        hook.refresh_from_db()
        assert hook.state == "active"
        assert notes() == ["Switch off. it floods a school", "Switch on."]


class TestDeliveries:
    def test_they_are_found_by_state_kind_id_owner_and_channel(self, page: Client, dead: Delivery) -> None:
        verification = Delivery.objects.get(kind="verify")
        for query, found in {
            "?state__exact=dead": [dead],
            "?kind__exact=verify": [verification],
            f"?q={dead.wire_id}": [dead],
            f"?q={dead.uid}": [dead],
            "?q=msg_odd": [],
            "?q=collector@": [dead, verification],
            f"?channel__id__exact={dead.channel_id}": [dead, verification],
        }.items():
            assert listed(page, "delivery", query) == found, query

    def test_the_page_shows_the_log_and_nothing_of_it_is_run(self, page: Client, dead: Delivery) -> None:
        answer = page.get(address("delivery", "change", dead.pk))
        shown = answer.content.decode()
        assert "It took too long." in shown
        assert "POST /hook" in shown
        assert "<script>alert(1)</script>" not in shown

    def test_one_that_goes_before_the_others_is_shown_as_due_since_it_was_planned(
        self, page: Client, hook: Channel
    ) -> None:
        channels.send_test(hook, now=NOW)
        for answer in (
            page.get(address("delivery", "changelist")),
            page.get(address("delivery", "change", Delivery.objects.get(kind="test").pk)),
        ):
            assert "2025" not in text(answer)

    def test_a_dead_one_is_sent_again_and_one_that_waits_is_not(self, page: Client, dead: Delivery) -> None:
        page.post(ask("replay", dead), {"why": "they fixed it"})
        dead.refresh_from_db()
        assert (dead.state, dead.attempts) == ("waiting", 0)
        assert notes() == ["To be sent again. they fixed it"]
        assert "It is still on its way." in text(page.get(ask("replay", dead)))
        answer = page.post(ask("replay", dead), follow=True)
        assert "This delivery is still on its way." in text(answer)


class TestTheSwitch:
    def test_staff_halt_and_resume_all_sending_and_it_is_noted(self, page: Client) -> None:
        first = page.get(address("sendingswitch", "changelist"), follow=True)
        assert "On: notifications go out when they are due." in text(first)
        row = SendingSwitch.objects.get()
        assert "nothing is lost" in text(page.get(ask("halt", row)))
        page.post(ask("halt", row), {"why": "a wrong template"})
        assert selectors.is_sending_halted()
        shown = text(page.get(address("sendingswitch", "change", row.pk)))
        assert "Halted: no notification goes out, to anybody." in shown
        assert "a wrong template" in shown
        page.post(ask("resume", row))
        assert not selectors.is_sending_halted()
        assert notes() == ["Halted. a wrong template", "Resumed."]
        assert SendingSwitch.objects.get().changed_by == User.objects.get(email="staff@example.org")

    def test_the_first_page_of_the_admin_says_so_while_it_is_halted(self, page: Client) -> None:
        assert "All sending is halted" not in text(page.get(reverse("admin:index")))
        switch.halt(User.objects.get(email="staff@example.org"), reason="", now=NOW)
        assert "All sending is halted" in text(page.get(reverse("admin:index")))

    def test_it_is_for_staff_who_may(self, client: Client) -> None:
        row = SendingSwitch.objects.create(pk=switch.THE_ROW)
        user = User.objects.create_user("some@example.org", is_staff=True)
        client.force_login(user)
        assert client.get(address("sendingswitch", "change", row.pk)).status_code == 403
        user.user_permissions.set(Permission.objects.filter(codename="view_sendingswitch"))
        assert client.get(address("sendingswitch", "change", row.pk)).status_code == 200
        assert client.post(ask("halt", row)).status_code == 403
        assert not selectors.is_sending_halted()
        user.user_permissions.set(Permission.objects.filter(codename__endswith="_sendingswitch"))
        client.post(ask("halt", row))
        assert selectors.is_sending_halted()


def test_what_people_chose_can_be_read(page: Client, owner: User, hook: Channel) -> None:
    by_staff = schema_services.Author(None)
    schema_services.create_domain(by_staff, "money", {"kind": "numeric"})
    schema_services.create_attribute(by_staff, "price", "money")
    search = services.subscribe(owner, "price < 5", now=NOW, name="Cheap").subscription
    terms.choose(search, frequency=Frequency.DAILY, channels=[hook.pk])
    preferences.change(owner, {"time_zone": "Europe/Paris"})
    assert "Cheap collector@example.org once a day at most" in text(page.get(address("terms", "changelist")))
    assert HOOK in text(page.get(address("terms", "change", search.pk)))
    assert "Europe/Paris" in text(page.get(address("preferences", "changelist") + "?q=collector@"))
    assert listed(page, "preferences", "?q=nobody@") == []
    assert page.get(address("preferences", "change", owner.pk)).status_code == 200


def test_nothing_is_added_edited_or_deleted_by_a_form(page: Client, hook: Channel, dead: Delivery) -> None:
    row = SendingSwitch.objects.create(pk=switch.THE_ROW)
    for each in (hook, dead, row):
        part = str(each._meta.model_name)
        assert page.get(address(part, "add")).status_code == 403
        assert page.post(address(part, "change", each.pk), {"state": "active"}).status_code == 403
        assert page.post(address(part, "delete", each.pk), {"post": "yes"}).status_code == 403
        each.refresh_from_db()


def test_a_long_list_takes_few_queries(
    page: Client, hook: Channel, django_assert_max_num_queries: Any
) -> None:
    for number in range(30):
        channels.send_test(hook, now=NOW + timedelta(minutes=number))
    with django_assert_max_num_queries(10):
        page.get(address("delivery", "changelist"))
