"""Addresses of admin pages, and what is read on them."""

import re
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse

from schema_registry.models import Attribute, Domain, DomainValue, EventType, SchemaVersion
from schema_registry.services import Author

NOBODY = Author(user=None)
MONEY: dict[str, Any] = {"kind": "numeric", "min": 0, "unit": "EUR"}
FURNITURE: dict[str, Any] = {
    "kind": "hierarchical",
    "values": {"furniture": None, "table": "furniture", "dining table": "table"},
    "labels": {"table": "Tables"},
}
CONDITION: dict[str, Any] = {"kind": "enumerated", "values": ["poor", "good"], "order": [["poor", "good"]]}
NO_ROWS = {"attributes-TOTAL_FORMS": "0", "attributes-INITIAL_FORMS": "0"}
PARTS = ("domain", "domainvalue", "attribute", "eventtype", "eventview", "schemaversion")
MATCHING_PARTS = ("subscription", "publishedevent", "match")


def address(part: str, view: str, *args: Any) -> str:
    apps = {**dict.fromkeys(("publisher", "apikey"), "accounts"), **dict.fromkeys(MATCHING_PARTS, "matching")}
    app = apps.get(part, "schema_registry")
    return reverse(f"admin:{app}_{part}_{view}", args=args)


def ask(question: str, *rows: Any) -> str:
    where = address(rows[0]._meta.model_name, "ask", question)
    return f"{where}?ids={','.join(str(row.pk) for row in rows)}"


def text(answer: Any) -> str:
    """What a person reads on the page."""
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


def listed(page: Client, part: str, query: str = "") -> list[Any]:
    """The rows on a page of a list."""
    return list(page.get(address(part, "changelist") + query).context["cl"].result_list)


def newest() -> SchemaVersion:
    return SchemaVersion.objects.latest("version")


def one_of_each_part() -> list[Any]:
    """What can be deprecated."""
    return [
        Domain.objects.get(name="money"),
        Attribute.objects.get(name="price"),
        EventType.objects.get(name="furniture"),
        DomainValue.objects.get(identifier="table"),
    ]
