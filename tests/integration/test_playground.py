"""The playground: what the API would say to an event, all of it at once, and nothing is stored."""

import json
from typing import Any

import pytest
from django.test import Client

from matching import dry_run
from matching.console import verdicts
from matching.models import MatchWork, PublishedEvent
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key
from tests.integration.collector import make_schema
from tests.integration.publishing_house import House, text

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
GOOD: dict[str, Any] = {"event_type": ["lot"], "price": 180.0, "category": "dining-table"}
WRONG = {"event_type": ["lot"], "prise": 1, "price": "dear", "category": "dining-tabel"}


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(dry_run, "PATIENCE_SECONDS", 0.2)  # no worker listens to the Redis of the tests
    make_schema()
    return House()


def said(house: House, document: Any) -> str:
    sent = document if isinstance(document, str) else json.dumps(document)
    answer = text(house.sends("playground", event=sent))
    assert not PublishedEvent.objects.exists()
    assert not MatchWork.objects.exists()
    return answer


def test_it_says_all_that_the_api_says(house: House, client: Client) -> None:
    _key, secret = issue_key(house.publisher.user, [Scope.EVENTS])
    body = {"external_id": "lot 7", "event": WRONG}
    headers = {"Authorization": f"Bearer {secret}"}
    answer = client.post("/api/v1/events", body, content_type="application/json", headers=headers)
    assert answer.status_code == 422
    shown = said(house, body)
    assert "3 things are wrong" in shown
    for error in answer.json()["errors"]:
        assert f"{error['code']} {error['field']} {error['detail']}" in shown
    assert "Instead: price" in shown
    assert "Instead: dining-table" in shown


def test_it_goes_on_to_the_event_when_the_envelope_is_wrong(house: House) -> None:
    shown = said(house, {"event": WRONG, "url": "belleroche.example", "view": "none", "prize": 1})
    for field in ("external_id", "url", "prize"):
        assert f"envelope {field}" in shown
    assert "R3 prise" in shown
    assert "7 things" not in shown
    assert "6 things are wrong" in shown
    assert "You have no view 'none'" in said(house, {"external_id": "1", "event": GOOD, "view": "none"})


def test_a_bare_event_is_taken_as_one(house: House) -> None:
    assert "3 things are wrong" in said(house, WRONG)
    shown = said(house, GOOD)
    assert "It is valid" in shown
    assert "furniture > Tables > Dining table" in shown
    assert "180 EUR" in shown
    assert "your own name for the item" in shown


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ('{"event_type": ["lot"],\r\n "price": }', "line 2, column 11"),
        ('{"event_type": ["lot"], "price": NaN}', "NaN is not a number"),
        ('{"price": 1, "price": 2}', "is given twice"),
        ("", "This is not JSON"),
        ("[1]", "Send one JSON object with all the rest in it."),
        ('{"event": 3, "external_id": "1"}', "This must be an object"),
        ('"' + "x" * verdicts.MOST_BYTES, "the limit is 200,000"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(house: House, sent: str, words: str) -> None:
    assert words in said(house, sent)


def test_it_says_what_an_item_would_be(house: House) -> None:
    envelope = {"external_id": "lot 7", "event": GOOD}
    assert "It would be a new item." in said(house, envelope)
    _key, secret = issue_key(house.publisher.user, [Scope.EVENTS])
    Client().post(
        "/api/v1/events",
        envelope,
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )

    def again(**changed: Any) -> str:
        return text(house.sends("playground", event=json.dumps({**envelope, **changed})))

    assert "You have sent exactly this before" in again()
    assert "It would be the next revision" in again(title="Other")
    assert "Revision 1 of 'lot 7' was used for another body" in again(title="Other", revision=1)


def test_views_are_those_of_the_publisher(house: House) -> None:
    schema_services.create_view(house.publisher, "shop", ["lot"], ["price"])
    envelope = {"external_id": "lot 7", "view": "shop", "event": GOOD}
    assert "category is not an attribute of lot here" in said(house, envelope)


def test_without_a_worker_it_is_valid_all_the_same(house: House) -> None:
    shown = said(house, GOOD)
    assert "No worker counted the matches in time" in shown
    assert "How we understand it" in shown


def test_matches_are_counted_only_for_those_who_are_approved(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "match_count", lambda ready, now: 1234)
    assert "1,234 searches would find it now." in said(house, GOOD)
    stranger = House("Not looked at yet", state=Publisher.State.PENDING)
    assert "counted once you are approved" in said(stranger, GOOD)


def test_examples_are_valid_and_one_is_not(house: House) -> None:
    answer = house.client.get(house.address("playground"), {"example": "lot"})
    assert "It is valid" in said(house, answer.context["text"])
    answer = house.client.get(house.address("playground"), {"example": answer.context["mistakes"]})
    assert "things are wrong" in said(house, answer.context["text"])


def test_a_script_gets_the_verdict_alone(house: House) -> None:
    headers = {"HX-Request": "true"}
    answer = house.client.post(house.address("playground"), {"event": json.dumps(WRONG)}, headers=headers)
    assert "3 things are wrong" in text(answer)
    assert "<textarea" not in answer.content.decode()
