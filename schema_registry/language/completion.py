"""What can come next: completion for forms and editors.

The text before the cursor is read by the same parser as subscriptions; what the parser could take next
decides what is offered. Names that begin with what is typed are found by bisection, so a domain of
200,000 values is no slower than a small one after its index is made, on first use.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from weakref import WeakKeyDictionary

from lark import Token

from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import Domain, FiniteDomain
from schema_registry.core.operators import Argument, OperatorDeclaration
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import again
from schema_registry.language.limits import DEFAULT
from schema_registry.language.operator_checker import fits
from schema_registry.language.parser import read
from schema_registry.language.spelling import spelled

MAX_OFFERS = 50
_SYMBOLS = {"LPAR": "(", "RPAR": ")", "COMMA": ",", "_AND": "and", "_OR": "or", "_NOT": "not"}
_COMPARATORS = ("=", "!=", "<", "<=", ">", ">=")
_TYPED = re.compile(r"\?\w*$|[\w.-]+$|[<>=!]+$")


@dataclass(frozen=True, slots=True)
class Offer:
    """A text to put in; `detail` says more where there is more, such as the path of a value."""

    text: str
    kind: Literal["attribute", "operator", "value", "keyword", "call", "variable"]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """The offers, and the stretch text[start:end] that the chosen one replaces."""

    start: int
    end: int
    offers: tuple[Offer, ...]


def complete(
    text: str, cursor: int, schema: Schema, operators: Mapping[str, OperatorDeclaration] | None = None
) -> Completion:
    """What could stand at the cursor, given the text before it; at most 50 offers, deprecated names left out.

    `operators` are those that may be called. O(length of the text + attributes + log values). Nothing is
    offered after a mistake.
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
    names = [str(token) for token in reading.tokens if token.type == "NAME"]
    known = {} if operators is None else operators
    found: Iterable[Offer] = ()
    if "WORD" in accepts and names:
        found = _values(schema, names[-1], typed.strip("'\""))
    elif not in_quotes:
        call = _open_call(reading.tokens)
        if call is None:
            found = _outside_calls(reading.tokens, accepts, typed, schema, known)
        elif call[0] in known:
            argument = known[call[0]].arguments[call[1] :]
            found = _in_a_call(reading.tokens, accepts, typed, schema, argument)
    return Completion(start, len(head), tuple(islice(found, MAX_OFFERS)))


def _start_of_typed(head: str) -> int:
    """Where the unfinished word, symbol or quoted string before the cursor begins."""
    place = read(head).stopped_at
    if place is not None and head[place : place + 1] in ("'", '"'):
        return place
    word = _TYPED.search(head)
    return word.start() if word else len(head)


def _open_call(tokens: Sequence[Token]) -> tuple[str, int] | None:
    """The operator whose parenthesis is open, and how many arguments are before the cursor's."""
    opened: list[tuple[str, int] | None] = []
    before: Token | None = None
    for token in tokens:
        match token.type:
            case "LPAR":
                opened.append((str(before), 0) if before is not None and before.type == "NAME" else None)
            case "RPAR":
                opened.pop()
            case "COMMA" if opened and opened[-1] is not None:
                operator, place = opened[-1]
                opened[-1] = operator, place + 1
        before = token
    return opened[-1] if opened else None


def _in_a_call(
    tokens: Sequence[Token], accepts: frozenset[str], typed: str, schema: Schema, left: Sequence[Argument]
) -> Iterator[Offer]:
    """What fits the first of the arguments that are left, or what comes after it."""
    if "VARIABLE" not in accepts:
        yield from _keywords({"COMMA"} if len(left) > 1 else {"RPAR"}, typed)
    elif left and left[0].is_result:
        yield from _variables(tokens, typed, own=left[0].name)
    elif left:
        for offer in _attributes(schema, typed):
            if fits(schema.domain_of[offer.text], left[0]):
                yield offer


def _outside_calls(
    tokens: Sequence[Token],
    accepts: frozenset[str],
    typed: str,
    schema: Schema,
    operators: Mapping[str, OperatorDeclaration],
) -> Iterator[Offer]:
    if "NAME" in accepts:
        yield from _attributes(schema, typed)
        yield from _calls(operators, typed)
    if "VARIABLE" in accepts:
        yield from _variables(tokens, typed)
    if "EXISTS" in accepts:
        attribute = str(tokens[-1])
        yield from _operators(schema, attribute, typed)
        if attribute not in operators:
            accepts -= {"LPAR"}
    elif "COMPARATOR" in accepts:
        yield from (Offer(each, "operator") for each in _COMPARATORS if each.startswith(typed))
    yield from _keywords(accepts, typed)


def _calls(operators: Mapping[str, OperatorDeclaration], typed: str) -> Iterator[Offer]:
    for name in sorted(operators):
        if name.startswith(typed):
            signature, description = operators[name].signature, again(operators[name].description)
            yield Offer(f"{name}(", "call", f"{signature}: {description}" if description else signature)


def _variables(tokens: Sequence[Token], typed: str, own: str = "") -> Iterator[Offer]:
    """Those of the text so far, and one called after the result that it would stand for."""
    found = dict.fromkeys(str(token) for token in tokens if token.type == "VARIABLE")
    for name in dict.fromkeys([f"?{own}", *found]) if own else found:
        if name.startswith(typed):
            yield Offer(name, "variable")


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
