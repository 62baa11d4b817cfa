"""How the API behaves towards input that nobody should send, whatever the endpoint."""

import time

import pytest
from django.db import OperationalError
from django.test import Client

from schema_registry import selectors, services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named
from schema_registry.core.errors import SchemaError

pytestmark = pytest.mark.django_db

PROBLEM = "application/problem+json"
BY_STAFF = services.Author(None)


@pytest.fixture
def key() -> dict[str, str]:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    return {"Authorization": f"Bearer {issue_key(publisher.user, [Scope.SCHEMA])[1]}"}


def post(client: Client, path: str, document: object, key: dict[str, str]) -> tuple[int, str]:
    answer = client.post(f"/api/v1/{path}", document, content_type="application/json", headers=key)
    assert answer.status_code < 400 or answer["Content-Type"] == PROBLEM
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1/nothing", "/api/v1/schema/domains/"])
def test_an_unknown_address_is_a_problem_for_every_method(path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    for method in ("get", "post", "put", "patch", "delete"):
        answer = getattr(client, method)(path)
        assert (answer.status_code, answer["Content-Type"]) == (404, PROBLEM)


def test_a_wrong_host_is_a_problem(client: Client) -> None:
    answer = client.get("/api/v1/schema", headers={"Host": "elsewhere.example.org"})
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)


def test_too_many_parameters_are_a_problem(client: Client) -> None:
    answer = client.get("/api/v1/schema/json-schema?" + "&".join(["event_type=x"] * 1_100))
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)


def test_a_busy_database_is_503_with_a_word_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy() -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(selectors, "current_version", busy)
    answer = Client(raise_request_exception=False).get("/api/v1/schema/json-schema?event_type=x")
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert "try again" in answer.json()["detail"].lower()


def test_a_busy_database_is_503_on_pages_too(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*args: object, **kwargs: object) -> None:
        raise OperationalError("database is locked")

    for broken in ("lesubscribe.landing.render", "lesubscribe.middleware.hours_of"):
        with monkeypatch.context() as patched:
            patched.setattr(broken, busy)
            answer = admin_client.get("/")
        assert (answer.status_code, answer["Retry-After"]) == (503, "2")
        assert "Please try again" in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "document", "says"),
    [
        ("schema/domains", {"name": 5, "definition": {"kind": "string"}}, "name: Not a valid string."),
        ("schema/domains", {"name": "x", "definition": {"kind": "string"}, "size": 3}, "no such field"),
        ("schema/event-types/lot/attributes", {"attribute": "x", "multiple": "yes"}, "boolean"),
        ("schema/event-types/lot/attributes", {"attribute": "x", "mandatory": True}, "no such field"),
        ("schema/views", {"name": "  ", "event_types": ["lot"], "attributes": []}, "spaces"),
        ("schema/views", {"name": "a/b", "event_types": ["lot"], "attributes": []}, "'/'"),
    ],
)
def test_what_does_not_fit_is_told_not_passed_over(
    client: Client, key: dict[str, str], path: str, document: object, says: str
) -> None:
    services.create_event_type(BY_STAFF, "lot", {})
    status, body = post(client, path, document, key)
    assert status == 422
    assert says in body


@pytest.mark.parametrize("name", ["plain", "%00", "a%2Fb"])
def test_a_named_view_that_is_not_there_is_refused(client: Client, key: dict[str, str], name: str) -> None:
    assert client.get(f"/api/v1/schema/json-schema?view={name}", headers=key).status_code == 422
    assert client.get(f"/api/v1/schema/json-schema?view={name}").status_code == 401


def test_a_name_of_many_combining_marks_costs_nothing(client: Client, key: dict[str, str]) -> None:
    """Normalising it would take minutes, so that this test would not end."""
    document = {"name": "a" + "\u0301\u0316" * 200_000, "definition": {"kind": "string"}}
    assert post(client, "schema/domains", document, key)[0] == 422


def test_names_are_the_same_in_either_unicode_form(client: Client, key: dict[str, str]) -> None:
    services.create_event_type(BY_STAFF, "the\u0301", {})
    services.create_domain(BY_STAFF, "name", {"kind": "string"})
    services.create_attribute(BY_STAFF, "maker", "name")
    assert list(selectors.current_schema().event_types) == ["th\u00e9"]
    assert post(client, "schema/event-types", {"name": "th\u00e9", "attributes": {}}, key)[0] == 409
    assert post(client, "schema/event-types/the\u0301/attributes", {"attribute": "maker"}, key)[0] == 201


def test_a_publisher_has_so_many_views_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_VIEWS", 1)
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    services.create_event_type(BY_STAFF, "lot", {})
    services.create_view(publisher, "one", ["lot"], [])
    with pytest.raises(SchemaError, match="at most 1 views"):
        services.create_view(publisher, "two", ["lot"], [])


def test_a_deprecation_that_was_taken_back_is_still_in_the_versions_that_had_it() -> None:
    services.create_event_type(BY_STAFF, "lot", {})
    services.deprecate(BY_STAFF, "event_types", "lot")
    services.deprecate(BY_STAFF, "event_types", "lot", undo=True)
    services.deprecate(BY_STAFF, "event_types", "lot")
    selectors._in_memory.clear()
    marked = [version for version in range(1, 6) if selectors.schema_at(version).deprecated.event_types]
    assert marked == [3, 5]


def test_deep_and_wide_hierarchies_are_stored_parents_first() -> None:
    values: dict[str, str | None] = {f"d{depth}": f"d{depth + 1}" for depth in range(60)}
    values |= {"d60": None, **{f"leaf{number}": "d3" for number in range(500)}}
    services.create_domain(BY_STAFF, "deep", {"kind": "hierarchical", "values": values})
    stored = selectors.current_schema().to_dict()
    selectors._in_memory.clear()
    assert selectors.current_schema().to_dict() == stored
    services.add_values(BY_STAFF, "deep", {"below": "new", "new": "d0"})
    selectors._in_memory.clear()
    assert selectors.current_schema().domains["deep"].definition()["values"]["below"] == "new"


@pytest.mark.parametrize("path", ["events/{}", "subscriptions/{}"])
def test_numbers_that_no_database_takes_are_not_found(client: Client, path: str) -> None:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    keys = {
        "events/{}": issue_key(publisher.user, [Scope.EVENTS])[1],
        "subscriptions/{}": issue_key(User.objects.create_user("a@example.org"), [Scope.SUBSCRIPTIONS])[1],
    }
    for number in ("9" * 30, "9" * 4_400, "0"):
        answer = client.get(
            f"/api/v1/{path.format(number)}", headers={"Authorization": f"Bearer {keys[path]}"}
        )
        assert (answer.status_code, answer["Content-Type"]) == (404, PROBLEM), len(number)


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b"[]," * 5_000_000 + b"[]]",
        b'{"name": "x", "definition": {"kind": "hierarchical", "values": {'
        + b",".join(b'"%d":null' % number for number in range(1_000_000))
        + b"}}}",
    ],
    ids=["many lists", "a million nodes"],
)
def test_a_body_of_too_many_parts_is_refused_before_it_costs(
    client: Client, key: dict[str, str], body: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    started = time.process_time()
    answer = client.post("/api/v1/schema/domains", body, content_type="application/json", headers=key)
    spent = time.process_time() - started
    assert (answer.status_code, answer["Content-Type"]) == (400, PROBLEM)
    with capsys.disabled():
        print(f" {len(body):,} bytes refused in {spent * 1000:.0f} ms CPU", end="")
