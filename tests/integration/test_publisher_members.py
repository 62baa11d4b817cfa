"""Who looks after a publisher: inviting, joining, leaving; and nobody learns who has an account."""

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from schema_registry.accounts import invitations, memberships
from schema_registry.accounts.deletion import mark
from schema_registry.accounts.models import Invitation, Membership, Publisher, User
from tests.integration.admin.pages import address, ask
from tests.integration.admin.pages import text as admin_text
from tests.integration.publishing_house import House, text

pytestmark = pytest.mark.django_db
COLLEAGUE = "colleague@example.org"


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def colleague() -> User:
    return User.objects.create_user(COLLEAGUE)


def is_member(user: User, house: House) -> bool:
    return Membership.objects.filter(user=user, publisher=house.publisher).exists()


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_whoever_is_invited_joins_on_their_own_page(house: House, colleague: User) -> None:
    house.sends("members", email="Colleague@Example.org")
    (sent,) = mail.outbox
    assert sent.to == ["Colleague@Example.org"]
    assert "Quai Noord" in sent.subject
    assert "/publish" in sent.body
    assert not is_member(colleague, house)

    client, invitation = signed_in(colleague), Invitation.objects.get()
    assert f"{house.member.email} invites you to look after Quai Noord" in text(client.get("/publish"))
    answer = client.post(f"/publish/invitations/{invitation.pk}", {"yes": "1"})
    assert answer["Location"] == house.address()
    assert is_member(colleague, house)
    assert "invited" not in house.sees("members")
    assert client.get(house.address("keys")).status_code == 200


def test_an_address_with_an_account_and_one_without_are_answered_alike(house: House, colleague: User) -> None:
    answers = []
    for email in (COLLEAGUE, "nobody@example.org"):
        answers.append(text(house.sends("members", email=email)).replace(email, "EMAIL"))
        Invitation.objects.all().delete()
    assert answers[0] == answers[1]
    assert len(mail.outbox) == 2
    assert mail.outbox[0].body.replace(COLLEAGUE, "") == mail.outbox[1].body.replace("nobody@example.org", "")


def test_an_invitation_is_turned_down_taken_back_or_lapses(house: House, colleague: User) -> None:
    client = signed_in(colleague)
    house.sends("members", email=COLLEAGUE)
    invitation = Invitation.objects.get()
    answering = f"/publish/invitations/{invitation.pk}"
    client.post(answering)
    assert client.post(answering, {"yes": "1"}).status_code == 404

    house.sends("members", email=COLLEAGUE)
    house.sends(f"members/invited/{invitation.pk}/take-back")
    assert client.post(answering, {"yes": "1"}).status_code == 404

    house.sends("members", email=COLLEAGUE)
    Invitation.objects.update(invited_at=timezone.now() - invitations.VALID_FOR)
    assert client.post(answering, {"yes": "1"}).status_code == 404
    assert not is_member(colleague, house)
    assert len(mail.outbox) == 1  # a day has not passed


def test_an_invitation_that_was_taken_back_meanwhile_makes_nobody_a_member(
    house: House, colleague: User
) -> None:
    house.sends("members", email=COLLEAGUE)
    now = timezone.now()
    seen = invitations.invitations_to(colleague, now=now).get()
    house.sends(f"members/invited/{seen.pk}/take-back")
    assert not invitations.accept(seen, colleague, now=now)
    assert not is_member(colleague, house)


def test_an_invitation_is_for_its_address_only(house: House, colleague: User) -> None:
    house.sends("members", email="other@example.org")
    number = Invitation.objects.get().pk
    assert signed_in(colleague).post(f"/publish/invitations/{number}", {"yes": "1"}).status_code == 404
    other = House("Lindenhof Auktionen")
    assert other.client.post(other.address(f"members/invited/{number}/take-back")).status_code == 404
    assert invitations.open_invitations(house.publisher, now=timezone.now()).exists()


def test_strangers_words_are_not_mailed_and_nobody_is_flooded(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    pending = House("Not looked at yet", state=Publisher.State.PENDING)
    assert "once Not looked at yet is approved" in text(pending.sends("members", email=COLLEAGUE))
    assert f"{house.member.email} is a member already" in text(
        house.sends("members", email=house.member.email)
    )
    assert mail.outbox == []
    monkeypatch.setattr(invitations, "MOST_A_DAY", 1)
    house.sends("members", email=COLLEAGUE)
    assert "1 invitations a day are the most" in text(house.sends("members", email="next@example.org"))
    Invitation.objects.update(mailed_at=timezone.now() - timedelta(days=2))
    house.sends("members", email=COLLEAGUE)
    assert len(mail.outbox) == 2


def test_a_mail_that_cannot_be_sent_takes_nothing_away(house: House, settings: object) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"  # type: ignore[attr-defined]
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # type: ignore[attr-defined] # nobody listens
    assert f"{COLLEAGUE} is invited" in text(house.sends("members", email=COLLEAGUE))


def test_all_but_the_last_may_leave(house: House, colleague: User) -> None:
    assert "You are the only member" in text(house.sends("members/leave"))
    memberships.add_member(house.publisher, colleague)
    assert "You no longer look after Quai Noord" in text(house.sends("members/leave"))
    assert house.client.get(house.address()).status_code == 404
    assert list(memberships.members_of(house.publisher).values_list("user", flat=True)) == [colleague.pk]


def test_whoever_deletes_their_account_is_a_member_no_more(house: House, colleague: User) -> None:
    house.sends("members", email=COLLEAGUE)
    memberships.add_member(house.publisher, colleague)
    mark(colleague, now=timezone.now())
    assert not Membership.objects.filter(user=colleague).exists()
    assert not Invitation.objects.exists()


def test_staff_see_and_change_the_members(client: Client, house: House, colleague: User) -> None:
    client.force_login(User.objects.create_superuser("staff@example.org"))
    page = address("publisher", "change", house.publisher.pk)
    assert house.member.email in admin_text(client.get(page))
    refused = client.post(ask("add-member", house.publisher), {"email": "nobody@example.org"})
    assert "Nobody has an account with the address nobody@example.org" in admin_text(refused)
    client.post(ask("add-member", house.publisher), {"email": COLLEAGUE.upper(), "why": "they asked"})
    assert is_member(colleague, house)
    client.post(ask("remove-member", house.publisher), {"member": house.member.pk})
    assert not is_member(house.member, house)
    assert house.member.email not in admin_text(client.get(page))
