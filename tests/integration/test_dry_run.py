"""`?dry_run=true`: everything is checked as usual, the matches are counted, and nothing is stored."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from matching import batch_api, dry_run, services
from matching.envelopes import read_envelope
from matching.intake import checked
from matching.live import LiveMatcher
from matching.models import IdempotencyKey, MatchWork, PublishedEvent
from matching.shards import WHOLE
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named
from schema_registry.selectors import current_schema
from tests.running_system import RunningSystem, wait_until

Call = Callable[..., Any]
BY_STAFF = schema_services.Author(None)
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
ITEM: dict[str, Any] = {"external_id": "lot 7", "event": {"event_type": ["lot"], "price": 12.5}}
DRY = "?dry_run=true"


@pytest.fixture
def call(db: None, client: Client) -> Call:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_event_type(BY_STAFF, "lot", {"price": ["mandatory", "unique"]})
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(publisher.user, [Scope.EVENTS])[1]

    def send(path: str, *documents: Any, method: str = "POST", **headers: str) -> Any:
        kind = "application/x-ndjson" if "batch" in path else "application/json"
        body = b"\n".join(json.dumps(document).encode() for document in documents)
        headers["Authorization"] = f"Bearer {key}"
        return client.generic(method, f"/api/v1/events{path}", body, content_type=kind, headers=headers)

    return send


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker listens to the Redis of the tests."""
    monkeypatch.setattr(dry_run, "PATIENCE_SECONDS", 1)


def test_nothing_is_stored_and_no_idempotency_key_used_up(call: Call, impatient: None) -> None:
    call(DRY, ITEM, **{"Idempotency-Key": "monday"})
    assert not PublishedEvent.objects.exists()
    assert not MatchWork.objects.exists()
    assert not IdempotencyKey.objects.exists()


def test_without_a_worker_it_says_so_after_a_while(call: Call, impatient: None) -> None:
    answer = call(DRY, ITEM)
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    assert answer["Retry-After"] == "5"
    assert "No worker counted the matches in time" in answer.json()["detail"]


def test_without_redis_it_says_so_at_once(call: Call, settings: Settings) -> None:
    settings.CACHES = {
        name: {**options, "LOCATION": "unix:///nowhere/redis.sock"}
        for name, options in settings.CACHES.items()
    }
    answer = call(DRY, ITEM)
    assert "The matches cannot be counted now" in answer.json()["detail"]  # not: that nobody came in time
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:lesubscribe:problem:no-count")


def test_too_many_at_once_are_refused(call: Call) -> None:
    for _ in range(dry_run.MOST_AT_ONCE):
        assert dry_run._places.acquire(blocking=False)
    try:
        assert "Too many dry runs" in call(DRY, ITEM).json()["detail"]
    finally:
        dry_run._places.release(dry_run.MOST_AT_ONCE)


@pytest.mark.parametrize("path", ["", "/batch"])
@pytest.mark.parametrize(
    "parameters",
    [
        "dry_run=yes",
        "dry_run=",
        "dry_run=True",
        "dry_run=true&dry_run=false",
        "dryrun=true",
        "dry_run=false&x=1",
    ],
)
def test_what_it_cannot_mean_is_refused_and_nothing_published(call: Call, path: str, parameters: str) -> None:
    answer = call(f"{path}?{parameters}", ITEM)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert answer.json()["errors"][0]["field"] in ("dry_run", "dryrun", "x")
    assert not PublishedEvent.objects.exists()


def test_false_publishes_as_usual(call: Call) -> None:
    assert call("?dry_run=false", ITEM).status_code == 202
    assert call("/batch?dry_run=false", {**ITEM, "external_id": "lot 8"}).json()["accepted"] == 1
    assert PublishedEvent.objects.count() == 2


def test_a_withdrawal_has_no_dry_run(call: Call) -> None:
    number = call("", ITEM).json()["id"]
    assert call(f"/{number}{DRY}", method="DELETE").status_code == 422
    assert PublishedEvent.objects.get().state == PublishedEvent.State.ACCEPTED


def test_what_would_be_refused_is_refused(call: Call) -> None:
    key = {"Idempotency-Key": "monday"}
    call("", {**ITEM, "revision": 4}, **key)
    for document, headers in [
        ({**ITEM, "event": {"event_type": ["lot"], "prise": 3}}, {}),
        ({**ITEM, "colour": "red"}, {}),
        ({**ITEM, "revision": 4, "title": "Another"}, {}),
        ({**ITEM, "external_id": "lot 8"}, key),
        (ITEM, {"Idempotency-Key": "k" * 201}),
    ]:
        assert call(DRY, document, **headers).status_code == call("", document, **headers).status_code == 422
    assert call(DRY).status_code == 422


@pytest.mark.django_db
def test_a_worker_answers_a_question_that_somebody_waits_for(call: Call) -> None:
    owner = User.objects.create_user("reader@example.org")
    live = LiveMatcher("quarantining")
    for text in ("price < 20", "price > 20", "price exists"):
        services.subscribe(owner, text, now=NOW)
    services.subscribe(owner, "price > 1", now=datetime(2020, 1, 1, tzinfo=UTC), valid_days=1)
    ready = checked(Publisher.objects.get(), read_envelope(ITEM), current_schema())
    question = f'[{ready.document}, {ready.schema_version}, "{NOW.isoformat()}"]'
    cache.set(dry_run._question("token"), question, timeout=600)
    dry_run.answer("token", live)
    assert cache.get(dry_run._answer("token", WHOLE)) == 2


@pytest.mark.django_db
def test_a_question_that_has_expired_is_not_answered() -> None:
    dry_run.answer("nobody", LiveMatcher("quarantining"))
    assert cache.get(dry_run._answer("nobody", WHOLE)) is None


def test_a_batch_tells_of_every_line_what_it_would_be(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_api, "LINES_PER_TRANSACTION", 2)
    call("", ITEM)
    answer = call(
        f"/batch{DRY}",
        ITEM,
        {**ITEM, "external_id": "lot 8"},
        {**ITEM, "external_id": "lot 9", "event": {}},
        {**ITEM, "title": "Another"},
        {**ITEM, "external_id": "lot 8"},
        {**ITEM, "external_id": "lot 8", "revision": 1, "title": "Another"},
    ).json()
    outcomes = [(result["status"], result.get("repeated")) for result in answer["results"]]
    assert outcomes == [(200, True), (200, False), (422, None), (200, False), (200, True), (422, None)]
    assert (answer["accepted"], answer["repeated"], answer["rejected"]) == (2, 2, 2)
    assert answer["dry_run"] is True
    assert PublishedEvent.objects.count() == MatchWork.objects.count() == 1


class TestRunning:
    def test_it_counts_all_that_subscribed_before_and_publishes_nothing(self, system: RunningSystem) -> None:
        publisher = key(system, "publisher", "Dry house")
        subscriber = key(system, "subscriber", "dry@example.org")
        post(system, publisher, "schema/domains", {"name": "dry_money", "definition": {"kind": "numeric"}})
        post(system, publisher, "schema/attributes", {"name": "dry_price", "domain": "dry_money"})
        attributes = {"dry_price": ["mandatory", "unique"]}
        post(system, publisher, "schema/event-types", {"name": "dry_lot", "attributes": attributes})
        item = {"external_id": "7", "event": {"event_type": ["dry_lot"], "dry_price": 12}}
        nothing = {"dry_run": True, "match_count": 0, "would_be": "new"}
        assert post(system, publisher, f"events{DRY}", item) == (200, nothing)
        subscriptions = []
        for count, text in enumerate(["dry_price < 20", "dry_price > 10", "dry_price exists"], start=1):
            subscriptions.append(post(system, subscriber, "subscriptions", {"text": text})[1]["id"])
            assert post(system, publisher, f"events{DRY}", item)[1]["match_count"] == count
        call_system(system, subscriber, f"subscriptions/{subscriptions[0]}", method="DELETE")
        assert post(system, publisher, f"events{DRY}", item)[1]["match_count"] == 2
        assert call_system(system, publisher, "events?external_id=7")[1]["results"] == []
        assert post(system, publisher, "events", item)[0] == 202
        assert post(system, publisher, f"events{DRY}", item)[1]["would_be"] == "repeat"
        assert post(system, publisher, f"events{DRY}", {**item, "title": "New"})[1]["would_be"] == "revision"


def key(system: RunningSystem, kind: str, name: str) -> str:
    answer = system.manage("issue_key", kind, name)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.splitlines()[-1]


def post(system: RunningSystem, key: str, path: str, document: Any) -> tuple[int, Any]:
    """As clients do, it comes again later while no worker has the time to count."""
    body = json.dumps(document).encode()
    (answer,) = wait_until(
        lambda: _unless_busy(system, key, path, body), seconds=300, why=lambda: system.log[-3000:]
    )
    return answer


def _unless_busy(system: RunningSystem, key: str, path: str, body: bytes) -> list[tuple[int, Any]]:
    try:
        return [call_system(system, key, path, body, method="POST")]
    except urllib.error.HTTPError as error:
        if error.code != 503:
            raise
        error.close()
        return []


def call_system(
    system: RunningSystem, key: str, path: str, body: bytes | None = None, *, method: str = "GET"
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{system.url}/api/v1/{path}", body, headers, method=method)
    with urllib.request.urlopen(request, timeout=120) as answer:
        content = answer.read()
        return answer.status, json.loads(content) if content else None
