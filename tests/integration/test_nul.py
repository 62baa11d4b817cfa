"""A query may have NUL anywhere, which PostgreSQL does not even look for: no address fails for it.

What an address reads from its query is seen by asking it: a form, a serializer or a list may read it for it.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key
from tests.integration.addresses import patterns
from tests.integration.tenants import MARK, NUMBER, client_of, owner_of_everything, rows_of_others_models

pytestmark = pytest.mark.django_db

LEFT_OUT = {
    "accounts/logout/",  # all that follows would be asked by nobody
    "accounts/2fa/webauthn/reauthenticate/",  # the passkey of the owner is none
    "readyz",  # without workers it is 503
}
# What stands for a text in addresses that begin so; elsewhere it is `MARK`.
NAMES = {
    "schema/types/": "lot",
    "schema/attributes/": "price",
    "schema/domains/": "furniture",
    "api/v1/schema/event-types/": "lot",
}
# What else must be said, or nothing else is read.
ALONG = {"admin/autocomplete/": "app_label=matching&model_name=match&field_name=owner&"}
SURELY_ASKED = {
    "/api/v1/deliveries?channel=%00",
    "/api/v1/events?external_id=%00",
    "/api/v1/feed/stream?last_event_id=%00",
    "/feed?text=%00",
    "/notifications/hours/bar?time_zone=%00",
    f"/notifications/channels/{NUMBER}/replay?from=%00",
    f"/publish/{NUMBER}/items?q=%00",
    f"/publish/{NUMBER}/schema/attribute?domain=%00",
    "/schema/domains/furniture/values?of=%00",
    "/searches?q=%00",
    "/admin/matching/publishedevent/?q=%00",
    "/admin/matching/publishedevent/?state__exact=%00",
    f"/admin/autocomplete/?{ALONG['admin/autocomplete/']}term=%00",
}


@pytest.fixture
def names_read(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that were looked for in queries, since it was last emptied."""
    names: set[str] = set()

    def note(method: str) -> None:
        plain = getattr(QueryDict, method)

        def noted(query: QueryDict, name: str, *more: Any) -> Any:
            names.add(name)
            return plain(query, name, *more)

        monkeypatch.setattr(QueryDict, method, noted)

    for method in ("__getitem__", "__contains__", "getlist"):
        note(method)
    return names


def test_no_address_fails_for_nul_in_its_query(names_read: set[str]) -> None:
    owner = owner_of_everything()
    rows_of_others_models()
    owner.is_staff = owner.is_superuser = True
    owner.save()
    house = Publisher.objects.get(pk=NUMBER)
    _key, secret = issue_key(house.user, [Scope.EVENTS, Scope.SCHEMA])
    callers = (client_of(owner), Client(headers={"Authorization": f"Bearer {secret}"}))
    asked = set()
    for address in addresses():
        for caller in callers if address.startswith("/api/") else callers[:1]:
            asked |= asked_with_nul(caller, address, names_read)
    assert asked >= SURELY_ASKED
    assert len(asked) > 300


def addresses() -> Iterator[str]:
    """All that the resolver knows, ready for a name and its value; of the administration, its lists."""
    for route in dict.fromkeys(route for route, _pattern in patterns()):
        if route in LEFT_OUT or "(?P" in route or route.startswith("^"):
            continue
        if route.startswith("admin/") and "<" in route:
            continue
        name = next((name for beginning, name in NAMES.items() if route.startswith(beginning)), MARK)
        path = re.sub(r"<str:\w+>", name, re.sub(r"<int:\w+>", str(NUMBER), route))
        yield f"/{path}?{ALONG.get(route, '')}"


def asked_with_nul(caller: Client, address: str, names_read: set[str]) -> set[str]:
    """Ask with NUL under each name that the address reads, also those that it reads only then."""
    known, left, asked = set[str](), [""], set()
    while left:
        name = left.pop()
        question = f"{address}{name}=%00" if name else address
        names_read.clear()
        try:
            answer = caller.get(question)
        except Exception as error:
            error.add_note(question)
            raise
        assert answer.status_code < 500, question
        asked.add(question)
        new = (names_read | offered(answer)) - known
        known |= new
        left += sorted(new)
    return asked


def offered(answer: Any) -> set[str]:
    """The fields of the page's form, which may begin with what the query says, and the filters of a list."""
    context = answer.context or {}
    form, rows = context.get("form"), context.get("cl")
    filters = rows.filter_specs if rows else ()
    return {*getattr(form, "fields", ()), *(name for each in filters for name in each.expected_parameters())}
