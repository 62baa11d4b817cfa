"""An account with something of everything: searches, finds, a channel, what was sent; by the API."""

import json
from typing import Any, TypedDict

from tests.browser.console_content import VIEW_AND_DEMAND
from tests.integration.test_live_service import call, key, post
from tests.running_system import RunningSystem, wait_until

LONG_NAME = "Tables for the long room on the first floor, where the light comes from the garden " * 2
SECONDS_TO_TELL = 300
LONG_VALUE = "something-that-is-sold-under-a-very-long-name-" * 2
KINDS = {
    "furniture": None,
    "table": "furniture",
    "dining table": "table",
    "chair": "furniture",
    LONG_VALUE: "furniture",
}
# What no program can do over the API: staff deprecate, and time passes until a message is given up.
BY_STAFF = """
from django.utils import timezone
from matching.tasks import count_traffic
from notifications.models import Attempt, Delivery
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, User
from schema_registry.services import Author, deprecate, deprecate_value
by = Author(None, None, "because " * 30)
deprecate_value(by, "look_kinds", "{value}")
deprecate(by, "attributes", "look_state")
given_up = Delivery.objects.filter(channel={channel}).first()
Delivery.objects.filter(pk=given_up.pk).update(state="dead", reason="x" * 200)
Attempt.objects.create(
    delivery=given_up, number=12, began_at=timezone.now(), milliseconds=9, is_success=False, status=500,
    request="x" * 300, response="y" * 300, error="It answered 500.",
)
house = Publisher.objects.get(name="Maison des Regards")
add_member(house, User.objects.get(email="{email}"))
count_traffic()
print(house.pk)
print(given_up.pk)
"""


class Content(TypedDict):
    """What the addresses of pages are made of."""

    event_type: str
    text: str
    kind: str
    old: str
    price: str
    tree: str
    order: str
    money: str
    version: int
    search: int
    odd_search: int
    shared: str
    shared_odd: str
    event: int
    channel: int
    delivery: int
    given_up: int
    house: int
    view: int
    long: str
    long_value: str


def filled(system: RunningSystem, email: str) -> Content:
    house, reader = key(system, "publisher", "Maison des Regards"), key(system, "subscriber", email)
    version = _extend_the_schema(system, house)
    text = "look_kind <= table and look_price <= 500 and not look_state = worn"
    search = post(system, reader, "subscriptions", {"name": "Tables up to 500 EUR", "text": text})["id"]
    odd = "look_price < 50 or look_kind in (chair, table) and (look_words contains oak or look_price > 400)"
    odd_search = post(system, reader, "subscriptions", {"name": LONG_NAME.strip(), "text": odd})["id"]
    shared, shared_odd = (_shared(system, reader, number) for number in (search, odd_search))
    webhook = {"kind": "webhook", "address": "https://hooks.example/" + "finds" * 30}
    channel = post(system, reader, "channels", webhook)["id"]
    post(system, reader, "channels", {"kind": "chat", "address": "ntfys://ntfy.example/oak-tables-k3vq8"})
    for number in range(3):
        item = _item(system, number)
        event = post(system, house, "events", item)["id"]
    call(system, house, "events/batch", _refused_lines(), kind="application/x-ndjson")
    wait_until(lambda: _newest_number(system, reader, "matches"), seconds=SECONDS_TO_TELL)
    delivery = wait_until(lambda: _newest_number(system, reader, "deliveries"), seconds=SECONDS_TO_TELL)
    wait_until(
        lambda: call(system, reader, f"deliveries?channel={channel}")["results"], seconds=SECONDS_TO_TELL
    )
    by_staff = system.manage("shell", "-c", BY_STAFF.format(value=LONG_VALUE, channel=channel, email=email))
    assert by_staff.returncode == 0, by_staff.stderr
    for_console = system.manage("shell", "-c", VIEW_AND_DEMAND)
    assert for_console.returncode == 0, for_console.stderr
    return Content(
        event_type="looks",
        text="look_words",
        kind="look_kind",
        old="look_state",
        price="look_price",
        tree="look_kinds",
        order="look_states",
        money="look_money",
        version=version,
        search=search,
        odd_search=odd_search,
        shared=shared,
        shared_odd=shared_odd,
        event=event,
        channel=channel,
        delivery=delivery,
        given_up=int(by_staff.stdout.splitlines()[-1]),
        house=int(by_staff.stdout.splitlines()[-2]),
        view=int(for_console.stdout.splitlines()[-1]),
        long="x" * 100,
        long_value=LONG_VALUE,
    )


def _extend_the_schema(system: RunningSystem, house: str) -> int:
    states = {"kind": "enumerated", "values": ["worn", "good", "mint"]}
    order = [["worn", "good"], ["good", "mint"]]
    domains: dict[str, dict[str, Any]] = {
        "look_money": {"kind": "numeric", "min": 0, "unit": "EUR"},
        "look_kinds": {"kind": "hierarchical", "values": KINDS, "labels": {"table": "Tables"}},
        "look_states": {**states, "order": order},
        "look_texts": {"kind": "text"},
        "x" * 100: {"kind": "string"},
    }
    attributes = {
        "look_price": "look_money",
        "look_kind": "look_kinds",
        "look_state": "look_states",
        "look_words": "look_texts",
        "x" * 100: "x" * 100,
    }
    for name, definition in domains.items():
        post(system, house, "schema/domains", {"name": name, "definition": definition})
    for name, domain in attributes.items():
        post(system, house, "schema/attributes", {"name": name, "domain": domain})
    optional = {name: ["optional", "unique"] for name in attributes}
    post(system, house, "schema/event-types", {"name": "x" * 100, "attributes": optional})
    event_type = {"name": "looks", "attributes": optional}
    version: int = post(system, house, "schema/event-types", event_type)["version"]
    return version


def _item(system: RunningSystem, number: int) -> dict[str, Any]:
    """Only the last one has a picture."""
    title = f"Oak dining table number {number}, with a title that goes on and on " + "and on " * (10 * number)
    event = {"event_type": ["looks"], "look_kind": "dining table", "look_price": 180 - 70 * number}
    more = {"look_state": "good", "look_words": title}
    picture = {"image_url": f"{system.url}/static/img/mark.svg"} if number == 2 else {}
    return {
        "external_id": f"look-{number}",
        "title": title,
        "url": "https://a.example/",
        "event": event | more,
        **picture,
    }


def _refused_lines() -> bytes:
    """Each refused for another reason: by a value, by a name without end, and as no JSON at all."""
    wrong = {"event_type": ["looks"], "look_price": "1.200,00 EUR", "look_kind": "tabel"}
    endless = {"event_type": ["looks"], "y" * 200: LONG_VALUE * 40}
    envelopes = [{"external_id": "z" * 200, "event": event} for event in (wrong, endless)]
    return "\n".join([*map(json.dumps, envelopes), "no JSON"]).encode()


def _shared(system: RunningSystem, key: str, search: int) -> str:
    """The token in the link of a search."""
    link: str = post(system, key, f"subscriptions/{search}/share", {})["url"]
    return link.rpartition("/")[2]


def _newest_number(system: RunningSystem, key: str, path: str) -> int:
    """Zero while there is none."""
    results: list[dict[str, Any]] = call(system, key, path)["results"]
    return int(results[0]["id"]) if results else 0
