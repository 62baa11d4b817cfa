"""A second reading of when an event matches, by brute force over all bindings, that shares no code with
the first.

It walks the syntax tree as written, tries every binding of every attribute, and judges values by the
schema's dict: decimals by `Decimal`, orders by searching the pairs, hierarchies by climbing the parents.
"""

import unicodedata
from decimal import Decimal
from itertools import product
from typing import Any

from lark import Token

from schema_registry.language.ast import And, Not, Or, Syntax, Test
from schema_registry.language.parser import syntax_tree

Binding = dict[str, Any]


def reference_matches(text: str, document: dict[str, Any], schema: dict[str, Any]) -> bool:
    """Whether some binding makes the text true of the event."""
    tree = syntax_tree(text)
    event = {
        name: values for name, raw in document.items() if (values := _values(name, raw, schema)) is not None
    }
    mentioned = sorted(name for name in _attributes(tree) if event.get(name))
    for choice in product(*(sorted(event[name]) for name in mentioned)):
        if _true(tree, False, dict(zip(mentioned, choice, strict=True)), event, schema):
            return True
    return False


def _values(name: str, raw: Any, schema: dict[str, Any]) -> set[Any] | None:
    listed = raw if isinstance(raw, list) else [raw]
    if raw is None or not listed:
        return None
    kind = _definition(name, schema)["kind"]
    if kind == "text":
        return {word for text in listed for word in _words(text)}
    return {_value(kind, str(value)) for value in listed}


def _attributes(tree: Syntax) -> set[str]:
    match tree:
        case And(parts) | Or(parts):
            return {name for part in parts for name in _attributes(part)}
        case Not(part):
            return _attributes(part)
    assert isinstance(tree, Test), "operators have a second reading of their own"
    return {str(tree.attribute)}


def _true(
    tree: Syntax, negated: bool, binding: Binding, event: dict[str, set[Any]], schema: dict[str, Any]
) -> bool:
    match tree:
        case Not(part):
            return _true(part, not negated, binding, event, schema)
        case And(parts):
            truths = [_true(part, negated, binding, event, schema) for part in parts]
            return any(truths) if negated else all(truths)
        case Or(parts):
            truths = [_true(part, negated, binding, event, schema) for part in parts]
            return all(truths) if negated else any(truths)
    assert isinstance(tree, Test)
    if tree.operator.lower() == "exists":
        return (str(tree.attribute) in event) != negated
    if str(tree.attribute) not in event:
        return False
    return _test(tree, binding, event, schema) != negated


def _test(test: Test, binding: Binding, event: dict[str, set[Any]], schema: dict[str, Any]) -> bool:
    name, operator = str(test.attribute), test.operator.lower()
    definition = _definition(name, schema)
    if definition["kind"] == "text":
        return _words(_plain(test.values[0])) <= event[name]
    constants = [_value(definition["kind"], _plain(token)) for token in test.values]
    if operator == "contains":
        return constants[0] in event[name]
    bound = binding[name]
    match operator:
        case "=":
            return bool(bound == constants[0])
        case "!=":
            return bool(bound != constants[0])
        case "in":
            return bound in constants
        case "<":
            return bound != constants[0] and _at_most(bound, constants[0], definition)
        case "<=":
            return _at_most(bound, constants[0], definition)
        case ">":
            return bound != constants[0] and _at_most(constants[0], bound, definition)
        case ">=":
            return _at_most(constants[0], bound, definition)
        case "between":
            return _at_most(constants[0], bound, definition) and _at_most(bound, constants[1], definition)
    raise AssertionError(operator)


def _at_most(low: Any, high: Any, definition: dict[str, Any]) -> bool:
    if definition["kind"] in ("numeric", "string"):
        return bool(low <= high)
    if low == high:
        return True
    if definition["kind"] == "hierarchical":
        parent = definition["values"][low]
        return parent is not None and _at_most(parent, high, definition)
    return any(
        _at_most(above, high, definition) for below, above in definition.get("order", ()) if below == low
    )


def _definition(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    if name == "event_type":
        return {"kind": "enumerated", "values": list(schema["event_types"])}
    found: dict[str, Any] = schema["domains"][schema["attributes"][name]]
    return found


def _value(kind: str, text: str) -> Any:
    return Decimal(text) if kind == "numeric" else unicodedata.normalize("NFC", text)


def _words(text: str) -> set[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return set("".join(letter if letter.isalnum() else " " for letter in folded).split())


def _plain(token: Token) -> str:
    return token[1:-1].replace(token[0] * 2, token[0]) if token.type == "STRING" else str(token)
