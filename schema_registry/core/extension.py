"""The four rules by which a publisher extends the schema (paper 002, section 2.2).

Each returns the next version; every event valid before is valid after. Using a taken name raises
SchemaConflict, referring to a missing one UnknownName, and a malformed definition SchemaError. The cost is
O(names) plus the size of what is added.
"""

from collections.abc import Mapping
from types import MappingProxyType

from schema_registry.core import definitions
from schema_registry.core.definitions import attribute_name
from schema_registry.core.errors import SchemaConflict, SchemaError
from schema_registry.core.event_views import EventType
from schema_registry.core.schema import (
    Schema,
    check_attribute_count,
    known_attribute,
    known_domain,
    read_domain_name,
    read_event_type,
)
from schema_registry.core.wording import shown


def create_domain(schema: Schema, name: str, definition: Mapping[str, object]) -> Schema:
    """Adds a domain. See `equivalent_domains` for the hint that there is one like it."""
    new = read_domain_name(name)
    _refuse_taken("domain", new, schema.domains)
    return schema.evolve(domains={**schema.domains, new: definitions.domain(definition)})


def create_attribute(schema: Schema, name: str, domain: str) -> Schema:
    """Adds an attribute over an existing domain."""
    _refuse_taken("attribute", attribute_name(name), schema.attributes)
    return schema.evolve(attributes={**schema.attributes, name: known_domain(schema.domains, domain)})


def extend_event_type(schema: Schema, event_type: str, attribute: str, multiple: bool = False) -> Schema:
    """Adds an optional attribute to an event type that lacks it."""
    extended = schema.event_type(event_type)
    known_attribute(schema.attributes, attribute)
    if attribute in extended.attributes:
        raise SchemaConflict(f"The event type '{extended.name}' already has the attribute '{attribute}'.")
    if not isinstance(multiple, bool):
        raise SchemaError(f"An attribute is multiple or not: true or false; {shown(multiple)} is neither.")
    attributes = {**extended.attributes, attribute: (False, multiple)}
    check_attribute_count(attributes)
    new = EventType(extended.name, MappingProxyType(attributes))
    return schema.evolve(event_types={**schema.event_types, new.name: new})


def create_event_type(schema: Schema, name: str, attributes: Mapping[str, object]) -> Schema:
    """Adds an event type with `{attribute: [presence, arity]}`."""
    new = read_event_type(name, attributes, schema.attributes)
    _refuse_taken("event type", new.name, schema.event_types)
    return schema.evolve(event_types={**schema.event_types, new.name: new})


def equivalent_domains(schema: Schema, definition: Mapping[str, object]) -> list[str]:
    """The names of the domains that mean the same as this definition. O(domains + size of the like ones)."""
    wanted = definitions.domain(definition)
    return sorted(name for name, domain in schema.domains.items() if domain.same_meaning(wanted))


def _refuse_taken(what: str, name: str, taken: Mapping[str, object]) -> None:
    if name in taken:
        raise SchemaConflict(f"There is already {'an' if what[0] in 'ae' else 'a'} {what} '{name}'.")
