"""REST for subscribers: subscribe, look, edit, pause, renew, unsubscribe; by key, session or ticket."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from matching import api
from matching.expiring import expire
from matching.models import Subscription
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named

pytestmark = pytest.mark.django_db

Call = Callable[..., Any]
BY_STAFF = schema_services.Author(None)


@pytest.fixture(autouse=True)
def schema() -> None:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric"})
    schema_services.create_attribute(BY_STAFF, "price", "money")


def expired_now(number: int) -> None:
    """Its validity is over; nothing has noticed yet."""
    Subscription.objects.filter(pk=number).update(expires_at=datetime.now(UTC))


def key_of(email: str) -> str:
    return issue_key(User.objects.create_user(email), [Scope.SUBSCRIPTIONS])[1]


@pytest.fixture
def call(client: Client) -> Call:
    mine = key_of("reader@example.org")

    def send(method: str, path: str, document: Any = None, *, key: str | None = mine, **headers: str) -> Any:
        if key:
            headers["Authorization"] = f"Bearer {key}"
        return client.generic(
            method,
            f"/api/v1/subscriptions{path}",
            b"" if document is None else json.dumps(document).encode(),
            content_type="application/json",
            headers=headers,
        )

    return send


@pytest.fixture
def made(call: Call) -> dict[str, Any]:
    answer: dict[str, Any] = call("POST", "", {"text": "price <  200", "name": "Cheap"}).json()
    return answer


def test_a_subscription_is_answered_with_its_canonical_text_expiry_and_ticket(made: dict[str, Any]) -> None:
    row = Subscription.objects.get()
    assert made["id"] == row.pk
    assert made["canonical"] == "price < 200"
    assert row.expires_at is not None
    assert (row.expires_at - row.created_at).days == 30
    assert made["ticket"] not in (row.ticket_digest, row.text)


def test_a_text_that_cannot_be_is_refused_with_its_place(call: Call) -> None:
    answer = call("POST", "", {"text": "price < 5 and\nprise > 9"})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert (error["field"], error["line"], error["column"]) == ("text", 2, 1)
    assert error["suggestion"] == "price"
    assert not Subscription.objects.exists()


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"text": 5},
        {"text": {"price": 5}},
        {"text": "price < 5 and " * 400},
        {"text": "price < 5", "name": 5},
        {"text": "price < 5", "name": ["x"]},
        {"text": "price < 5", "valid_days": 0},
        {"text": "price < 5", "valid_days": "soon"},
        {"text": "price < 5", "name": "x" * 201},
        {"text": "price < 5", "colour": "red"},
        "price < 5",
        [],
    ],
)
def test_a_body_that_does_not_fit_is_refused(call: Call, document: Any) -> None:
    answer = call("POST", "", document)
    assert (answer.status_code, answer["Content-Type"]) == (422, "application/problem+json")
    assert not Subscription.objects.exists()


def test_an_endless_one_never_expires(call: Call) -> None:
    assert call("POST", "", {"text": "price < 5", "valid_days": None}).json()["expires_at"] is None


def test_warnings_tell_of_alternatives_that_are_left_out(call: Call) -> None:
    answer = call("POST", "", {"text": "price < 5 or (price < 1 and price > 2)"})
    assert len(answer.json()["warnings"]) == 1


def test_mine_are_listed_newest_first_in_pages(call: Call) -> None:
    for number in range(3):
        call("POST", "", {"text": f"price < {number}"})
    page = call("GET", "?page_size=2").json()
    assert [row["text"] for row in page["results"]] == ["price < 2", "price < 1"]
    rest = call("GET", "?" + page["next"].split("?")[1]).json()
    assert [row["text"] for row in rest["results"]] == ["price < 0"]


def test_it_can_be_edited_paused_and_resumed(call: Call, made: dict[str, Any]) -> None:
    path = f"/{made['id']}"
    assert call("PATCH", path, {"text": "price < 5", "name": "Cheaper"}).json()["canonical"] == "price < 5"
    assert call("PATCH", path, {"state": "paused"}).json()["state"] == "paused"
    assert call("PATCH", path, {"state": "active"}).json()["state"] == "active"
    assert call("PATCH", path, {"state": "removed"}).status_code == 422
    assert call("PATCH", path, {"text": "nonsense"}).status_code == 422
    assert call("GET", path).json()["canonical"] == "price < 5"


def test_warnings_come_with_a_changed_text_too(call: Call, made: dict[str, Any]) -> None:
    path = f"/{made['id']}"
    assert call("PATCH", path, {"name": "x"}).json()["warnings"] == []
    answer = call("PATCH", path, {"text": "price < 5 or (price < 1 and price > 2)"})
    assert len(answer.json()["warnings"]) == 1


@pytest.mark.parametrize(
    "document",
    [{"state": 5}, {"state": ["paused"]}, {"text": 5}, {"name": {}}, {"expires_at": None}, [], "paused"],
)
def test_a_change_that_does_not_fit_changes_nothing(call: Call, made: dict[str, Any], document: Any) -> None:
    before = call("GET", f"/{made['id']}").json()
    assert call("PATCH", f"/{made['id']}", document).status_code == 422
    assert call("GET", f"/{made['id']}").json() == before


def test_from_the_moment_of_its_expiry_it_is_shown_as_expired(call: Call, made: dict[str, Any]) -> None:
    assert call("GET", f"/{made['id']}").json()["state"] == "active"
    expired_now(made["id"])
    assert call("GET", f"/{made['id']}").json()["state"] == "expired"
    assert call("GET", "").json()["results"][0]["state"] == "expired"
    assert Subscription.objects.get().state == "active"  # the task has not run


@pytest.mark.parametrize("state", ["active", "paused", "muted"])
@pytest.mark.parametrize("is_marked", [True, False])
def test_an_expired_one_has_to_be_renewed_before_its_state_is_changed(
    call: Call, made: dict[str, Any], state: str, is_marked: bool
) -> None:
    expired_now(made["id"])
    if is_marked:
        expire(now=datetime.now(UTC) + timedelta(hours=1))
    answer = call("PATCH", f"/{made['id']}", {"state": state, "text": "price < 1"})
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:lesubscribe:problem:already-expired"
    assert "renew it" in answer.json()["detail"]
    assert call("PATCH", f"/{made['id']}", {"name": "Old"}).json()["text"] == "price <  200"
    assert call("POST", f"/{made['id']}/renew", {}).json()["state"] == "active"
    assert call("PATCH", f"/{made['id']}", {"state": state}).json()["state"] == state


def test_renewing_a_paused_one_keeps_it_paused(call: Call, made: dict[str, Any]) -> None:
    call("PATCH", f"/{made['id']}", {"state": "paused"})
    assert call("POST", f"/{made['id']}/renew", {}).json()["state"] == "paused"


def test_those_in_one_state_can_be_asked_for(call: Call) -> None:
    numbers = {
        state: call("POST", "", {"text": "price < 5"}).json()["id"]
        for state in ("active", "paused", "muted", "expired")
    }
    call("PATCH", f"/{numbers['paused']}", {"state": "paused"})
    call("PATCH", f"/{numbers['muted']}", {"state": "muted"})
    expired_now(numbers["expired"])
    for is_marked in (False, True):
        if is_marked:
            expire(now=datetime.now(UTC) + timedelta(hours=1))
        for state, number in numbers.items():
            found = call("GET", f"?state={state}").json()["results"]
            assert [(row["id"], row["state"]) for row in found] == [(number, state)]
    for nonsense in ("removed", "x", "%00"):
        answer = call("GET", f"?state={nonsense}")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "state")


def test_there_is_a_limit_to_how_many_one_has(call: Call, settings: Settings) -> None:
    settings.MOST_SUBSCRIPTIONS_PER_OWNER = 1
    first = call("POST", "", {"text": "price < 5"}).json()
    answer = call("POST", "", {"text": "price < 6"})
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:lesubscribe:problem:too-many-subscriptions"
    assert answer.json()["detail"] == ("This would make 2 subscriptions; you may have 1. Remove some first.")
    call("DELETE", f"/{first['id']}")
    assert call("POST", "", {"text": "price < 6"}).status_code == 201


def test_what_somebody_else_removes_meanwhile_is_not_there(
    call: Call, made: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    find = api.find

    def find_just_before_it_is_removed(*args: Any, **options: Any) -> Subscription:
        found = find(*args, **options)
        Subscription.objects.update(state="removed")
        return found

    monkeypatch.setattr(api, "find", find_just_before_it_is_removed)
    for method, suffix, document in (
        ("PATCH", "", {"state": "active"}),
        ("POST", "/renew", {}),
        ("DELETE", "", None),
    ):
        Subscription.objects.update(state="active")
        assert call(method, f"/{made['id']}{suffix}", document).status_code == 404
        assert Subscription.objects.get().state == "removed"


def test_renewing_starts_its_validity_anew(call: Call, made: dict[str, Any]) -> None:
    before = call("GET", f"/{made['id']}").json()["expires_at"]
    assert call("POST", f"/{made['id']}/renew", {"valid_days": 90}).json()["expires_at"] > before


def test_a_removed_one_is_gone(call: Call, made: dict[str, Any]) -> None:
    assert call("DELETE", f"/{made['id']}").status_code == 204
    for method in ("GET", "DELETE"):
        assert call(method, f"/{made['id']}").status_code == 404
    assert call("PATCH", f"/{made['id']}", {"state": "active"}).status_code == 404
    assert call("POST", f"/{made['id']}/renew", {}).status_code == 404
    assert (
        call("POST", f"/{made['id']}/renew", {}, key=None, **{"X-Ticket": made["ticket"]}).status_code == 404
    )
    assert call("GET", "").json()["results"] == []


def test_the_ticket_alone_renews_and_cancels_but_does_not_edit(call: Call, made: dict[str, Any]) -> None:
    ticket = {"X-Ticket": made["ticket"]}
    assert call("GET", f"/{made['id']}", key=None, **ticket).status_code == 200
    assert call("PATCH", f"/{made['id']}", {"name": "x"}, key=None, **ticket).status_code == 404
    assert call("POST", f"/{made['id']}/renew", {}, key=None, **ticket).status_code == 200
    assert call("DELETE", f"/{made['id']}", key=None, **ticket).status_code == 204


def test_a_ticket_opens_nothing_else(call: Call, made: dict[str, Any]) -> None:
    other = call("POST", "", {"text": "price < 1"}).json()
    for wrong in (other["ticket"], "guess", made["ticket"][:-1]):
        assert call("DELETE", f"/{made['id']}", key=None, **{"X-Ticket": wrong}).status_code == 404
        assert call("POST", f"/{made['id']}/renew", {}, key=None, **{"X-Ticket": wrong}).status_code == 404
    for path in ("", "/export"):
        assert call("GET", path, key=None, **{"X-Ticket": made["ticket"]}).status_code == 401


def test_what_belongs_to_another_answers_like_what_does_not_exist(call: Call, made: dict[str, Any]) -> None:
    stranger = key_of("stranger@example.org")
    for method, suffix, document in (
        ("GET", "", None),
        ("PATCH", "", {"name": "mine now"}),
        ("DELETE", "", None),
        ("POST", "/renew", {}),
    ):
        foreign = call(method, f"/{made['id']}{suffix}", document, key=stranger)
        missing = call(method, f"/999999{suffix}", document, key=stranger)
        assert foreign.status_code == missing.status_code == 404
        assert foreign.json()["detail"] == missing.json()["detail"]


def test_publishers_and_visitors_have_no_subscriptions(call: Call) -> None:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    key = issue_key(publisher.user, [Scope.EVENTS, Scope.SUBSCRIPTIONS])[1]
    assert call("POST", "", {"text": "price < 5"}, key=key).status_code == 403
    assert call("POST", "", {"text": "price < 5"}, key=None).status_code == 401
    assert call("GET", "", key=None).status_code == 401


def test_a_person_who_is_signed_in_needs_no_key_but_a_token(db: None) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.create_user("browser@example.org"))
    assert client.get("/api/v1/subscriptions").status_code == 200
    answer = client.post("/api/v1/subscriptions", {"text": "price < 5"}, content_type="application/json")
    assert answer.status_code == 403


@pytest.mark.parametrize("number", ["0", "9" * 19, "9" * 400])
def test_a_number_that_cannot_be_is_not_there(call: Call, number: str) -> None:
    assert call("GET", f"/{number}").status_code == 404
    assert call("GET", f"/{number}", key=None, **{"X-Ticket": "guess"}).status_code == 404


def test_the_openapi_document_tells_of_all_this(client: Client) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    for path, method in (("preview", "post"), ("export", "get"), ("import", "post")):
        answers = paths[f"/api/v1/subscriptions/{path}"][method]["responses"]
        assert {"401", "429"} < set(answers)
    states = next(
        one for one in paths["/api/v1/subscriptions"]["get"]["parameters"] if one["name"] == "state"
    )
    assert states["schema"]["enum"] == ["active", "paused", "muted", "expired"]
