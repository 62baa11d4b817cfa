"""An auction house that sends what cannot be taken, and what becomes of it."""

import json
import time
from dataclasses import dataclass
from typing import Any

from django.test import Client
from django.utils import timezone

from matching.traffic import collecting
from matching.traffic.selectors import RANGES, Group, groups, traffic
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, Scope
from schema_registry.accounts.services import issue_key, publisher_named
from schema_registry.selectors import current_schema
from tests.integration.made_once import made_once

BY_STAFF = schema_services.Author(None)


@dataclass(frozen=True, slots=True)
class House:
    """A publisher, and how it sends."""

    publisher: Publisher
    prefix: str
    secret: str
    client: Client

    def sends(self, document: Any, **options: Any) -> Any:
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.post("events", body, "application/json", **options)

    def sends_lines(self, *lines: Any, **options: Any) -> Any:
        body = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        return self.post("events/batch", body, "application/x-ndjson", **options)

    def post(self, path: str, body: bytes, kind: str, headers: dict[str, str] | None = None) -> Any:
        sent = {"Authorization": f"Bearer {self.secret}", **(headers or {})}
        return self.client.post(f"/api/v1/{path}", body, content_type=kind, headers=sent)

    def groups(self, **options: Any) -> dict[str, Group]:
        found = groups(self.publisher, current_schema(), now=timezone.now(), **{"samples": 3, **options})
        return {group.advice.wrong: group for group in found}

    def refused(self) -> int:
        return traffic(self.publisher, RANGES["day"], now=timezone.now()).total.refused


@made_once
def make_schema() -> None:
    schema_services.create_domain(BY_STAFF, "money", {"kind": "numeric", "min": 0, "unit": "EUR"})
    schema_services.create_domain(BY_STAFF, "woods", {"kind": "enumerated", "values": ["oak", "elm"]})
    schema_services.create_attribute(BY_STAFF, "price", "money")
    schema_services.create_attribute(BY_STAFF, "wood", "woods")
    schema_services.create_event_type(
        BY_STAFF, "lot", {"price": ["mandatory", "unique"], "wood": ["optional", "unique"]}
    )


def a_house(name: str, client: Client) -> House:
    publisher = publisher_named(name, state=Publisher.State.APPROVED)
    key, secret = issue_key(publisher.user, [Scope.EVENTS])
    return House(publisher, key.prefix, secret, client)


def a_lot(number: int, price: Any = 5, **more: Any) -> dict[str, Any]:
    return {"external_id": f"lot {number}", "event": {"event_type": ["lot"], "price": price, **more}}


def collect(*, seconds: float = float("inf")) -> bool:
    return collecting.collect(now=timezone.now(), clock=time.monotonic, seconds=seconds)
