"""What can come next: completion for forms and editors.

The text before the cursor is read by the same parser as subscriptions; what the parser could take next
decides what is offered. Names that begin with what is typed are found by bisection, so a domain of
200,000 values is no slower than a small one after its index is made, on first use.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from weakref import WeakKeyDictionary

from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, FiniteDomain
from schema_registry.core.schema import Schema
from schema_registry.language.limits import DEFAULT
from schema_registry.language.parser import read
from schema_registry.language.spelling import spelled

MAX_OFFERS = 50
_SYMBOLS = {"LPAR": "(", "RPAR": ")", "COMMA": ",", "_AND": "and", "_OR": "or", "_NOT": "not"}
_OPERATOR_TERMINALS = {"COMPARATOR", "CONTAINS", "IN", "BETWEEN", "EXISTS"}
_TYPED = re.compile(r"[\w.-]+$|[<>=!]+$")


@dataclass(frozen=True, slots=True)
class Offer:
    """A text to put in; `detail` says more where there is more, such as the path of a value."""

    text: str
    kind: Literal["attribute", "operator", "value", "keyword"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """The offers, and the stretch text[start:end] that the chosen one replaces."""

    start: int
    end: int
    offers: tuple[Offer, ...]


def complete(text: str, cursor: int, schema: Schema) -> Completion:
    """What could stand at the cursor, given the text before it; at most 50 offers, deprecated names left out.

    O(length of the text + attributes + log values). Nothing is offered after a mistake.
    """
    head = text[: max(0, cursor)]
    if len(head) > (DEFAULT.length or 0):
        return Completion(len(head), len(head), ())
    start = _start_of_typed(head)
    reading = read(head[:start])
    if reading.stopped_at is not None:
        return Completion(start, len(head), ())
    typed = head[start:]
    in_quotes = typed[:1] in ("'", '"')
    accepts = reading.accepts()
    attributes = [str(token) for token in reading.tokens if token.type == "NAME"]
    offers: list[Iterable[Offer]] = []
    if "WORD" in accepts and attributes:
        offers.append(_values(schema, attributes[-1], typed.strip("'\"")))
    if not in_quotes:
        if "NAME" in accepts:
            offers.append(_attributes(schema, typed))
        if accepts & _OPERATOR_TERMINALS:
            offers.append(_operators(schema, attributes[-1], typed))
        offers.append(_keywords(accepts, typed))
    found = (offer for kind in offers for offer in kind)
    return Completion(start, len(head), tuple(islice(found, MAX_OFFERS)))


def _start_of_typed(head: str) -> int:
    """Where the unfinished word, symbol or quoted string before the cursor begins."""
    place = read(head).stopped_at
    if place is not None and head[place : place + 1] in ("'", '"'):
        return place
    word = _TYPED.search(head)
    return word.start() if word else len(head)


def _attributes(schema: Schema, typed: str) -> Iterator[Offer]:
    for name in sorted(schema.domain_of):
        if name.startswith(typed) and name not in schema.deprecated.attributes:
            domain = schema.domain_of[name]
            unit = getattr(domain, "unit", None)
            yield Offer(name, "attribute", f"{domain.kind}, {unit}" if unit else domain.kind)


def _operators(schema: Schema, attribute: str, typed: str) -> Iterator[Offer]:
    domain = schema.domain_of.get(attribute)
    for operator in domain.operators if domain is not None else ():
        if operator.startswith(typed.lower()):
            yield Offer(operator, "operator")


def _keywords(accepts: Collection[str], typed: str) -> Iterator[Offer]:
    for terminal, symbol in _SYMBOLS.items():
        if terminal in accepts and symbol.startswith(typed.lower()):
            yield Offer(symbol, "keyword")


def _values(schema: Schema, attribute: str, typed: str) -> Iterator[Offer]:
    """The values whose identifier or label begins with what is typed, in alphabetical order."""
    domain = schema.domain_of.get(attribute)
    if not isinstance(domain, FiniteDomain):
        return
    deprecated = schema.deprecated.event_types
    if attribute != EVENT_TYPE:
        deprecated = schema.deprecated.values.get(schema.attributes[attribute], frozenset())
    index = _index(domain)
    prefix = typed.casefold()
    seen = set()
    for key, value in islice(index, bisect_left(index, (prefix, "")), None):
        if not key.startswith(prefix):
            return
        if value not in seen and value not in deprecated:
            seen.add(value)
            path = domain.path(value)
            yield Offer(spelled(value), "value", "" if path == value else path)


_indexes: WeakKeyDictionary[Domain, list[tuple[str, str]]] = WeakKeyDictionary()


def _index(domain: FiniteDomain) -> list[tuple[str, str]]:
    """Folded identifiers and labels with their values, sorted; made once per domain, O(values log values)."""
    found = _indexes.get(domain)
    if found is None:
        names = {(value.casefold(), value) for value in domain.identifiers()}
        names.update((label.casefold(), value) for value, label in (domain.labels or {}).items())
        found = _indexes[domain] = sorted(names)
    return found
