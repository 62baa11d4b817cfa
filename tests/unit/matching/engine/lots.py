"""A small auction house: lots and searches for them, also such as no text could say."""

from dataclasses import dataclass
from typing import Any

from matching.algorithms.conjunctions import conjunction_holds
from schema_registry.core.events import Event
from schema_registry.core.predicates import Conjunction, Predicate
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription, parse

SCHEMA = Schema.from_dict(
    {
        "domains": {
            "money": {"kind": "numeric"},
            "kind": {
                "kind": "hierarchical",
                "values": {"table": None, "desk": "table", "writing desk": "desk", "chair": None},
            },
            "age": {"kind": "enumerated", "values": ["new", "old"], "order": [["new", "old"]]},
            "name": {"kind": "string"},
            "words": {"kind": "text"},
        },
        "attributes": {
            "price": "money",
            "weight": "money",
            "kind": "kind",
            "age": "age",
            "seller": "name",
            "title": "words",
        },
        "event_types": {
            "lot": {
                name: ["optional", "multiple"]
                for name in ("price", "weight", "kind", "age", "seller", "title")
            }
        },
    }
)


@dataclass(frozen=True, slots=True)
class Wish:
    """A subscription of one conjunction, as the core would judge it."""

    conjunctions: tuple[Conjunction]
    schema: Schema = SCHEMA

    @classmethod
    def of(cls, *predicates: Predicate) -> "Wish":
        return cls((Conjunction.of(predicates),))

    def matches(self, event: Event) -> bool:
        return conjunction_holds(self.conjunctions[0], event, self.schema)


def search(text: str) -> Subscription:
    return parse(text, SCHEMA)


def lot(**values: Any) -> Event:
    return SCHEMA.validate({"event_type": ["lot"], **values})


def raw_lot(**values: tuple[Any, ...]) -> Event:
    """A lot with these values as they are, also such as validation would round or refuse."""
    return Event({"event_type": ("lot",), **values}, {}, SCHEMA)
