"""Many events in one request: good lines are taken, bad ones are named, and each only once."""

import gzip
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from matching import batch_api
from matching.models import MatchWork, PublishedEvent
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key, publisher_named

pytestmark = pytest.mark.django_db

Send = Callable[..., Any]
BY_STAFF = schema_services.Author(None)


@pytest.fixture
def send(client: Client) -> Send:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_event_type(BY_STAFF, "lot", {"price": ["mandatory", "unique"]})
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(publisher.user, [Scope.EVENTS])[1]

    def send_lines(body: bytes, **headers: str) -> Any:
        headers["Authorization"] = f"Bearer {key}"
        return client.post("/api/v1/events/batch", body, content_type="application/x-ndjson", headers=headers)

    return send_lines


def item(number: int, price: Any = 5, **more: Any) -> bytes:
    document = {"external_id": f"lot {number}", "event": {"event_type": ["lot"], "price": price}, **more}
    return json.dumps(document).encode()


def test_every_line_gets_its_result_and_the_good_ones_are_taken(send: Send) -> None:
    body = b"\n".join([item(1), b"{", item(2, "dear"), item(3), b'{"event": {}}', item(1)])
    answer = send(body).json()
    assert [result["status"] for result in answer["results"]] == [202, 400, 422, 202, 422, 202]
    assert [result["line"] for result in answer["results"]] == [1, 2, 3, 4, 5, 6]
    assert answer["results"][2]["errors"][0]["code"] == "R2"
    assert answer["results"][4]["errors"][0]["field"] == "external_id"
    assert (answer["accepted"], answer["repeated"], answer["rejected"]) == (2, 1, 3)
    assert answer["results"][0]["id"] == answer["results"][5]["id"]
    assert PublishedEvent.objects.count() == MatchWork.objects.count() == 2


def test_sent_again_it_changes_nothing(send: Send) -> None:
    body = b"\n".join(item(number) for number in range(20))
    first, again = send(body).json(), send(body).json()
    assert [result["id"] for result in first["results"]] == [result["id"] for result in again["results"]]
    assert (again["accepted"], again["repeated"]) == (0, 20)
    assert PublishedEvent.objects.count() == 20


def test_revisions_follow_each_other_within_a_batch(send: Send) -> None:
    answer = send(b"\n".join([item(1, 9), item(1, 8), item(1, 8), item(1, 9, revision=2)])).json()
    assert [result["status"] for result in answer["results"]] == [202, 202, 202, 422]
    assert list(PublishedEvent.objects.order_by("revision").values_list("revision", flat=True)) == [1, 2]


def test_batches_are_stored_in_several_transactions(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_api, "LINES_PER_TRANSACTION", 7)
    assert send(b"\n".join(item(number) for number in range(30))).json()["accepted"] == 30
    assert PublishedEvent.objects.count() == 30


def test_gzip_is_welcome(send: Send) -> None:
    body = gzip.compress(b"\n".join(item(number) for number in range(10)))
    assert send(body, **{"Content-Encoding": "gzip"}).json()["accepted"] == 10


def test_a_body_cut_in_the_middle_keeps_what_came_before_and_says_where_it_stopped(send: Send) -> None:
    rng = random.Random(1)
    body = gzip.compress(b"\n".join(item(number, title=rng.randbytes(40).hex()) for number in range(5_000)))
    answer = send(body[: len(body) // 2], **{"Content-Encoding": "gzip"}).json()
    assert answer["results"][-1]["detail"] == "The gzip body is cut off."
    assert answer["rejected"] == 1
    assert answer["accepted"] == PublishedEvent.objects.count() == len(answer["results"]) - 1


@pytest.mark.parametrize("body", [b"not gzip", b""])
def test_a_body_of_which_nothing_can_be_read_is_a_problem(send: Send, body: bytes) -> None:
    answer = send(body, **{"Content-Encoding": "gzip"})
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")


def test_lines_beyond_the_limit_are_not_taken(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_api, "MOST_LINES", 3)
    answer = send(b"\n".join(item(number) for number in range(9))).json()
    assert (answer["accepted"], answer["rejected"]) == (3, 1)
    assert "at most 3 lines" in answer["results"][-1]["detail"]
