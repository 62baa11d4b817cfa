"""Sentences that are made where no framework is known follow the language of whoever reads them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone, translation
from pytest_django import Settings

from matching import services
from notifications.composing import composed
from notifications.core.messages import GivenUp
from notifications.items import name_of
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key, publisher_named
from tests.integration.catalogue import write_catalogue
from tests.integration.collector import NOW, Collector, item
from tests.integration.mailing import send

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

GERMAN = {
    "at most": "höchstens",
    "See it at %(publisher)s": "Zu sehen bei %(publisher)s",
    "Your search “%(name)s”": "Ihre Suche »%(name)s«",
    "Sent to %(address)s.": "Gesendet an %(address)s.",
    "Sent to %(address)s. Get less, or nothing at all:": "Gesendet an %(address)s. Weniger oder nichts mehr:",
    "mute": "stumm",
    "There is no attribute {name}.": "Das Merkmal {name} gibt es nicht.",
    "Did you mean '{suggestion}'?": "Meinten Sie »{suggestion}«?",
    "There is already a domain '{name}'.": "Den Wertebereich {name} gibt es schon.",
    "This field is required.": "Dieses Feld fehlt.",
    "{count:,} message did not reach {address}\0{count:,} messages did not reach {address}": (
        "{count:,} Nachricht kam nicht an: {address}\0{count:,} Nachrichten kamen nicht an: {address}"
    ),
}


@pytest.fixture(autouse=True)
def german(settings: Settings, tmp_path: Path, client: Client) -> Iterator[None]:
    write_catalogue(tmp_path, "de", GERMAN)
    settings.LOCALE_PATHS = [tmp_path]
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    with translation.override("de"):
        yield


@pytest.fixture
def collector(client: Client) -> Collector:
    somebody = Collector()
    client.force_login(somebody.user)
    return somebody


def test_a_mistake_in_a_search(client: Client, collector: Collector) -> None:
    body = json.dumps({"text": "prise < 5"})
    answer = client.post("/language/check", body, content_type="application/json")
    sentence = "Das Merkmal 'prise' gibt es nicht. Meinten Sie »price«?"
    assert answer.json()["error"]["message"] == sentence


def test_an_operator_in_the_form_of_a_search(client: Client, collector: Collector) -> None:
    page = client.get("/searches/new", {"text": "price <= 200"}).content.decode()
    assert ">höchstens</option>" in page
    assert ">at most</option>" not in page


def test_words_that_are_kept_are_kept_for_each_language(client: Client, collector: Collector) -> None:
    search = services.subscribe(collector.user, "price <= 200", now=timezone.now()).subscription
    for language, words in (("en", "price at most 200 EUR"), ("de", "price höchstens 200 EUR")):
        page = client.get("/searches", headers={"Accept-Language": language})
        assert words in page.content.decode()
        with translation.override(language):
            assert name_of(search) == words


@pytest.mark.parametrize(
    ("deliveries", "subject"),
    [
        (1, "1 Nachricht kam nicht an: shop@example.org"),
        (1_200, "1.200 Nachrichten kamen nicht an: shop@example.org"),
    ],
)
def test_the_subject_of_a_mail(
    collector: Collector, mailoutbox: list[EmailMultiAlternatives], deliveries: int, subject: str
) -> None:
    send(collector, GivenUp(channel=collector.channel.pk, address="shop@example.org", deliveries=deliveries))
    assert mailoutbox[-1].subject == subject


def test_the_body_of_a_mail(collector: Collector, mailoutbox: list[EmailMultiAlternatives]) -> None:
    search = collector.searches(name="Tische & Stühle")
    send(collector, composed(collector.is_told((item(), search)), now=NOW))
    mail = mailoutbox[-1]
    text, (html, _kind) = str(mail.body), mail.alternatives[0]
    assert "Ihre Suche »Tische & Stühle«: price höchstens 200 EUR: 180 EUR\n" in text
    assert "\n  stumm: http" in text
    assert "\nGesendet an collector@example.org. Weniger oder nichts mehr:\n" in text
    assert '<html lang="de">' in str(html)
    for said in (
        ">Zu sehen bei Maison Belleroche</a>",
        ">stumm</a>",
        ">Gesendet an collector@example.org. <",
    ):
        assert said in str(html)


@pytest.mark.parametrize(
    ("address", "document", "detail"),
    [
        (
            "schema/domains",
            {"name": "money", "definition": {"kind": "string"}},
            "Den Wertebereich money gibt es schon.",
        ),
        ("events", {"event": {"event_type": ["lot"], "price": 5}}, "external_id: Dieses Feld fehlt."),
    ],
)
def test_what_a_publisher_is_refused(
    client: Client, collector: Collector, address: str, document: object, detail: str
) -> None:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    _, secret = issue_key(publisher.user, [Scope.SCHEMA, Scope.EVENTS])
    headers = {"Authorization": f"Bearer {secret}"}
    answer = client.post(f"/api/v1/{address}", document, content_type="application/json", headers=headers)
    assert answer.json()["detail"] == detail
