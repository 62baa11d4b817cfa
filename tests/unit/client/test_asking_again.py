"""What the client sends again, what it does not, and how it tells of what was refused."""

from collections.abc import Callable

import pytest

from lesubscribe_client import NoAnswer, Publisher, Refused, Subscriber, connection
from tests.running_system import free_port
from tests.unit.client.scripted import CUT, Reply, answering, client

AT_ONCE = {"Retry-After": "0"}
BUSY, TOO_MANY = Reply(503, headers=AT_ONCE), Reply(429, headers=AT_ONCE)
TAKEN = Reply(202, {"id": 41, "status_url": "http://localhost/api/v1/events/41"})
SUBSCRIBED = Reply(
    201, {"id": 3, "canonical": "price exists", "expires_at": None, "ticket": "t", "warnings": []}
)
LOT = {"event_type": ["lot"], "price": 5}
PROBLEM = "urn:lesubscribe:problem:"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.001)


def test_publishing_is_sent_again_unchanged_until_it_is_taken() -> None:
    with client(Publisher, BUSY, TOO_MANY, CUT, Reply(502), TAKEN) as (publisher, asked):
        assert publisher.publish("lot-7", LOT).id == 41
    assert len(asked) == 5
    assert len({(each.body, each.headers["Idempotency-Key"]) for each in asked}) == 1
    assert asked[0].headers["Authorization"] == "Bearer ls_key"


def test_every_publication_has_a_key_of_its_own_unless_its_revision_tells_it_apart() -> None:
    with client(Publisher, TAKEN, TAKEN, TAKEN) as (publisher, asked):
        publisher.publish("lot-7", LOT)
        publisher.publish("lot-7", LOT)
        publisher.publish("lot-7", LOT, revision=3)
    first, second, numbered = (each.headers.get("Idempotency-Key") for each in asked)
    assert first is not None
    assert first != second
    assert numbered is None


@pytest.mark.parametrize(("reply", "error"), [(CUT, NoAnswer), (Reply(503), Refused)])
def test_subscribing_is_not_sent_again_when_it_may_have_arrived(
    reply: Reply | None, error: type[Exception]
) -> None:
    with client(Subscriber, reply, SUBSCRIBED) as (subscriber, asked):
        with pytest.raises(error):
            subscriber.subscribe("price exists")
        assert len(asked) == 1


def test_what_certainly_did_nothing_is_sent_again_whatever_it_is() -> None:
    with client(Subscriber, TOO_MANY, SUBSCRIBED) as (subscriber, asked):
        assert subscriber.subscribe("price exists").id == 3
    assert len(asked) == 2


def test_what_is_gone_after_a_lost_answer_was_removed() -> None:
    gone = Reply(404, {"type": f"{PROBLEM}not-found", "detail": "There is none."})
    with client(Subscriber, CUT, gone, gone) as (subscriber, _):
        subscriber.remove(3)
        with pytest.raises(Refused, match="404 not-found: There is none"):
            subscriber.remove(3)


@pytest.mark.parametrize("status", [400, 401, 403, 409, 413, 422])
def test_what_was_refused_for_good_is_not_repeated(status: int) -> None:
    with client(Publisher, Reply(status), TAKEN) as (publisher, asked):
        with pytest.raises(Refused) as refused:
            publisher.publish("lot-7", LOT)
        assert (refused.value.status, refused.value.kind) == (status, "")
    assert len(asked) == 1


def test_nobody_waits_longer_than_there_is_patience() -> None:
    tomorrow = Reply(429, {"type": f"{PROBLEM}quota-exceeded", "detail": "."}, {"Retry-After": "80000"})
    with client(Publisher, tomorrow) as (publisher, _), pytest.raises(Refused) as refused:
        publisher.create_attribute("price", "money")
    assert (refused.value.kind, refused.value.retry_after) == ("quota-exceeded", 80_000)


@pytest.mark.parametrize(
    "ask",
    [lambda caller: caller.schema(), lambda caller: caller.create_attribute("price", "money")],
    ids=["read", "changed"],
)
def test_a_server_that_is_away_is_asked_until_patience_ends(ask: Callable[[Publisher], object]) -> None:
    publisher = Publisher(f"http://127.0.0.1:{free_port()}", "ls_key", patience=0.05)
    with publisher, pytest.raises(NoAnswer, match="ConnectError"):
        ask(publisher)


def test_a_refusal_names_each_thing_that_is_wrong() -> None:
    fault = {"field": "text", "code": "invalid", "detail": ".", "line": 2, "column": 5, "suggestion": "price"}
    document = {
        "type": f"{PROBLEM}invalid-subscription",
        "title": "Cannot be processed",
        "status": 422,
        "detail": "There is no attribute 'prise'. Did you mean 'price'?",
        "request_id": "r-1",
        "errors": [fault],
    }
    with client(Subscriber, Reply(422, document)) as (subscriber, _), pytest.raises(Refused) as caught:
        subscriber.subscribe("\nnot prise = 5")
    refused = caught.value
    assert (refused.status, refused.kind, refused.type) == (422, "invalid-subscription", document["type"])
    assert (refused.line, refused.column, refused.suggestion) == (2, 5, "price")
    assert (refused.detail, refused.request_id) == (document["detail"], "r-1")


def test_an_address_may_end_with_that_of_the_api_but_must_be_one() -> None:
    with answering(TAKEN) as (address, asked), Publisher(f"{address}/api/v1/", "ls_key") as publisher:
        publisher.publish("lot-7", LOT)
    assert asked[0].path == "/api/v1/events"
    with pytest.raises(ValueError, match="begins with http"):
        Publisher("auctions.example", "ls_key")
