"""The example of paper 002, section 2.1: antiques and furniture; and small domains."""

from typing import Any

from schema_registry.core.domains import FiniteDomain
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse

PAPER: dict[str, Any] = {
    "domains": {
        "money": {"kind": "numeric", "min": 0, "unit": "EUR"},
        "count": {"kind": "numeric", "min": 1},
        "period": {
            "kind": "enumerated",
            "values": ["XVI", "XVII", "XVIII", "unknown"],
            "order": [["XVI", "XVII"], ["XVII", "XVIII"]],
        },
        "furniture": {
            "kind": "hierarchical",
            "values": {
                "furniture": None,
                "table": "furniture",
                "dining table": "table",
                "extending table": "dining table",
                "chair": "furniture",
            },
        },
        "name": {"kind": "string"},
        "words": {"kind": "text"},
    },
    "attributes": {
        "price": "money",
        "quantity": "count",
        "period": "period",
        "furniture_category": "furniture",
        "material": "name",
        "title": "words",
    },
    "event_types": {
        "antiques": {
            "price": ["mandatory", "unique"],
            "period": ["mandatory", "unique"],
            "quantity": ["mandatory", "unique"],
        },
        "furniture": {
            "price": ["mandatory", "unique"],
            "quantity": ["mandatory", "unique"],
            "furniture_category": ["mandatory", "unique"],
            "material": ["optional", "unique"],
        },
        # Ours: everything optional and multiple, to try single cases of the semantics.
        "anything": {
            name: ["optional", "multiple"]
            for name in ("price", "quantity", "period", "furniture_category", "material", "title")
        },
    },
    "version": 1,
}
PAPER_SCHEMA = Schema.from_dict(PAPER)

TAXONOMY: dict[str, Any] = {
    "kind": "hierarchical",
    "values": {"1": None, "2": None, "3": "1", "4": "2", "5": "3", "6": "4", "7": None},
    "labels": {"1": "Home", "2": "Garden", "3": "Lamps", "4": "Lamps", "5": "Desk", "6": "Path", "7": "Desk"},
}


def event(**values: Any) -> Event:
    """An event of the type 'anything' with these values."""
    return PAPER_SCHEMA.validate({"event_type": "anything", **values})


def subscription(text: str) -> Subscription:
    """The subscription over the paper's schema."""
    return parse(text, PAPER_SCHEMA)


def matches(text: str, **values: Any) -> bool:
    """Whether an event with these values matches."""
    return subscription(text).matches(event(**values))


def schema_with(definition: Any) -> Schema:
    """A schema with this domain `d` and an attribute `x` of it."""
    return Schema.from_dict(
        {"domains": {"d": definition}, "attributes": {"x": "d"}, "event_types": {}, "version": 1}
    )


def finite(definition: Any) -> FiniteDomain:
    """The enumerated or hierarchical domain of this definition."""
    domain = schema_with(definition).domain_of["x"]
    assert isinstance(domain, FiniteDomain)
    return domain
