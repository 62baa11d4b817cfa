"""REST for publishers: an event is one event, however often it is sent, and ends matched."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from matching import draining, event_rows, leases, services
from matching.live import LiveMatcher
from matching.models import Match, MatchWork, PublishedEvent
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named

pytestmark = pytest.mark.django_db

Call = Callable[..., Any]
BY_STAFF = schema_services.Author(None)
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
ITEM = {"external_id": "lot 7", "title": "A table", "event": {"event_type": ["lot"], "price": 12.5}}


@pytest.fixture(autouse=True)
def schema() -> None:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_event_type(BY_STAFF, "lot", {"price": ["mandatory", "unique"]})


def key_of(name: str) -> str:
    publisher = publisher_named(name, state=Publisher.State.APPROVED)
    return issue_key(publisher.user, [Scope.EVENTS])[1]


@pytest.fixture
def call(client: Client) -> Call:
    mine = key_of("Hôtel des ventes")

    def send(method: str, path: str = "", document: Any = None, *, key: str = mine, **headers: str) -> Any:
        body = b"" if document is None else json.dumps(document).encode()
        headers["Authorization"] = f"Bearer {key}"
        return client.generic(
            method, f"/api/v1/events{path}", body, content_type="application/json", headers=headers
        )

    return send


def test_an_accepted_event_waits_and_is_then_matched(call: Call) -> None:
    owner = User.objects.create_user("reader@example.org")
    wanted = services.subscribe(owner, "price < 20", now=NOW, valid_days=None).subscription
    services.subscribe(owner, "price > 20", now=NOW, valid_days=None)
    answer = call("POST", "", ITEM)
    assert answer.status_code == 202
    number = answer.json()["id"]
    assert answer.json()["status_url"].endswith(f"/api/v1/events/{number}")
    assert call("GET", f"/{number}").json()["state"] == "accepted"

    assert draining.drain(LiveMatcher("quarantining")) == 1
    event = call("GET", f"/{number}").json()
    assert (event["state"], event["match_count"]) == ("matched", 1)
    assert list(Match.objects.values_list("subscription_id", flat=True)) == [wanted.pk]
    assert not MatchWork.objects.exists()


def test_an_invalid_event_is_refused_with_all_violations(call: Call) -> None:
    answer = call("POST", "", {**ITEM, "event": {"event_type": ["lot"], "prise": 3}})
    assert answer.status_code == 422
    errors = answer.json()["errors"]
    assert {(error["field"], error["code"]) for error in errors} == {("price", "R2"), ("prise", "R3")}
    assert not PublishedEvent.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"external_id": ""},
        {"external_id": 7},
        {"revision": 0},
        {"url": "javascript:alert(1)"},
        {"ends_at": "soon"},
        {"event": []},
        {"view": "nothing"},
        {"colour": "red"},
    ],
)
def test_an_envelope_that_does_not_fit_is_refused(call: Call, change: dict[str, Any]) -> None:
    answer = call("POST", "", {**ITEM, **change})
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert not PublishedEvent.objects.exists()


class TestRepeats:
    def test_the_same_content_is_the_same_event(self, call: Call) -> None:
        first = call("POST", "", ITEM).json()["id"]
        again = {**ITEM, "event": {"price": 12.50, "event_type": "lot"}}
        assert call("POST", "", again).json()["id"] == first
        assert PublishedEvent.objects.count() == 1

    def test_changed_content_is_the_next_revision(self, call: Call) -> None:
        first = call("POST", "", ITEM).json()["id"]
        cheaper = {**ITEM, "event": {"event_type": ["lot"], "price": 10}}
        second = call("POST", "", cheaper).json()["id"]
        assert second != first
        found = call("GET", "?external_id=lot%207").json()["results"]
        assert [(row["id"], row["revision"]) for row in found] == [(second, 2), (first, 1)]

    def test_an_explicit_revision_with_another_body_is_refused(self, call: Call) -> None:
        first = call("POST", "", {**ITEM, "revision": 4}).json()["id"]
        assert call("POST", "", {**ITEM, "revision": 4}).json()["id"] == first
        assert call("POST", "", {**ITEM, "revision": 4, "title": "Another"}).status_code == 422

    def test_an_idempotency_key_with_another_body_is_refused(self, call: Call) -> None:
        key = {"Idempotency-Key": "monday-1"}
        first = call("POST", "", ITEM, **key).json()["id"]
        assert call("POST", "", ITEM, **key).json()["id"] == first
        for change in ({"title": "Another"}, {"external_id": "lot 8"}, {"revision": 2}):
            assert call("POST", "", {**ITEM, **change}, **key).status_code == 422
        assert PublishedEvent.objects.count() == 1

    @pytest.mark.parametrize("key", ["", "k" * 201])
    def test_an_idempotency_key_that_cannot_be_kept_is_refused(self, call: Call, key: str) -> None:
        answer = call("POST", "", ITEM, **{"Idempotency-Key": key})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "Idempotency-Key")
        assert not PublishedEvent.objects.exists()

    def test_after_the_highest_revision_there_is_no_next_one(self, call: Call) -> None:
        assert call("POST", "", {**ITEM, "revision": 2**31 - 1}).status_code == 202
        answer = call("POST", "", {**ITEM, "title": "Another"})
        assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")

    @pytest.mark.django_db(transaction=True)
    @pytest.mark.parametrize("with_key", [True, False])
    def test_sent_many_times_at_once_it_is_one_event(self, call: Call, with_key: bool) -> None:
        call(
            "GET", "?external_id=x"
        )  # the first request builds the middleware, which is not for many at once
        headers = {"Idempotency-Key": "once"} if with_key else {}
        key = key_of("Hôtel des ventes")

        def send(_: int) -> tuple[int, int]:
            try:
                answer = Client().post(
                    "/api/v1/events",
                    ITEM,
                    content_type="application/json",
                    headers={"Authorization": f"Bearer {key}", **headers},
                )
                return answer.status_code, answer.json().get("id")
            finally:
                connection.close()

        with ThreadPoolExecutor(8) as pool:
            answers = set(pool.map(send, range(50)))
        assert answers == {(202, PublishedEvent.objects.get().pk)}
        assert MatchWork.objects.count() == 1


def test_a_withdrawn_event_is_not_matched(call: Call) -> None:
    services.subscribe(
        User.objects.create_user("reader@example.org"), "price exists", now=NOW, valid_days=None
    )
    number = call("POST", "", ITEM).json()["id"]
    assert call("DELETE", f"/{number}").status_code == 204
    assert draining.drain(LiveMatcher("quarantining")) == 0
    assert call("GET", f"/{number}").json()["state"] == "withdrawn"
    assert not Match.objects.exists()


def test_another_publisher_s_event_is_not_there(call: Call) -> None:
    number = call("POST", "", ITEM).json()["id"]
    stranger = key_of("Another house")
    for method in ("GET", "DELETE"):
        assert call(method, f"/{number}", key=stranger).status_code == 404
    assert call("GET", "?external_id=lot%207", key=stranger).json()["results"] == []


def test_who_asks_for_items_says_which(call: Call) -> None:
    answer = call("GET", "")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "external_id"


def test_of_many_revisions_only_what_decides_is_read(call: Call) -> None:
    first = call("POST", "", {**ITEM, "revision": 1}).json()["id"]
    for price in range(20):
        call("POST", "", {**ITEM, "event": {"event_type": ["lot"], "price": 1000 + price}})
    publisher = Publisher.objects.get(name="Hôtel des ventes").pk
    name = str(ITEM["external_id"])
    assert [row[1] for row in event_rows.newest(publisher, [name, "another"])] == [21]
    assert [row[1] for row in event_rows.named(publisher, [(name, 3), (name, 99), ("another", 1)])] == [3]
    assert call("POST", "", {**ITEM, "revision": 1}).json()["id"] == first
    assert call("POST", "", {**ITEM, "revision": 2}).status_code == 422


def test_a_key_without_the_scope_publishes_nothing(call: Call) -> None:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(publisher.user, [Scope.SCHEMA])[1]
    assert call("POST", "", ITEM, key=key).status_code == 403


class TestDraining:
    def test_work_that_somebody_holds_is_left_alone_until_the_lease_runs_out(self, call: Call) -> None:
        call("POST", "", ITEM)
        MatchWork.objects.update(attempts=1, leased_until=datetime.now(UTC) + timedelta(minutes=5))
        live = LiveMatcher("quarantining")
        assert draining.drain(live) == 0
        MatchWork.objects.update(leased_until=datetime.now(UTC) - timedelta(seconds=1))
        assert draining.drain(live) == 1

    def test_an_event_that_was_tried_too_often_is_parked_and_the_others_go_on(self, call: Call) -> None:
        poison = call("POST", "", ITEM).json()["id"]
        long_ago = datetime.now(UTC) - timedelta(seconds=1)
        MatchWork.objects.update(attempts=leases.MOST_ATTEMPTS, leased_until=long_ago)
        good = call("POST", "", {**ITEM, "external_id": "lot 8"}).json()["id"]
        draining.drain(LiveMatcher("quarantining"))
        assert call("GET", f"/{poison}").json()["state"] == "parked"
        assert "No worker survived" in call("GET", f"/{poison}").json()["reason"]
        assert call("GET", f"/{good}").json()["state"] == "matched"

    def test_matching_twice_is_the_same_as_once(self, call: Call) -> None:
        services.subscribe(
            User.objects.create_user("reader@example.org"), "price exists", now=NOW, valid_days=None
        )
        number = call("POST", "", ITEM).json()["id"]
        live = LiveMatcher("quarantining")
        draining.drain(live)
        MatchWork.objects.create(event_id=number)
        draining.drain(live)
        assert Match.objects.count() == 1
        assert call("GET", f"/{number}").json()["match_count"] == 1
