"""The first account of staff, as docs/operations.md has it made: by a command, and confirmed by a mail."""

import re

import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client

from schema_registry.accounts.models import User
from tests.integration.cached import forget

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

ADDRESS, PASSWORD = "first@example.org", "a long sentence of mine"


def sign_in(client: Client) -> bool:
    client.post("/accounts/login/", {"login": ADDRESS, "password": PASSWORD})
    return "_auth_user_id" in client.session


def test_who_runs_it_is_let_in_once_the_address_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)  # which people are asked for
    call_command("createsuperuser", interactive=False, email=ADDRESS, verbosity=0)
    account = User.objects.get(email=ADDRESS)
    assert account.is_staff
    assert account.is_superuser
    client = Client()
    assert not sign_in(client)
    (sent,) = mail.outbox
    assert sent.to == [ADDRESS]
    link = re.search(r"http://[^/]+(/accounts/confirm-email/\S+)", str(sent.body))
    assert link is not None, sent.body
    client.post(link[1])
    assert sign_in(client)
    assert client.get("/operations").status_code == 200
