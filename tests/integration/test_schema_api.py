"""REST for publishers: reading the schema, the four extension rules, named views."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from schema_registry import selectors, services
from schema_registry.accounts.models import Publisher, Scope, User
from schema_registry.accounts.services import issue_key, publisher_named, revoke_key
from schema_registry.core.schema import Schema
from schema_registry.models import EventView, SchemaVersion

Post = Callable[..., Any]

MONEY = {"kind": "numeric", "min": 0, "unit": "EUR"}
FURNITURE = {
    "kind": "hierarchical",
    "values": {"furniture": None, "table": "furniture", "dining table": "table"},
    "labels": {"table": "Tables"},
}
PERIOD = {"kind": "enumerated", "values": ["XVI", "XVII"], "order": [["XVI", "XVII"]]}


@pytest.fixture
def publisher(db: None) -> Publisher:
    return publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)


@pytest.fixture
def key(publisher: Publisher) -> str:
    return issue_key(publisher.user, [Scope.SCHEMA])[1]


@pytest.fixture
def post(client: Client, key: str) -> Post:
    def send(path: str, document: Any, *, key: str | None = key) -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return client.post(f"/api/v1/{path}", document, content_type="application/json", headers=headers)

    return send


@pytest.fixture
def furniture(post: Post) -> None:
    """The paper's example, built by the four rules."""
    for name, definition in {"money": MONEY, "furniture": FURNITURE, "name": {"kind": "string"}}.items():
        assert post("schema/domains", {"name": name, "definition": definition}).status_code == 201
    for name, domain in {"price": "money", "furniture_category": "furniture", "material": "name"}.items():
        assert post("schema/attributes", {"name": name, "domain": domain}).status_code == 201
    attributes = {"price": ["mandatory", "unique"], "furniture_category": ["mandatory", "unique"]}
    assert post("schema/event-types", {"name": "furniture", "attributes": attributes}).status_code == 201


def test_an_empty_schema_is_version_one(client: Client, db: None) -> None:
    answer = client.get("/api/v1/schema")
    assert answer.json() == {"domains": {}, "attributes": {}, "event_types": {}, "version": 1}


def test_the_four_rules_build_a_schema_that_reads_back_as_sent(
    client: Client, post: Post, furniture: None
) -> None:
    answer = post("schema/event-types/furniture/attributes", {"attribute": "material", "multiple": True})
    assert (answer.status_code, answer.json()) == (201, {"version": 9})
    document = client.get("/api/v1/schema").json()
    assert document["domains"]["furniture"] == FURNITURE
    assert document["domains"]["money"] == MONEY
    assert document["event_types"]["furniture"]["material"] == ["optional", "multiple"]
    assert Schema.from_dict(document).to_dict() == document


def test_the_schema_is_sent_once_to_those_who_have_it(client: Client, post: Post) -> None:
    first = client.get("/api/v1/schema")
    again = client.get("/api/v1/schema", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    post("schema/domains", {"name": "money", "definition": MONEY})
    assert client.get("/api/v1/schema", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_version_read_from_the_tables_equals_the_one_in_memory(post: Post, furniture: None) -> None:
    post("schema/domains", {"name": "period", "definition": PERIOD})
    in_memory = selectors.current_schema().to_dict()
    selectors._in_memory.clear()
    assert selectors.current_schema().to_dict() == in_memory


def test_the_schema_is_read_in_a_constant_number_of_queries(
    post: Post, furniture: None, django_assert_num_queries: Any
) -> None:
    selectors._in_memory.clear()
    with django_assert_num_queries(8):
        selectors.current_schema()
    with django_assert_num_queries(1):
        selectors.current_schema()


def test_every_version_can_be_read_again(post: Post, furniture: None) -> None:
    assert selectors.schema_at(1).to_dict()["domains"] == {}
    assert set(selectors.schema_at(3).domains) == {"money", "furniture"}
    assert selectors.schema_at(3).version == 3


def test_a_domain_equal_to_another_is_made_all_the_same_and_says_so(post: Post) -> None:
    post("schema/domains", {"name": "money", "definition": MONEY})
    answer = post("schema/domains", {"name": "euros", "definition": MONEY})
    assert (answer.status_code, answer.json()) == (201, {"version": 3, "equivalent_to": ["money"]})


def test_a_taken_name_is_a_conflict_and_changes_nothing(client: Client, post: Post, furniture: None) -> None:
    before = client.get("/api/v1/schema").json()
    for path, document in {
        "schema/domains": {"name": "money", "definition": {"kind": "string"}},
        "schema/attributes": {"name": "price", "domain": "name"},
        "schema/event-types": {"name": "furniture", "attributes": {}},
        "schema/event-types/furniture/attributes": {"attribute": "price"},
    }.items():
        answer = post(path, document)
        assert answer.status_code == 409, path
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:lesubscribe:problem:conflict"
        assert "already" in answer.json()["detail"]
    assert client.get("/api/v1/schema").json() == before


@pytest.mark.parametrize(
    ("path", "document", "says"),
    [
        ("schema/domains", {"name": "x", "definition": {"kind": "colour"}}, "kind"),
        (
            "schema/domains",
            {"name": "x", "definition": {"kind": "enumerated", "values": ["a", "a"]}},
            "twice",
        ),
        (
            "schema/domains",
            {"name": "x", "definition": {"kind": "hierarchical", "values": {"a": "a"}}},
            "cycle",
        ),
        ("schema/domains", {"name": " x", "definition": {"kind": "string"}}, "spaces"),
        ("schema/domains", {"name": "x"}, "required"),
        ("schema/domains", {"definition": {}}, "required"),
        ("schema/domains", ["x"], "dictionary"),
        (
            "schema/event-types",
            {"name": "x", "attributes": {f"a{number}": [5] for number in range(1_001)}},
            "at most 1,000",
        ),
        ("schema/attributes", {"name": "x", "domain": "nowhere"}, "no domain"),
        ("schema/attributes", {"name": "not", "domain": "money"}, "keyword"),
        (
            "schema/event-types",
            {"name": "x", "attributes": {"nothing": ["optional", "unique"]}},
            "no attribute",
        ),
        (
            "schema/event-types",
            {"name": "x", "attributes": {"price": ["maybe", "unique"]}},
            "mandatory or optional",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    client: Client, post: Post, furniture: None, path: str, document: Any, says: str
) -> None:
    before = client.get("/api/v1/schema").json()
    answer = post(path, document)
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    assert says in answer.json()["detail"]
    assert client.get("/api/v1/schema").json() == before


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b'{"name": "x", "name": "y"}', "twice"),
        (b'{"name": NaN}', "NaN"),
        (b"[" * 100_000, "nested"),
        (b'{"name": "\\ud800"}', "surrogate"),
        (b'{"name": "\\u0000"}', "NUL"),
        (b"\xff", "UTF-8"),
    ],
)
def test_a_body_that_cannot_be_read_is_a_bad_request(
    client: Client, key: str, body: bytes, says: str
) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    answer = client.post("/api/v1/schema/domains", body, content_type="application/json", headers=headers)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"
    assert says in answer.json()["detail"]


def test_a_body_that_is_too_large_is_refused_unread(client: Client, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    body = b" " * 1_100_000
    answer = client.post("/api/v1/schema/attributes", body, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["title"]) == (413, "Too large")


def test_other_content_types_are_refused(client: Client, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    answer = client.post("/api/v1/schema/attributes", "a=b", content_type="text/plain", headers=headers)
    assert answer.status_code == 415
    assert answer["Content-Type"] == "application/problem+json"


def test_an_event_type_that_is_not_there_is_not_found(post: Post) -> None:
    assert post("schema/event-types/nothing/attributes", {"attribute": "price"}).status_code == 404


def test_an_address_that_is_not_there_answers_with_a_problem(client: Client, db: None) -> None:
    answer = client.get("/api/v1/nothing")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


class TestWhoMayExtend:
    DOCUMENT = {"name": "money", "definition": MONEY}  # noqa: RUF012

    def test_nobody_without_a_key(self, post: Post) -> None:
        answer = post("schema/domains", self.DOCUMENT, key=None)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")

    def test_nobody_with_an_unknown_or_revoked_key(self, post: Post, publisher: Publisher) -> None:
        revoked, secret = issue_key(publisher.user, [Scope.SCHEMA])
        revoke_key(revoked, now=revoked.created_at)
        for bad in (secret, "ls_00000000_nothing", "é"):
            assert post("schema/domains", self.DOCUMENT, key=bad).status_code == 401

    def test_no_key_without_the_scope(self, post: Post, publisher: Publisher) -> None:
        answer = post("schema/domains", self.DOCUMENT, key=issue_key(publisher.user, [Scope.EVENTS])[1])
        assert answer.status_code == 403
        assert "scope" in answer.json()["detail"]

    def test_no_subscriber(self, post: Post) -> None:
        user = User.objects.create_user("reader@example.org")
        assert (
            post("schema/domains", self.DOCUMENT, key=issue_key(user, [Scope.SCHEMA])[1]).status_code == 403
        )

    @pytest.mark.parametrize("state", [Publisher.State.PENDING, Publisher.State.SUSPENDED])
    def test_no_publisher_that_is_not_approved(self, post: Post, publisher: Publisher, state: str) -> None:
        Publisher.objects.update(state=state)
        answer = post("schema/domains", self.DOCUMENT)
        assert answer.status_code == 403
        assert str(Publisher.State(state).label) in answer.json()["detail"]

    def test_no_publisher_beyond_its_quota(self, post: Post, publisher: Publisher) -> None:
        Publisher.objects.update(extensions_per_day=2)
        for name in ("one", "two"):
            assert post("schema/domains", {"name": name, "definition": MONEY}).status_code == 201
        answer = post("schema/domains", {"name": "three", "definition": MONEY})
        assert answer.status_code == 429
        assert 0 < int(answer["Retry-After"]) <= 86_400
        assert "three" not in selectors.current_schema().domains


def test_history_knows_who_and_why(post: Post, publisher: Publisher) -> None:
    post("schema/domains", {"name": "money", "definition": MONEY, "why": "We sell in euros."})
    version = SchemaVersion.objects.get()
    assert (version.version, version.rule, version.subject) == (2, "create_domain", "money")
    assert (version.publisher, version.author, version.why) == (
        publisher,
        publisher.user,
        "We sell in euros.",
    )


@pytest.fixture
def first_request(client: Client) -> None:
    """The metrics of the request middleware are registered by the first request, which must not be two."""
    client.get("/healthz")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("first_request")
def test_of_many_who_create_the_same_name_at_once_one_succeeds(publisher: Publisher, key: str) -> None:
    def create(number: int) -> int:
        try:
            document = {"name": "money", "definition": {"kind": "numeric", "max": number}}
            headers = {"Authorization": f"Bearer {key}"}
            answer = Client().post(
                "/api/v1/schema/domains", document, content_type="application/json", headers=headers
            )
            return answer.status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(create, range(16)))
    assert answers == [201] + [409] * 15
    assert list(SchemaVersion.objects.values_list("version", flat=True)) == [2]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("first_request")
def test_versions_made_at_once_follow_each_other_without_gaps(publisher: Publisher, key: str) -> None:
    def create(number: int) -> int:
        try:
            document = {"name": f"domain {number}", "definition": {"kind": "string"}}
            headers = {"Authorization": f"Bearer {key}"}
            answer = Client().post(
                "/api/v1/schema/domains", document, content_type="application/json", headers=headers
            )
            version: int = answer.json()["version"]
            return version
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(create, range(16))) == list(range(2, 18))
    selectors._in_memory.clear()
    assert len(selectors.current_schema().domains) == 16


class TestViews:
    VIEW = {"name": "plain", "event_types": ["furniture"], "attributes": ["price", "furniture_category"]}  # noqa: RUF012

    def test_a_named_view_is_kept_for_its_publisher_alone(
        self, client: Client, post: Post, key: str, furniture: None
    ) -> None:
        assert post("schema/views", self.VIEW).status_code == 201
        other = issue_key(publisher_named("Other", state=Publisher.State.APPROVED).user, [Scope.SCHEMA])[1]
        views = {
            who: client.get("/api/v1/schema/views", headers={"Authorization": f"Bearer {who}"}).json()
            for who in (key, other)
        }
        assert views == {key: [{**self.VIEW, "attributes": ["furniture_category", "price"]}], other: []}

    def test_a_view_must_carry_what_is_mandatory(self, post: Post, furniture: None) -> None:
        answer = post("schema/views", {**self.VIEW, "attributes": ["price"]})
        assert answer.status_code == 422
        assert "furniture_category" in answer.json()["detail"]
        assert not EventView.objects.exists()

    def test_a_view_s_name_is_taken_once(self, post: Post, furniture: None) -> None:
        post("schema/views", self.VIEW)
        assert post("schema/views", self.VIEW).status_code == 409

    def test_any_view_can_be_had_as_json_schema(
        self, client: Client, post: Post, key: str, furniture: None
    ) -> None:
        answer = client.get("/api/v1/schema/json-schema?event_type=furniture")
        assert set(answer.json()["required"]) == {"event_type", "price", "furniture_category"}
        post("schema/views", self.VIEW)
        headers = {"Authorization": f"Bearer {key}"}
        named = client.get("/api/v1/schema/json-schema?view=plain", headers=headers)
        assert set(named.json()["properties"]) == {"event_type", "price", "furniture_category"}

    @pytest.mark.parametrize("query", ["", "event_type=nothing", "event_type=furniture&attribute=x"])
    def test_a_view_that_is_not_there_is_refused(self, client: Client, furniture: None, query: str) -> None:
        assert client.get(f"/api/v1/schema/json-schema?{query}").status_code == 422


def test_the_name_of_a_merged_domain_stays_taken(post: Post) -> None:
    for name in ("money", "euros"):
        post("schema/domains", {"name": name, "definition": MONEY})
    services.merge_domains(services.Author(None), "money", ["euros"])
    answer = post("schema/domains", {"name": "euros", "definition": MONEY})
    assert (answer.status_code, "merged" in answer.json()["detail"]) == (409, True)


def test_the_openapi_document_has_every_endpoint_and_what_errors_look_like(client: Client, db: None) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert "/api/v1/schema/event-types/{event_type}/attributes" in document["paths"]
    assert document["components"]["securitySchemes"]["key"] == {"type": "http", "scheme": "bearer"}
    assert {"200", "429"} <= set(document["paths"]["/api/v1/schema"]["get"]["responses"])
