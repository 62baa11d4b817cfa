"""Where a new search may begin: three examples from the schema, with the values of the newest item."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from matching.models import PublishedEvent
from notifications.core.reasons import search_in_words
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import (
    Domain,
    EnumeratedDomain,
    HierarchicalDomain,
    NumericDomain,
    StringDomain,
    TextDomain,
)
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.language import parse
from schema_registry.language.outline import Group, Row, written

MOST = 3
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True, slots=True)
class Example:
    text: str
    words: str


def examples(schema: Schema) -> list[Example]:
    """Three at most, none for an empty schema. One query."""
    newest = PublishedEvent.objects.order_by("-pk").values_list("document", flat=True).first() or {}
    found: dict[str, Example] = {}
    for rows in _ideas(_rows(schema, newest)):
        text = written(Group("all", tuple(rows)))
        try:
            expression = parse(text, schema).expression
        except SubscriptionError:
            continue
        found[text] = Example(text, search_in_words(expression, schema.domain_of))
    return list(found.values())[:MOST]


def _ideas(rows: Mapping[str, list[Row]]) -> Iterator[list[Row]]:
    """A kind of thing up to a price; words; a place or the like with something else."""
    kinds, prices, words = rows["hierarchical"], rows["numeric"], rows["text"]
    others = rows["enumerated"] + rows["string"]
    for first, second in ((kinds, prices), (words, kinds[1:]), (others, prices[1:]), (kinds[1:], others)):
        if first:
            yield [first[0], *second[:1]]


def _rows(schema: Schema, document: Mapping[str, Any]) -> dict[str, list[Row]]:
    """By kind of domain: a row about each attribute, those of the most event types first."""
    types = schema.event_types.values()
    uses = {name: sum(name in each.attributes for each in types) for name in schema.attributes}
    rows: dict[str, list[Row]] = {
        kind.kind: []
        for kind in (HierarchicalDomain, NumericDomain, TextDomain, EnumeratedDomain, StringDomain)
    }
    for name in sorted(uses, key=lambda name: (name not in document, -uses[name])):
        if name in schema.deprecated.attributes or name == EVENT_TYPE:
            continue
        domain = schema.domain_of[name]
        raw = document.get(name)
        row = _row(name, domain, raw[0] if isinstance(raw, list) and raw else raw)
        if row is not None and row.operator in domain.operators:
            rows[domain.kind].append(row)
    return rows


def _row(name: str, domain: Domain, raw: Any) -> Row | None:
    match domain:
        case NumericDomain(unit=str()):
            return Row(name, "<=", (_round(raw if isinstance(raw, int | float) else 100),))
        case HierarchicalDomain():
            value = raw if isinstance(raw, str) else next(iter(domain.identifiers()))
            above = domain.above(value) if value in domain.identifiers() else ()
            return Row(name, "<=", ((value, *above)[min(1, max(0, len(above) - 1))],))
        case TextDomain() if isinstance(raw, str) and (long := _LONG_WORD.findall(raw)):
            return Row(name, "contains", (max(long, key=len).lower(),))
        case EnumeratedDomain():
            return Row(name, "=", (raw if isinstance(raw, str) else next(iter(domain.identifiers())),))
        case StringDomain() if isinstance(raw, str) and 0 < len(raw) <= 30:
            return Row(name, "=", (raw,))
    return None


def _round(number: float) -> str:
    """The next of 1, 2, 5, 10, 20, ... above the number."""
    if number <= 0:
        return "100"
    size = 10 ** floor(log10(number))
    step = next(step for step in (1, 2, 5, 10) if step * size >= number)
    return f"{step * size:g}"
