"""Subscriptions can be taken along and brought back, all or nothing."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from matching import services
from matching.expiring import expire
from matching.models import Subscription, SubscriptionChange
from notifications import selectors, terms
from notifications.core.policy import Frequency, Revisions
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named

pytestmark = pytest.mark.django_db

Call = Callable[..., Any]
BY_STAFF = schema_services.Author(None)
ENTRY = {"name": "Cheap", "text": "price < 5", "state": "active", "expires_at": None}


@pytest.fixture(autouse=True)
def schema() -> None:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")


@pytest.fixture
def reader() -> User:
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def call(client: Client, reader: User) -> Call:
    mine = issue_key(reader, [Scope.SUBSCRIPTIONS])[1]

    def send(method: str, path: str, document: Any = None, *, key: str | None = mine) -> Any:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return client.generic(
            method,
            f"/api/v1/subscriptions/{path}",
            b"" if method == "GET" else body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    return send


def document(*entries: object) -> dict[str, Any]:
    return {
        "format": "lesubscribe-subscriptions",
        "version": 1,
        "exported_at": "2026-11-15T12:00:00Z",
        "subscriptions": list(entries),
    }


def rows_of(owner: User) -> list[tuple[Any, ...]]:
    mine = Subscription.objects.filter(owner=owner).exclude(state="removed").order_by("pk")
    return list(mine.values_list("name", "text", "canonical", "compiled", "state", "expires_at"))


def key_of(email: str) -> tuple[User, str]:
    user = User.objects.create_user(email)
    return user, issue_key(user, [Scope.SUBSCRIPTIONS])[1]


def test_what_was_exported_comes_back_elsewhere_as_it_was(call: Call, reader: User) -> None:
    now = datetime.now(UTC)
    for number, valid_days in enumerate([None, 1, 30, 3_650]):
        services.subscribe(reader, f"price <  {number}", now=now, name=f"n° {number}", valid_days=valid_days)
    muted, paused, removed = Subscription.objects.order_by("pk")[:3]
    services.change(muted, now=now, state=services.State.MUTED)
    services.change(paused, now=now, state=services.State.PAUSED)
    services.unsubscribe(removed)
    long_ago = now - timedelta(days=40)
    services.subscribe(reader, "price < 9", now=long_ago, name="over")
    services.subscribe(User.objects.create_user("stranger@example.org"), "price < 1", now=now)

    export = call("GET", "export")
    assert export.status_code == 200
    assert export["Content-Disposition"] == 'attachment; filename="lesubscribe-subscriptions.json"'
    written = export.json()
    assert (written["format"], written["version"]) == ("lesubscribe-subscriptions", 1)
    assert [entry["state"] for entry in written["subscriptions"]] == ["muted", "paused", "active", "expired"]
    fields = {"name", "text", "state", "expires_at", "frequency", "revisions"}
    assert set(written["subscriptions"][0]) == fields

    other, key = key_of("other@example.org")
    answer = call("POST", "import", written, key=key)
    assert answer.status_code == 201
    assert (answer.json()["imported"], answer.json()["skipped"]) == (4, 0)
    expire(now=now)
    assert rows_of(other) == rows_of(reader)


def test_how_often_a_subscription_tells_comes_along_and_may_be_missing(call: Call, reader: User) -> None:
    usual = services.subscribe(reader, "price < 1", now=datetime.now(UTC)).subscription
    chosen = services.subscribe(reader, "price < 2", now=datetime.now(UTC)).subscription
    terms.choose(chosen, frequency=Frequency.DAILY, revisions=Revisions.ALWAYS, channels=[])
    written = call("GET", "export").json()
    other, key = key_of("other@example.org")
    assert call("POST", "import", written, key=key).json()["imported"] == 2
    told = [selectors.terms_of(row) for row in Subscription.objects.filter(owner=other).order_by("pk")]
    assert [(each.frequency, each.revisions) for each in told] == [("at_once", "once"), ("daily", "always")]
    assert told[1].every_channel, "channels are of an account, and stay behind"

    only_frequency = {**ENTRY, "text": f"not ({usual.text})", "frequency": "weekly"}
    assert call("POST", "import", document(ENTRY, only_frequency), key=key).json()["imported"] == 2
    newest = Subscription.objects.filter(owner=other).order_by("-pk")[0]
    assert selectors.terms_of(newest).frequency == "weekly"
    for wrong in ("often", 7, None):
        answer = call("POST", "import", document({**ENTRY, "frequency": wrong}), key=key)
        assert answer.json()["errors"][0]["field"] == "subscriptions[0].frequency"


def test_an_import_answers_with_ids_tickets_and_warnings(call: Call, client: Client) -> None:
    warned = {**ENTRY, "text": "price < 5 or (price < 1 and price > 2)"}
    first, second = call("POST", "import", document(ENTRY, warned)).json()["subscriptions"]
    assert (first["index"], first["warnings"]) == (0, [])
    assert (second["index"], len(second["warnings"])) == (1, 1)
    path = f"/api/v1/subscriptions/{first['id']}"
    assert client.get(path, headers={"X-Ticket": first["ticket"]}).json()["name"] == "Cheap"
    assert client.get(path, headers={"X-Ticket": second["ticket"]}).status_code == 404


def test_what_is_there_already_is_skipped_so_importing_twice_is_importing_once(
    call: Call, reader: User
) -> None:
    same_meaning = {**ENTRY, "text": "(price  < 5)", "state": "paused"}
    other_name = {**ENTRY, "name": "Cheaper"}
    answer = call("POST", "import", document(ENTRY, other_name, same_meaning)).json()
    assert (answer["imported"], answer["skipped"]) == (2, 1)
    assert [made["index"] for made in answer["subscriptions"]] == [0, 1]
    again = call("POST", "import", document(ENTRY, other_name, same_meaning))
    assert (again.status_code, again.json()) == (201, {"imported": 0, "skipped": 3, "subscriptions": []})
    services.unsubscribe(Subscription.objects.get(name="Cheap"))
    assert call("POST", "import", document(ENTRY, other_name)).json()["imported"] == 1
    assert len(rows_of(reader)) == 2


def test_one_of_somebody_else_is_not_there_already(call: Call) -> None:
    services.subscribe(key_of("stranger@example.org")[0], "price < 5", now=datetime.now(UTC), name="Cheap")
    assert call("POST", "import", document(ENTRY)).json()["imported"] == 1


def test_one_faulty_entry_and_nothing_is_imported(call: Call) -> None:
    answer = call(
        "POST", "import", document(ENTRY, ENTRY, ENTRY, {**ENTRY, "text": "price < 5 and\nprise > 9"}, 7)
    )
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    problem = answer.json()
    assert problem["type"] == "urn:lesubscribe:problem:invalid-import"
    assert problem["detail"].startswith("Nothing was imported. subscriptions[3].text: ")
    text, whole = problem["errors"]
    assert (text["field"], text["line"], text["column"]) == ("subscriptions[3].text", 2, 1)
    assert text["suggestion"] == "price"
    assert (whole["field"], whole["code"]) == ("subscriptions[4]", "invalid")
    assert not Subscription.objects.exists()
    assert not SubscriptionChange.objects.exists()


@pytest.mark.parametrize("wrong", [[], "x", 5, None, {}, {"subscriptions": []}, document() | {"more": 1}])
def test_what_is_no_such_document_is_refused(call: Call, wrong: Any) -> None:
    answer = call("POST", "import", wrong)
    assert answer.status_code == 422
    assert answer.json()["errors"]


@pytest.mark.parametrize(
    "body", [b'{"format": "a\\u0000"}', b'{"a": ' * 100, b"\xff", b'{"format": ', b"NaN"]
)
def test_what_is_not_the_json_we_take_is_refused(call: Call, body: bytes) -> None:
    assert call("POST", "import", body).status_code == 400


def test_ten_thousand_and_one_are_too_many(call: Call) -> None:
    answer = call("POST", "import", document(*[ENTRY] * 10_001))
    assert answer.status_code == 422
    assert "10,001" in answer.json()["detail"]
    assert not Subscription.objects.exists()


def test_a_body_that_is_too_large_is_refused(call: Call) -> None:
    assert call("POST", "import", b'"' + b"x" * 8_000_000).status_code == 413


def test_an_owner_may_not_import_more_than_there_may_be(call: Call, settings: Settings) -> None:
    settings.MOST_SUBSCRIPTIONS_PER_OWNER = 3
    entries = [{**ENTRY, "name": str(number)} for number in range(4)]
    call("POST", "import", document(*entries[:2]))
    answer = call("POST", "import", document(*entries))
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:lesubscribe:problem:too-many-subscriptions"
    assert Subscription.objects.count() == 2
    assert call("POST", "import", document(*entries[:3])).json()["imported"] == 1


def test_only_people_have_something_to_export(call: Call) -> None:
    house = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(house.user, [Scope.EVENTS, Scope.SUBSCRIPTIONS])[1]
    for method, path in (("GET", "export"), ("POST", "import")):
        assert call(method, path, document(), key=key).status_code == 403
        assert call(method, path, document(), key=None).status_code == 401
