"""What the pages of the schema browser show, made from the schema in memory."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

from schema_registry import domain_wording
from schema_registry.core.definitions import EVENT_TYPE
from schema_registry.core.domains import FiniteDomain, NumericDomain
from schema_registry.core.schema import Schema
from schema_registry.examples import attribute_example, value_example
from schema_registry.name_search import NameSearch
from schema_registry.value_index import NamedValue, index_of, named_values

MOST_NAMES_FOUND = 20
MOST_VALUES_FOUND = 30
MOST_OF_A_DOMAIN = 10
MOST_ATTRIBUTES_ON_A_LINE = 20
MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class AttributeLine:
    """An attribute in a list. In the list of an event type's attributes it has the two marks."""

    name: str
    domain: str
    words: str
    unit: str
    example: str | None
    deprecated: bool
    mandatory: bool = False
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class TypeLine:
    """An event type in a list, with some of its attributes; `more` are left out."""

    name: str
    deprecated: bool
    mandatory: list[AttributeLine]
    optional: list[AttributeLine]
    more: int


@dataclass(frozen=True, slots=True)
class FoundValue:
    domain: str
    value: NamedValue


@dataclass(frozen=True, slots=True)
class Found:
    """What somebody's typing may mean."""

    attributes: list[AttributeLine]
    event_types: list[str]
    values: list[FoundValue]

    def __bool__(self) -> bool:
        return bool(self.attributes or self.event_types or self.values)

    @property
    def count(self) -> int:
        return len(self.attributes) + len(self.event_types) + len(self.values)


def attribute_line(schema: Schema, name: str, marks: tuple[bool, bool] = (False, False)) -> AttributeLine:
    domain = schema.domain_of[name]
    deprecated = name in schema.deprecated.attributes
    return AttributeLine(
        name=name,
        domain=EVENT_TYPE if name == EVENT_TYPE else schema.attributes[name],
        words=domain_wording.kind_in_words(domain),
        unit=(domain.unit or "") if isinstance(domain, NumericDomain) else "",
        example=None if deprecated else attribute_example(schema, name),
        deprecated=deprecated,
        mandatory=marks[0],
        multiple=marks[1],
    )


def type_line(schema: Schema, name: str) -> TypeLine:
    marks = schema.event_types[name].attributes
    shown = mandatory_first(schema, name)[:MOST_ATTRIBUTES_ON_A_LINE]
    lines = [attribute_line(schema, attribute, marks[attribute]) for attribute in shown]
    return TypeLine(
        name,
        name in schema.deprecated.event_types,
        [line for line in lines if line.mandatory],
        [line for line in lines if not line.mandatory],
        len(marks) - len(lines),
    )


def mandatory_first(schema: Schema, event_type: str) -> list[str]:
    """The attributes of an event type: those that it must have, then the others, by name."""
    marks = schema.event_types[event_type].attributes
    return sorted(marks, key=lambda name: (not marks[name][0], name))


def offered_first(names: Iterable[str], deprecated: Collection[str]) -> list[str]:
    """By name, the deprecated ones at the end."""
    return sorted(names, key=lambda name: (name in deprecated, name))


def types_with(schema: Schema, attribute: str) -> list[str]:
    """The event types that carry this attribute; `event_type` itself is in all of them."""
    carrying = (
        name
        for name, each in schema.event_types.items()
        if attribute == EVENT_TYPE or attribute in each.attributes
    )
    return offered_first(carrying, schema.deprecated.event_types)


def attributes_of(schema: Schema, domain: str) -> list[str]:
    """The attributes whose values are in this domain."""
    if domain == EVENT_TYPE:
        return [EVENT_TYPE]
    names = (name for name, own in schema.attributes.items() if own == domain)
    return offered_first(names, schema.deprecated.attributes)


def examples_for(schema: Schema, domain: str, value: str) -> list[str]:
    """Searches for this value, one for each of the first attributes that can have it."""
    offered = [name for name in attributes_of(schema, domain) if name not in schema.deprecated.attributes]
    texts = (value_example(schema, name, value) for name in offered[:MOST_EXAMPLES])
    return [text for text in texts if text is not None]


def found(schema: Schema, typed: str) -> Found:
    """Attributes, event types and values with this in their names; what is deprecated is left out."""
    attributes = _attribute_names(schema).hits(
        typed, most=MOST_NAMES_FOUND, without=schema.deprecated.attributes
    )
    types = schema.domain_of[EVENT_TYPE]
    assert isinstance(types, FiniteDomain)
    return Found(
        [attribute_line(schema, name) for name in attributes],
        index_of(types).hits(typed, most=MOST_NAMES_FOUND, without=schema.deprecated.event_types),
        _found_values(schema, typed),
    )


def _found_values(schema: Schema, typed: str) -> list[FoundValue]:
    hits: list[FoundValue] = []
    for name, domain in schema.domains.items():
        if isinstance(domain, FiniteDomain) and name not in schema.deprecated.domains:
            room = min(MOST_OF_A_DOMAIN, MOST_VALUES_FOUND - len(hits))
            without = schema.deprecated.values.get(name, frozenset())
            values = index_of(domain).hits(typed, most=room, without=without)
            hits += (FoundValue(name, value) for value in named_values(schema, name, values))
            if len(hits) >= MOST_VALUES_FOUND:
                break
    return hits


@lru_cache(maxsize=2)
def _attribute_names(schema: Schema) -> NameSearch:
    """By their own names, then by those of their domains. A schema is a key since identity compares it."""
    names = [(name, name) for name in sorted(schema.domain_of)]
    return NameSearch([*names, *((schema.attributes[name], name) for name in sorted(schema.attributes))])
