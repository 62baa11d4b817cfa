"""Who sees the pages that belong to no app."""

import pytest
from django.core.mail import send_mail
from django.test import Client
from pytest_django import Settings

from lesubscribe import outbox
from schema_registry.accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mails_stay_in_the_outbox(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "lesubscribe.outbox.EmailBackend"  # pytest-django puts another in its place


@pytest.fixture
def mail_name() -> str:
    send_mail("A subject", "See http://localhost/x", "from@example.org", ["to@example.org"])
    return outbox.kept_mails(newest=1)[0].name


def test_staff_read_a_mail_and_can_follow_its_links(admin_client: Client, mail_name: str) -> None:
    assert "A subject" in admin_client.get("/outbox").content.decode()
    page = admin_client.get(f"/outbox/{mail_name}").content.decode()
    assert '<a href="http://localhost/x"' in page


def test_a_visitor_is_asked_to_sign_in_before_the_outbox(client: Client, mail_name: str) -> None:
    for path in ("/outbox", f"/outbox/{mail_name}"):
        assert client.get(path).headers["Location"].startswith("/accounts/login/")


def test_for_a_user_who_is_not_staff_the_outbox_does_not_exist(client: Client, mail_name: str) -> None:
    client.force_login(User.objects.create_user("reader@example.org"))
    for path in ("/outbox", f"/outbox/{mail_name}"):
        assert client.get(path).status_code == 404


def test_a_mail_that_is_not_there_is_not_found(admin_client: Client) -> None:
    assert admin_client.get("/outbox/nothing").status_code == 404


def test_a_page_that_does_not_exist_is_in_our_look(client: Client) -> None:
    answer = client.get("/nothing-here")
    assert answer.status_code == 404
    assert "Le Subscribe" in answer.content.decode()
