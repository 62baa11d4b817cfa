"""The integrated event schema: domains, attributes and event types, as one immutable value.

`Schema.from_dict` reads and checks the whole; `evolve` makes the next version from checked parts and
shares everything that did not change, so a version costs O(names), not O(values).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from schema_registry.core import definitions, events
from schema_registry.core.definitions import EVENT_TYPE, mapping, sequence
from schema_registry.core.domains import Domain, EnumeratedDomain, FiniteDomain
from schema_registry.core.errors import SchemaError, UnknownName
from schema_registry.core.event_views import EventType, View, largest_view, smaller_view
from schema_registry.core.nearest import nearest
from schema_registry.core.sentences import LazyText, gettext_lazy
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import did_you_mean, shown

MAX_DOMAINS = 5_000
MAX_ATTRIBUTES = 20_000
MAX_EVENT_TYPES = 5_000
MAX_ATTRIBUTES_OF_A_TYPE = 1_000
_MAX_CACHED_VIEWS = 1_024
_SECTIONS = ("domains", "attributes", "event_types")
_CAPS = dict(zip(_SECTIONS, (MAX_DOMAINS, MAX_ATTRIBUTES, MAX_EVENT_TYPES), strict=True))


@dataclass(frozen=True, slots=True)
class Deprecations:
    """Names that still work everywhere but are no longer offered to people."""

    domains: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    event_types: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        sections: dict[str, Any] = {name: sorted(getattr(self, name)) for name in _SECTIONS}
        sections["values"] = {domain: sorted(values) for domain, values in self.values.items() if values}
        return {name: section for name, section in sections.items() if section}


@dataclass(frozen=True, slots=True, eq=False)
class Schema:
    """One version of the schema. Build it with `from_dict` or `evolve`.

    `domain_of` gives each attribute's domain, `event_type` included; `attributes` names the domains and
    leaves `event_type` out, as in the dict.
    """

    version: int
    domains: Mapping[str, Domain]
    attributes: Mapping[str, str]
    event_types: Mapping[str, EventType]
    deprecated: Deprecations
    domain_of: Mapping[str, Domain]
    _views: dict[object, View] = field(default_factory=dict, repr=False)

    @classmethod
    def from_dict(cls, document: object) -> "Schema":
        """The schema that the dict describes, checked whole. O(size). Raises SchemaError."""
        parts = mapping(document, gettext_lazy("A schema"))
        definitions.known_keys(parts, (*_SECTIONS, "version", "deprecated"), gettext_lazy("The schema"))
        version = parts.get("version", 1)
        if type(version) is not int or version < 1:
            raise SchemaError(
                _("The version of a schema is a positive integer; {value} is not.", value=shown(version))
            )
        domains: dict[str, Domain] = {}
        for name, definition in _section(parts, "domains").items():
            domains[_once(read_domain_name(name), domains)] = _read_domain(name, definition)
        attributes = {
            definitions.attribute_name(name): known_domain(domains, domain)
            for name, domain in _section(parts, "attributes").items()
        }
        event_types: dict[str, EventType] = {}
        for name, definition in _section(parts, "event_types").items():
            event_type = read_event_type(name, definition, attributes)
            event_types[_once(event_type.name, event_types)] = event_type
        deprecated = _read_deprecations(parts.get("deprecated"), domains, attributes, event_types)
        return cls._assemble(version, domains, attributes, event_types, deprecated)

    @classmethod
    def _assemble(
        cls,
        version: int,
        domains: Mapping[str, Domain],
        attributes: Mapping[str, str],
        event_types: Mapping[str, EventType],
        deprecated: Deprecations,
    ) -> "Schema":
        for name, section in (("domains", domains), ("attributes", attributes), ("event_types", event_types)):
            _check_size(section, name)
        domain_of = {name: domains[domain] for name, domain in attributes.items()}
        domain_of[EVENT_TYPE] = EnumeratedDomain(members=MappingProxyType(dict.fromkeys(event_types)))
        return cls(
            version,
            MappingProxyType(domains),
            MappingProxyType(attributes),
            MappingProxyType(event_types),
            deprecated,
            MappingProxyType(domain_of),
        )

    def evolve(
        self,
        *,
        domains: Mapping[str, Domain] | None = None,
        attributes: Mapping[str, str] | None = None,
        event_types: Mapping[str, EventType] | None = None,
        deprecated: Deprecations | None = None,
    ) -> "Schema":
        """The next version, with these parts in place of the present ones.

        Of the parts only the sizes are checked: SchemaError when one is over its cap.
        """
        return self._assemble(
            self.version + 1,
            dict(self.domains if domains is None else domains),
            dict(self.attributes if attributes is None else attributes),
            dict(self.event_types if event_types is None else event_types),
            self.deprecated if deprecated is None else deprecated,
        )

    def to_dict(self) -> dict[str, Any]:
        """The dict it was read from, up to order; parts that were given empty are left out. O(size)."""
        document: dict[str, Any] = {
            "domains": {name: domain.definition() for name, domain in self.domains.items()},
            "attributes": dict(self.attributes),
            "event_types": {
                name: {attribute: annotations(*marks) for attribute, marks in event_type.attributes.items()}
                for name, event_type in self.event_types.items()
            },
            "version": self.version,
        }
        deprecated = self.deprecated.to_dict()
        return {**document, "deprecated": deprecated} if deprecated else document

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema.from_dict, (self.to_dict(),)

    def event_type(self, name: str) -> EventType:
        """The event type of this name; raises UnknownName."""
        stored = definitions.stored_name(name, self.event_types)
        if stored is None:
            suggestion = nearest(str(name), self.event_types)
            message = _("There is no event type {name}.", name=shown(name))
            raise UnknownName(message + did_you_mean(suggestion))
        return self.event_types[stored]

    def attribute_set(self, event_type: str) -> frozenset[str]:
        """The attributes of an event type; raises UnknownName."""
        return self.event_type(event_type).attribute_set

    def mandatory_set(self, event_type: str) -> frozenset[str]:
        """The mandatory attributes of an event type; raises UnknownName."""
        return self.event_type(event_type).mandatory_set

    def unique_set(self, event_type: str) -> frozenset[str]:
        """The attributes of an event type that take one value; raises UnknownName."""
        return self.event_type(event_type).unique_set

    def view(self, event_types: Iterable[str], attributes: Collection[str] | None = None) -> View:
        """The largest view of these event types, or the smaller one with these attributes.

        O(attributes) the first time, then O(1). Raises UnknownName, and SchemaError when there is no event
        type or a mandatory attribute is left out.
        """
        try:
            types = frozenset((event_types,) if isinstance(event_types, str) else event_types)
            key = types if attributes is None else (types, frozenset(attributes))
        except TypeError:
            raise SchemaError(_("The event types and the attributes of a view are lists of names.")) from None
        found = self._views.get(key)
        if found is None:
            if not types:
                raise SchemaError(_("A view has at least one event type."))
            found = largest_view([self.event_type(name) for name in sorted(types, key=str)], self.domain_of)
            if attributes is not None:
                found = smaller_view(found, attributes)
            if len(self._views) >= _MAX_CACHED_VIEWS:
                self._views.clear()
            self._views[key] = found
        return found

    def validate(self, document: object, *, view: View | None = None) -> events.Event:
        """The event that the dict describes, against the largest view of its types or the one given.

        Raises InvalidEvent with all violations of R1, R2 and R3.
        """
        return events.validate(self, document, view)


def annotations(mandatory: bool, multiple: bool) -> list[str]:
    """The two marks of an attribute, as the dict writes them."""
    return ["mandatory" if mandatory else "optional", "multiple" if multiple else "unique"]


def read_domain_name(name: object) -> str:
    """The name of a domain, checked."""
    checked = definitions.section_name(name, gettext_lazy("The name of a domain"))
    if checked == EVENT_TYPE:
        raise SchemaError(_("'event_type' is the domain of event types and cannot be defined."))
    return checked


def known_domain(domains: Collection[str], name: object) -> str:
    """The name as it is kept, if it is a domain's; raises UnknownName."""
    stored = definitions.stored_name(name, domains)
    if stored is None:
        suggestion = nearest(name, domains) if isinstance(name, str) else None
        raise UnknownName(_("There is no domain {name}.", name=shown(name)) + did_you_mean(suggestion))
    return stored


def known_attribute(attributes: Collection[str], name: object) -> str:
    """The name itself if it is an attribute's; raises UnknownName."""
    if not isinstance(name, str) or name not in attributes:
        if name == EVENT_TYPE:
            raise SchemaError(_("Every event carries 'event_type'; it is not listed among the attributes."))
        suggestion = nearest(name, attributes) if isinstance(name, str) else None
        raise UnknownName(_("There is no attribute {name}.", name=shown(name)) + did_you_mean(suggestion))
    return name


def read_event_type(name: object, definition: object, attributes: Collection[str]) -> EventType:
    """An event type from `{attribute: [presence, arity]}`. Raises SchemaError, UnknownName."""
    checked = definitions.section_name(name, gettext_lazy("The name of an event type"))
    marks = mapping(definition, gettext_lazy("The event type '{name}'", name=checked))
    check_attribute_count(marks)
    return EventType(
        checked,
        MappingProxyType(
            {
                known_attribute(attributes, attribute): _read_marks(attribute, raw)
                for attribute, raw in marks.items()
            }
        ),
    )


def check_attribute_count(attributes: Collection[object]) -> None:
    """Raises SchemaError when an event type cannot have so many attributes."""
    if len(attributes) > MAX_ATTRIBUTES_OF_A_TYPE:
        raise SchemaError(_("An event type has at most {most:,} attributes.", most=MAX_ATTRIBUTES_OF_A_TYPE))


def _read_marks(attribute: str, raw: object) -> tuple[bool, bool]:
    marks = tuple(sequence(raw, gettext_lazy("What is said of '{attribute}'", attribute=attribute)))
    for mandatory in (True, False):
        for multiple in (True, False):
            if marks == tuple(annotations(mandatory, multiple)):
                return mandatory, multiple
    message = _(
        "'{attribute}' is marked with [mandatory or optional, unique or multiple], not with {marks}.",
        attribute=attribute,
        marks=shown(raw),
    )
    raise SchemaError(message)


def _section(parts: Mapping[str, Any], name: str) -> Mapping[Any, Any]:
    section = mapping(parts.get(name, {}), f"'{name}'")
    _check_size(section, name)
    return section


def _check_size(section: Collection[object], name: str) -> None:
    if len(section) > _CAPS[name]:
        message = _(
            "A schema has at most {most:,} {section}; this one has {count:,}.",
            most=_CAPS[name],
            section=name,
            count=len(section),
        )
        raise SchemaError(message)


def _once(name: str, taken: Collection[str]) -> str:
    """Two keys of a dict may still be the same name, once they are in NFC."""
    if name in taken:
        raise SchemaError(_("The name '{name}' is given twice.", name=name))
    return name


def _read_domain(name: object, definition: object) -> Domain:
    try:
        return definitions.domain(definition)
    except SchemaError as error:
        raise SchemaError(_("Domain {name}: {why}", name=shown(name), why=error)) from None


def _read_deprecations(
    raw: object,
    domains: Mapping[str, Domain],
    attributes: Mapping[str, str],
    event_types: Mapping[str, EventType],
) -> Deprecations:
    if raw is None:
        return Deprecations()
    parts = mapping(raw, "'deprecated'")
    definitions.known_keys(parts, (*_SECTIONS, "values"), "'deprecated'")
    names: dict[str, frozenset[str]] = {}
    for section, known in (("domains", domains), ("attributes", attributes), ("event_types", event_types)):
        names[section] = _known_names(parts.get(section, ()), known, section)
    values: dict[str, frozenset[str]] = {}
    for domain, listed in mapping(parts.get("values", {}), gettext_lazy("The deprecated values")).items():
        name = known_domain(domains, domain)
        found = domains[name]
        known_values = found.identifiers() if isinstance(found, FiniteDomain) else {}
        what = gettext_lazy("values of '{name}'", name=name)
        values[_once(name, values)] = _known_names(listed, known_values, what)
    return Deprecations(**names, values=MappingProxyType(values))


def _known_names(raw: object, known: Collection[str], what: LazyText | str) -> frozenset[str]:
    names = set()
    for name in sequence(raw, gettext_lazy("The deprecated {what}", what=what)):
        stored = definitions.stored_name(name, known)
        if stored is None:
            raise UnknownName(
                _("{name} is marked deprecated but is not among the {what}.", name=shown(name), what=what)
            )
        names.add(stored)
    return frozenset(names)
