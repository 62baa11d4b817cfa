from pathlib import Path

import pytest
from django.core.mail import EmailMultiAlternatives, get_connection
from pytest_django import Settings

from lesubscribe import outbox


@pytest.fixture(autouse=True)
def empty_outbox(settings: Settings, tmp_path: Path) -> None:
    settings.OUTBOX = tmp_path / "outbox"


def send(subject: str, text: str = "Hello") -> None:
    backend = get_connection("lesubscribe.outbox.EmailBackend")
    mail = EmailMultiAlternatives(subject, text, "from@example.org", ["to@example.org"], connection=backend)
    mail.attach_alternative("<p>Hello</p>", "text/html")
    assert mail.send() == 1


def test_an_outbox_that_was_never_used_is_empty() -> None:
    assert outbox.kept_mails(newest=10) == []


def test_mails_are_kept_newest_first() -> None:
    for subject in ("first", "second", "third"):
        send(subject)
    assert [mail.subject for mail in outbox.kept_mails(newest=2)] == ["third", "second"]


def test_a_kept_mail_shows_its_plain_text_and_addresses() -> None:
    send("Tables à 200 €", "Une table.\nhttp://localhost/x")
    (mail,) = outbox.kept_mails(newest=10)
    assert (mail.sender, mail.to, mail.subject) == ("from@example.org", "to@example.org", "Tables à 200 €")
    assert mail.text.strip() == "Une table.\nhttp://localhost/x"
    assert outbox.kept_mail(mail.name) == mail


@pytest.mark.parametrize("name", ["missing", "../secret_key", "..", "", "x\0y"])
def test_a_name_that_is_not_in_the_outbox_finds_nothing(name: str, tmp_path: Path) -> None:
    send("something")
    (tmp_path / "secret_key.eml").write_text("From: a\n\nsecret")
    assert outbox.kept_mail(name) is None
