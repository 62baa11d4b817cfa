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
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import shown


def create_domain(schema: Schema, name: str, definition: Mapping[str, object]) -> Schema:
    """Adds a domain. See `equivalent_domains` for the hint that there is one like it."""
    new = read_domain_name(name)
    if new in schema.domains:
        raise SchemaConflict(_("There is already a domain '{name}'.", name=new))
    return schema.evolve(domains={**schema.domains, new: definitions.domain(definition)})


def create_attribute(schema: Schema, name: str, domain: str) -> Schema:
    """Adds an attribute over an existing domain."""
    if attribute_name(name) in schema.attributes:
        raise SchemaConflict(_("There is already an attribute '{name}'.", name=name))
    return schema.evolve(attributes={**schema.attributes, name: known_domain(schema.domains, domain)})


def extend_event_type(schema: Schema, event_type: str, attribute: str, multiple: bool = False) -> Schema:
    """Adds an optional attribute to an event type that lacks it."""
    extended = schema.event_type(event_type)
    known_attribute(schema.attributes, attribute)
    if attribute in extended.attributes:
        message = _(
            "The event type '{name}' already has the attribute '{attribute}'.",
            name=extended.name,
            attribute=attribute,
        )
        raise SchemaConflict(message)
    if not isinstance(multiple, bool):
        raise SchemaError(
            _("An attribute is multiple or not: true or false; {value} is neither.", value=shown(multiple))
        )
    attributes = {**extended.attributes, attribute: (False, multiple)}
    check_attribute_count(attributes)
    new = EventType(extended.name, MappingProxyType(attributes))
    return schema.evolve(event_types={**schema.event_types, new.name: new})


def create_event_type(schema: Schema, name: str, attributes: Mapping[str, object]) -> Schema:
    """Adds an event type with `{attribute: [presence, arity]}`."""
    new = read_event_type(name, attributes, schema.attributes)
    if new.name in schema.event_types:
        raise SchemaConflict(_("There is already an event type '{name}'.", name=new.name))
    return schema.evolve(event_types={**schema.event_types, new.name: new})


def equivalent_domains(schema: Schema, definition: Mapping[str, object]) -> list[str]:
    """The names of the domains that mean the same as this definition. O(domains + size of the like ones)."""
    wanted = definitions.domain(definition)
    return sorted(name for name, domain in schema.domains.items() if domain.same_meaning(wanted))
