"""Random schemas, events and subscription texts over the whole language, from a seeded generator.

Everything is drawn from a `random.Random`, so a seed names a case; hypothesis supplies and shrinks the
seeds. Domains are small and constants are shared between events and subscriptions, so that matches,
multi-valued attributes, absent attributes and incomparable values all occur often.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from schema_registry.core import administration, extension
from schema_registry.core.domains import (
    Domain,
    FiniteDomain,
    HierarchicalDomain,
    NumericDomain,
    StringDomain,
    TextDomain,
)
from schema_registry.core.schema import Schema
from schema_registry.language import Limits
from schema_registry.language.normalise import count_conjunctions
from schema_registry.language.parser import syntax_tree

_NUMBERS = (-3, 0, 0.1, 0.5, 1, 1.5, 2, 10, 1e-7, 123456789012345, 2.5e20)
_STRINGS = ("", "a", "aa", "b", "oak", "Oak", "dining table", "it's", 'a"b', "é", "\U0001f600", "not", "007")
_TEXTS = ("Omega Seamaster 300", "omega", "seamaster, steel", "STRASSE straße", "!!!", "", "Ærø 18th")
_WORDS = ("omega", "Seamaster", "300", "steel", "strasse", "'omega seamaster'", "'steel; Omega'", "18th")
_IDENTIFIERS = ("a", "b", "c", "d e", "f>g", "x-1", "in", "h", "'q'", "é")


@dataclass(frozen=True)
class World:
    """A schema with documents that are valid under it and texts that parse or are never satisfiable."""

    schema: Schema
    documents: list[dict[str, Any]]
    texts: list[str]


def worlds(documents: int = 5, texts: int = 5) -> st.SearchStrategy[World]:
    """Worlds from seeds."""
    return st.integers(0, 2**32 - 1).map(lambda seed: random_world(random.Random(seed), documents, texts))


def random_world(rng: random.Random, documents: int = 5, texts: int = 5) -> World:
    """One schema with so many events and subscription texts."""
    schema = Schema.from_dict(random_schema(rng))
    return World(
        schema,
        [random_document(rng, schema) for _ in range(documents)],
        [random_text(rng, schema) for _ in range(texts)],
    )


def random_schema(rng: random.Random) -> dict[str, Any]:
    """A schema as a dict: every kind of domain, two to four event types, five to nine attributes."""
    domains: dict[str, dict[str, Any]] = {
        "number": {"kind": "numeric"},
        "bounded": {"kind": "numeric", "min": 0, "max": 10, "unit": "EUR"},
        "name": {"kind": "string"},
        "words": {"kind": "text"},
        "plain": {"kind": "enumerated", "values": _some(rng, _IDENTIFIERS)},
        "partial": _partial_order(rng),
        "tree": _tree(rng),
    }
    if rng.random() < 0.3:
        domains["restricted"] = {
            "kind": "numeric",
            "operators": rng.choice([["<"], ["=", "<="], ["in"], ["!="]]),
        }
    if rng.random() < 0.3:
        domains["unequal"] = {**_tree(rng), "operators": rng.choice([["<", "exists"], ["in", ">="], ["!="]])}
    names = list(domains) + rng.choices(list(domains), k=2)
    attributes = {f"{name}_{number}": name for number, name in enumerate(names)}
    event_types = {
        f"type {number}": {
            attribute: [rng.choice(["optional", "optional", "mandatory"]), rng.choice(["unique", "multiple"])]
            for attribute in _some(rng, tuple(attributes))
        }
        for number in range(rng.randint(2, 4))
    }
    return {
        "domains": domains,
        "attributes": attributes,
        "event_types": event_types,
        "version": rng.randint(1, 5),
    }


def _partial_order(rng: random.Random) -> dict[str, Any]:
    values = _some(rng, _IDENTIFIERS)
    pairs = [[low, high] for i, low in enumerate(values) for high in values[i + 1 :]]
    definition: dict[str, Any] = {"kind": "enumerated", "values": rng.sample(values, len(values))}
    if rng.random() < 0.9:
        definition["order"] = rng.sample(pairs, rng.randint(1, min(len(pairs), 4)))
    return definition


def _tree(rng: random.Random) -> dict[str, Any]:
    values = _some(rng, _IDENTIFIERS)
    parents = {value: rng.choice([None, *values[:i]]) for i, value in enumerate(values)}
    definition: dict[str, Any] = {"kind": "hierarchical", "values": parents}
    if rng.random() < 0.3:
        definition["labels"] = {value: rng.choice(["Lamps", "Tables", f"L {value}"]) for value in values}
    return definition


def random_document(rng: random.Random, schema: Schema) -> dict[str, Any]:
    """An event as a dict, valid under the schema."""
    types = rng.sample(sorted(schema.event_types), rng.randint(1, min(2, len(schema.event_types))))
    document: dict[str, Any] = {"event_type": types}
    for name, (mandatory, multiple) in schema.view(types).attributes.items():
        if mandatory or rng.random() < 0.7:
            values = [random_value(rng, schema.domain_of[name]) for _ in range(rng.choice([1, 2, 3]))]
            document[name] = values if multiple else values[0]
        elif rng.random() < 0.2:
            document[name] = rng.choice([None, []])
    return document


def random_value(rng: random.Random, domain: Domain) -> Any:
    """What an event may carry for an attribute of this domain."""
    if isinstance(domain, FiniteDomain):
        return rng.choice(list(domain.identifiers()))
    if isinstance(domain, NumericDomain):
        low, high = domain.low, domain.high
        return rng.choice([n for n in _NUMBERS if (low is None or n >= low) and (high is None or n <= high)])
    return rng.choice(_TEXTS if isinstance(domain, TextDomain) else _STRINGS)


def random_text(rng: random.Random, schema: Schema, depth: int = 3) -> str:
    """A subscription text that follows the grammar and the schema, within limits; it may be unsatisfiable."""
    text = _random_expression(rng, schema, depth)
    while count_conjunctions(syntax_tree(text)) > Limits().conjunctions:
        text = _random_expression(rng, schema, depth)
    return text


def _random_expression(rng: random.Random, schema: Schema, depth: int) -> str:
    if depth == 0 or rng.random() < 0.3:
        return _random_test(rng, schema)
    shape = rng.random()
    if shape < 0.2:
        return f"{rng.choice(['not', 'NOT', ' Not'])} ({_random_expression(rng, schema, depth - 1)})"
    if shape < 0.3:
        return f"not {_random_test(rng, schema)}"
    parts = [_random_expression(rng, schema, depth - 1) for _ in range(rng.choice([2, 2, 3]))]
    if shape < 0.75:
        return rng.choice([" and ", "\n AND "]).join(f"({part})" for part in parts)
    return rng.choice([" or ", " OR\t"]).join(rng.choice([part, f"({part})"]) for part in parts)


def _random_test(rng: random.Random, schema: Schema) -> str:
    attribute = rng.choice([name for name in schema.domain_of if name != "event_type"] + ["event_type"] * 2)
    domain = schema.domain_of[attribute]
    operator = rng.choice(domain.operators)
    match operator:
        case "exists":
            return f"{attribute} exists"
        case "in":
            values = ", ".join(_constant(rng, domain) for _ in range(rng.randint(1, 3)))
            return f"{attribute} IN ({values})"
        case "between":
            return f"{attribute} between {_constant(rng, domain)} and {_constant(rng, domain)}"
    return f"{attribute} {operator} {_constant(rng, domain)}"


def _constant(rng: random.Random, domain: Domain) -> str:
    if isinstance(domain, TextDomain):
        return rng.choice(_WORDS)
    text = domain.text(domain.event_value(random_value(rng, domain)))
    if isinstance(domain, StringDomain | FiniteDomain):
        quote = rng.choice("'\"")
        return f"{quote}{text.replace(quote, quote * 2)}{quote}"
    return text


def _some(rng: random.Random, values: tuple[str, ...]) -> list[str]:
    return rng.sample(values, rng.randint(2, min(5, len(values))))


def _create_domain(schema: Schema, rng: random.Random, new: str) -> Schema:
    like = schema.domains[rng.choice(sorted(schema.domains))]
    return extension.create_domain(schema, rng.choice([new, f"{new} e\u0301"]), like.definition())


def _create_attribute(schema: Schema, rng: random.Random, new: str) -> Schema:
    return extension.create_attribute(schema, new, rng.choice(sorted(schema.domains)))


def _extend_event_type(schema: Schema, rng: random.Random, new: str) -> Schema:
    event_type, attribute = rng.choice(sorted(schema.event_types)), rng.choice(sorted(schema.attributes))
    return extension.extend_event_type(schema, event_type, attribute, multiple=rng.random() < 0.5)


def _create_event_type(schema: Schema, rng: random.Random, new: str) -> Schema:
    marks = [rng.choice(["mandatory", "optional"]), rng.choice(["unique", "multiple"])]
    return extension.create_event_type(schema, new, {rng.choice(sorted(schema.attributes)): marks})


def _add_values(schema: Schema, rng: random.Random, new: str) -> Schema:
    name = rng.choice([name for name, domain in schema.domains.items() if isinstance(domain, FiniteDomain)])
    domain = schema.domains[name]
    assert isinstance(domain, FiniteDomain)
    old = rng.choice(list(domain.identifiers()))
    labels = rng.choice([None, {}, {new: "Lamps"}])
    if isinstance(domain, HierarchicalDomain):
        return administration.add_values(schema, name, {new: rng.choice([None, old])}, labels=labels)
    order = rng.choice([[], [[new, old]], [[old, new]]])
    return administration.add_values(schema, name, [new], order=order, labels=labels)


def _deprecate(schema: Schema, rng: random.Random, new: str) -> Schema:
    section: administration.Section = rng.choice(["domains", "attributes", "event_types"])
    name = rng.choice(sorted(getattr(schema, section)))
    return administration.deprecate(schema, section, name, undo=rng.random() < 0.3)


def _deprecate_value(schema: Schema, rng: random.Random, new: str) -> Schema:
    name = rng.choice([name for name, domain in schema.domains.items() if isinstance(domain, FiniteDomain)])
    domain = schema.domains[name]
    assert isinstance(domain, FiniteDomain)
    value = rng.choice(list(domain.identifiers()))
    return administration.deprecate_value(schema, name, value, undo=rng.random() < 0.3)


def _merge_domains(schema: Schema, rng: random.Random, new: str) -> Schema:
    return administration.merge_domains(
        schema, rng.choice(sorted(schema.domains)), rng.sample(sorted(schema.domains), 1)
    )


STEPS: tuple[Callable[[Schema, random.Random, str], Schema], ...] = (
    _create_domain,
    _create_attribute,
    _extend_event_type,
    _create_event_type,
    _add_values,
    _deprecate,
    _deprecate_value,
    _merge_domains,
)
"""Every way to the next version; each may raise SchemaConflict. The name given is new."""
