"""Every address, for everybody who owns nothing there: what is another's is answered like what is not there.

The addresses are those of the resolver, so a new one with a parameter fails until it has an entry here. What
the API takes in a query or a body is read from its OpenAPI document likewise.
"""

import logging
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import quote

import pytest
from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from schema_registry.accounts.models import User
from tests.integration.addresses import patterns
from tests.integration.tenants import (
    EARLIER,
    GONE,
    MARK,
    MISSING,
    NUMBER,
    Caller,
    belongings,
    client_of,
    owner_of_everything,
    rows_of_others_models,
    strangers,
)

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

# What names something that belongs to somebody: an address of it, and one of nothing.
NUMBERED = dict.fromkeys(("number", "event", "key", "invitation", "view"), (NUMBER, MISSING))
OWNED: dict[str, dict[str, tuple[Any, Any]]] = {
    "outbox/<str:name>": {"name": (MARK, "nothing")},
    "searches/<int:number>/restore": {"number": (GONE, MISSING)},
    "publish/invitations/<int:invitation>": {"invitation": (GONE, MISSING)},
    **{
        f"accounts/2fa/webauthn/keys/<int:pk>/{verb}/": {"pk": (NUMBER, MISSING)}
        for verb in ("edit", "remove")
    },
    # The link is the right, so of a link nobody has only a part. See `notifications.links`.
    **{
        f"notifications/{verb}/<str:token>": {"token": (f"WyI3NjU0MzIxIl0:{MARK}", "nothing")}
        for verb in ("atom", "change", "confirm", "mute", "renew", "undo", "unsubscribe")
    },
    **{
        f"shared/<str:token>{rest}": {"token": (f"WyI3NjU0MzIxIl0:{MARK}", "nothing")}
        for rest in ("", "/copy")
    },
}
OPEN = {
    # Everybody may read the schema, and every publisher may extend it: its names are nobody's.
    "schema/types/<str:name>",
    "schema/attributes/<str:name>",
    "schema/domains/<str:name>",
    "schema/domains/<str:name>/values",
    "schema/history/<int:version>",
    "api/v1/schema/event-types/<str:event_type>/attributes",
    "notifications/channels/new/<str:service>",  # a form that is the same for all
    # The key in a mail is the right, and nobody can guess another's.
    r"accounts/^confirm-email/(?P<key>[-:\w]+)/$",
    r"accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
}
# These have no owner, or one who does not sign in, or who must confirm first, be it there or not.
NOT_BY_ITS_OWNER = {
    "api/v1/events/<int:number>",
    "outbox/<str:name>",
    # Only staff act there.
    "operations/parked/<int:number>/retry",
    "operations/deliveries/<int:number>/replay",
    "operations/channels/<int:number>/disable",
    "operations/channels/<int:number>/enable",
} | {route for route in OWNED if "<str:token>" in route or "/keys/<int:pk>/" in route}
# What is asked for another's thing in a body or a query, one name each; in the path is a search of one's own.
MENTIONED: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "feed?search={}", {}),
    ("GET", "feed?site={}", {}),
    ("GET", "feed/older?search={}", {}),
    ("GET", "feed/new?match={}", {}),
    ("GET", "searches/new?like={}", {}),
    ("GET", "notifications/deliveries?channel={}", {}),
    ("GET", "api/v1/deliveries?channel={}", {}),
    ("GET", "api/v1/feeds?subscription={}", {}),
    ("GET", "api/v1/matches?subscription={}", {}),
    ("GET", "admin/autocomplete/?app_label=matching&model_name=match&field_name=owner&term={}", {}),
    ("GET", "operations/parked/retry?reason={}", {}),
    ("POST", "feed/seen", {"item": "{}"}),
    ("POST", "feed/seen", {"up_to": "{}"}),
    ("POST", "searches/actions", {"which": "chosen", "action": "delete", "number": "{}"}),
    ("POST", "api/v1/matches/seen", {"ids": ["{}"]}),
    ("POST", "api/v1/matches/seen", {"up_to": "{}"}),
    ("POST", "api/v1/subscriptions", {"text": "price <= 1", "channels": ["{}"]}),
    ("PATCH", "api/v1/subscriptions/{own}", {"channels": ["{}"]}),
]
# What is mentioned under these names is no number of a thing, or all up to one.
MENTIONED_OTHERWISE: dict[str, tuple[Any, Any]] = {
    "term": ("owner", "nobody"),
    "reason": (MARK, "nothing"),
    "up_to": (NUMBER, EARLIER),
}
# Numbers that the API takes and that name nothing of anybody; that of a stream is a place in one's own feed.
COUNTS = {"most_per_day", "page_size", "revision", "valid_days", "version", "days", "last_event_id"}
OF_LINES = {"events_batch"}  # a text, each line of which is a body of `api/v1/events`
PARAMETER = re.compile(r"(?<!P)<(?:\w+:)?(\w+)>")
HEADERS_THAT_MATTER = (
    "content-type",
    "location",
    "allow",
    "www-authenticate",
    "hx-redirect",
    "content-disposition",
)


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """Thousands of requests: a line for each would take as long as they do."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def callers(settings: Any) -> list[Caller]:
    owner_of_everything()
    settings.OUTBOX.mkdir(exist_ok=True)
    return strangers()


def test_every_address_that_names_something_is_known_here() -> None:
    named = {route for route in routes() if has_parameter(route) and not route.startswith("admin/")}
    known = {route for route in named if arguments(route)} | OPEN
    assert named == known
    assert set(OWNED) <= named


def test_every_number_that_the_api_takes_is_known_here() -> None:
    generator: Any = SchemaGenerator
    document = generator().get_schema(public=True)
    mentioned = {
        (method, re.sub(r"{\w*}", "{}", address.partition("?")[0]), name_of(address, body))
        for method, address, body in MENTIONED
    }
    taken = {
        (method.upper(), re.sub(r"{\w+}", "{}", path.removeprefix("/")), name)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        for name in numbers_taken(operation, document)
    }
    assert {each for each in taken if each[2] not in COUNTS} <= mentioned


def test_what_is_anothers_is_answered_like_what_is_not_there(callers: list[Caller]) -> None:
    before = belongings()
    wrong, refusals = [], Refusals()
    for route in routes():
        if not arguments(route):
            continue
        theirs, nothing = path_of(route, 0), path_of(route, 1)
        for caller in callers:
            for method in methods(route):
                answer = told(caller.client, method, theirs)
                expected = refusals.of(caller, method, answer, nothing)
                if answer != expected or MARK in answer["body"]:
                    wrong.append((caller.name, method, route, answer, expected))
    assert not wrong, wrong[0]
    assert belongings() == before


def test_the_owner_is_answered_otherwise_so_the_addresses_name_what_they_should(
    callers: list[Caller],
) -> None:
    owner = client_of(User.objects.get(email="owner@example.org"))
    for route in routes():
        if not arguments(route) or route in NOT_BY_ITS_OWNER:
            continue
        before = transaction.savepoint()
        pairs = [
            (told(owner, method, path_of(route, 0)), told(owner, method, path_of(route, 1)))
            for method in methods(route)
        ]
        transaction.savepoint_rollback(before)
        assert any(theirs != nothing for theirs, nothing in pairs), route


def test_no_address_tells_what_is_anothers(callers: list[Caller]) -> None:
    for route in routes():
        if has_parameter(route) or route.startswith("^") or route == "metrics":
            continue
        for caller in callers:
            if route.startswith("accounts/logout") or route == "api/v1/feed/stream":
                continue
            answer = caller.client.get(f"/{route}")
            body = answer.getvalue()
            assert MARK.encode() not in body, (caller.name, route)


def test_what_a_body_or_a_query_mentions_is_treated_alike(callers: list[Caller]) -> None:
    before = belongings()
    for method, address, body in MENTIONED:
        for caller in callers:
            answers = [asked(caller, method, address, body, place) for place in (0, 1)]
            assert answers[0] == answers[1], (caller.name, method, address, body)
            is_own = "{own}" in address and caller.own != MISSING
            assert not is_own or answers[0]["status"] == 422, "the path was refused, so nobody read the body"
    assert belongings() == before


@pytest.mark.usefixtures("callers")
def test_the_owner_is_answered_otherwise_so_bodies_and_queries_mention_what_they_should() -> None:
    owner = User.objects.get(email="owner@example.org")
    chief = User.objects.create_superuser("chief@example.org")
    for method, address, body in MENTIONED:
        user = chief if address.startswith(("admin/", "operations/")) else owner
        theirs, nothing, again = (outcome(user, method, address, body, place) for place in (0, 1, 1))
        assert theirs != nothing, (method, address, body)
        assert nothing == again, (method, address, body)  # chance would pass for an answer


def test_the_administration_tells_strangers_nothing(callers: list[Caller]) -> None:
    rows_of_others_models()
    wrong, refusals = [], Refusals()
    for route in routes():  # regular expressions name apps there, and no rows
        if not route.startswith("admin/") or not PARAMETER.search(route):
            continue
        for caller in callers:
            for method in ("GET", "POST") if caller.name.startswith("staff") else ("GET",):
                answer = told(caller.client, method, admin_path(route, exists=True))
                expected = refusals.of(caller, method, answer, admin_path(route, exists=False))
                if answer != expected or answer["status"] == 200:
                    wrong.append((caller.name, method, route, answer, expected))
    assert not wrong, wrong[0]


class Refusals:
    """How those are answered who have no business there, be it there or not.

    Whoever is sent to sign in first is sent there alike from everywhere, so of nothing they ask once for
    each method.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], dict[str, Any]] = {}

    def of(self, caller: Caller, method: str, answer: dict[str, Any], nothing: str) -> dict[str, Any]:
        if answer["status"] != 302:
            return told(caller.client, method, nothing)
        kind = (caller.name, method)
        if kind not in self._known:
            self._known[kind] = told(caller.client, method, nothing)
        return self._known[kind]


@cache
def routes() -> tuple[str, ...]:
    """Each pattern once, as it is written; those of an app that another one stands before are not reached."""
    return tuple(dict.fromkeys(route for route, _pattern in patterns()))


def has_parameter(route: str) -> bool:
    return bool(PARAMETER.search(route)) or "(?P" in route


def arguments(route: str) -> dict[str, tuple[Any, Any]]:
    """What stands for each parameter: something of the owner, and nothing. Empty where nothing is owned."""
    if route in OPEN or route.startswith("admin/"):
        return {}
    if route in OWNED:
        return OWNED[route]
    return {name: NUMBERED[name] for name in PARAMETER.findall(route) if name in NUMBERED}


def path_of(route: str, place: int) -> str:
    found = arguments(route)
    return "/" + PARAMETER.sub(lambda parameter: str(found[parameter[1]][place]), route)


def methods(route: str) -> tuple[str, ...]:
    return ("GET", "POST", "PUT", "PATCH", "DELETE") if route.startswith("api/") else ("GET", "POST")


def name_of(address: str, body: dict[str, Any]) -> str:
    """Under which something is mentioned there."""
    (name,) = re.findall(r"(\w+)={}", address) + [each for each, value in body.items() if "{}" in value]
    return str(name)


def asked(caller: Caller, method: str, address: str, body: dict[str, Any], place: int) -> dict[str, Any]:
    """What the caller is told who mentions something of the owner, or nothing."""
    pair = MENTIONED_OTHERWISE.get(name_of(address, body), (NUMBER, MISSING))
    path = "/" + address.format(pair[place], own=caller.own)
    return told(caller.client, method, path, body=filled(body, pair[place]), mentioned=pair)


def outcome(
    user: User, method: str, address: str, body: dict[str, Any], place: int
) -> tuple[dict[str, Any], bool]:
    """What the user is told, and whether anything was changed; it is taken back."""
    caller, before = Caller(user.email, client_of(user), own=NUMBER), belongings()
    savepoint = transaction.savepoint()
    answer = asked(caller, method, address, body, place)
    has_changed = belongings() != before
    transaction.savepoint_rollback(savepoint)
    return answer, has_changed


def numbers_taken(operation: dict[str, Any], document: dict[str, Any]) -> Iterator[str]:
    """What of an operation's query and body may be a number, or have some in it, by its OpenAPI document.

    Raises KeyError for a body that is no object, unless it is known.
    """
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query" and "'integer'" in str(spelled_out(parameter["schema"], document)):
            yield parameter["name"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if operation["operationId"] not in OF_LINES:
            fields = spelled_out(content["schema"], document)["properties"]
            yield from (field for field, schema in fields.items() if "'integer'" in str(schema))


def spelled_out(schema: Any, document: dict[str, Any]) -> Any:
    """The schema with what it refers to in place of its references."""
    match schema:
        case {"$ref": reference}:
            return spelled_out(document["components"]["schemas"][reference.rpartition("/")[2]], document)
        case dict():
            return {name: spelled_out(each, document) for name, each in schema.items()}
        case list():
            return [spelled_out(each, document) for each in schema]
    return schema


def admin_path(route: str, *, exists: bool) -> str:
    """Of the first row of the model that the route is of; `r` is of any, by the number of its kind."""
    _admin, app, model, *_rest = route.split("/")
    number: Any = MISSING
    if exists:
        kind = User if app == "r" else apps.get_model(app, model)
        number = kind._default_manager.order_by("pk").values_list("pk", flat=True)[0]
    given = {"content_type_id": ContentType.objects.get_for_model(User).pk, "name": "pause"}
    path = "/" + PARAMETER.sub(lambda parameter: str(given.get(parameter[1], number)), route)
    return f"{path}?ids={number}" if "/ask/" in path else path


def filled(body: Any, number: Any) -> Any:
    if isinstance(body, dict):
        return {name: filled(value, number) for name, value in body.items()}
    if isinstance(body, list):
        return [number if value == "{}" else value for value in body]
    return body.format(number)


def told(
    client: Client, method: str, path: str, *, body: Any = None, mentioned: tuple[Any, ...] = ()
) -> dict[str, Any]:
    """What an answer says, without what it repeats of the question and what differs from one to the next."""
    is_api = path.startswith("/api/")
    kind = {"content_type": "application/json"} if is_api else {}
    data = {"name": "other", "text": "price <= 7"} if body is None else body
    send = getattr(client, method.lower())
    answer = send(path) if method == "GET" else send(path, data, **kind)
    headers = {name.lower(): struck(value, path, mentioned) for name, value in answer.headers.items()}
    return {
        "status": answer.status_code,
        "headers": {name: value for name, value in headers.items() if name in HEADERS_THAT_MATTER},
        "body": struck(answer.content.decode(errors="replace"), path, mentioned),
    }


def struck(text: str, path: str, mentioned: tuple[Any, ...]) -> str:
    for each in (path, quote(path, safe=""), quote(path), *map(str, mentioned)):
        text = text.replace(each, "PATH")
    text = re.sub(rf"\b(?:{NUMBER}|{GONE}|{MISSING})\b", "N", text)
    text = re.sub(r'((?:name="(?:csrfmiddlewaretoken|form)" value|data-csrf)=)"[\w-]+"', r"\1", text)
    return re.sub(r'"request_id": ?"[^"]*"', "", text)
