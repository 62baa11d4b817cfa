"""REST for subscribers: subscribe, look, edit, pause, renew, unsubscribe; by key, session or ticket."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

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
        {"text": "price < 5", "valid_days": 0},
        {"text": "price < 5", "valid_days": "soon"},
        {"text": "price < 5", "name": "x" * 201},
        {"text": "price < 5", "colour": "red"},
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


def test_renewing_starts_its_validity_anew(call: Call, made: dict[str, Any]) -> None:
    before = call("GET", f"/{made['id']}").json()["expires_at"]
    assert call("POST", f"/{made['id']}/renew", {"valid_days": 90}).json()["expires_at"] > before


def test_a_removed_one_is_gone(call: Call, made: dict[str, Any]) -> None:
    assert call("DELETE", f"/{made['id']}").status_code == 204
    for method in ("GET", "DELETE"):
        assert call(method, f"/{made['id']}").status_code == 404
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
