"""What an administrator may do to the schema beyond the extension rules.

Values may be added, names deprecated and duplicate domains merged. None of these invalidates an event or
changes what a stored subscription means; a change that would do so raises SchemaConflict. In particular
a new value may be related to old ones, but never relate two old ones to each other. Each function
returns the next version, at the cost of reading the changed definition again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from schema_registry.core import definitions
from schema_registry.core.definitions import stored_name
from schema_registry.core.domains import Domain, EnumeratedDomain, FiniteDomain, HierarchicalDomain
from schema_registry.core.errors import SchemaConflict, SchemaError, UnknownName
from schema_registry.core.schema import Deprecations, Schema, known_domain
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_lazy
from schema_registry.core.wording import shown

Section = Literal["domains", "attributes", "event_types"]


def add_values(
    schema: Schema,
    domain: str,
    values: Sequence[str] | Mapping[str, str | None],
    *,
    order: Iterable[Sequence[str]] = (),
    labels: Mapping[str, str] | None = None,
) -> Schema:
    """Adds a list of values, with `order` pairs, or `{value: parent}` when the domain is hierarchical.

    Raises SchemaConflict for a value that is there, for a label of an old value, and for a pair that
    relates two old values, directly or through a new one; SchemaError for malformed input.
    """
    domain = known_domain(schema.domains, domain)
    grown = schema.domains[domain]
    if not isinstance(grown, EnumeratedDomain | HierarchicalDomain):
        raise SchemaConflict(
            _("'{name}' is a {kind} domain, which has no list of values.", name=domain, kind=grown.kind)
        )
    if isinstance(grown, HierarchicalDomain):
        definitions.mapping(values, gettext_lazy("The new values of a hierarchical domain"))
    else:
        definitions.sequence(values, gettext_lazy("The new values of an enumerated domain"))
    what = gettext_lazy("The labels of the new values")
    labels = definitions.mapping({} if labels is None else labels, what)
    for name in values:
        if stored_name(name, grown.identifiers()) is not None:
            raise SchemaConflict(
                _("'{domain}' already has the value {value}.", domain=domain, value=shown(name))
            )
    for name in labels:
        if stored_name(name, grown.identifiers()) is not None:
            raise SchemaConflict(_("The label of {value} stays as it is.", value=shown(name)))
    what = gettext_lazy("A pair of the order")
    pairs = [list(definitions.sequence(pair, what)) for pair in order]
    if pairs and isinstance(grown, HierarchicalDomain):
        raise SchemaError(_("The order of a hierarchical domain is given by the parents of its values."))
    definition = grown.definition()
    if isinstance(grown, HierarchicalDomain):
        definition["values"] |= values
    else:
        definition["values"] += values
        definition["order"] = definition.get("order", []) + pairs
    definition["labels"] = definition.get("labels", {}) | dict(labels)
    new = definitions.domain(definition)
    if isinstance(grown, EnumeratedDomain) and isinstance(new, EnumeratedDomain):
        changed = grown.order.disagreement(new.order, grown.members)
        if changed is not None:
            message = _(
                "This would put '{low}' below '{high}', which changes what subscriptions mean.",
                low=changed[0],
                high=changed[1],
            )
            raise SchemaConflict(message)
    return schema.evolve(domains={**schema.domains, domain: new})


def deprecate(schema: Schema, section: Section, name: str, *, undo: bool = False) -> Schema:
    """Marks a domain, attribute or event type as no longer to be offered, or takes the mark away.

    It goes on working in events and subscriptions. Raises UnknownName, and SchemaConflict when the mark is
    already as wanted.
    """
    stored = stored_name(name, getattr(schema, section))
    if stored is None:
        raise UnknownName(_("{name} is not among the {section}.", name=shown(name), section=section))
    marked = _marked(getattr(schema.deprecated, section), stored, undo)
    marks = {"domains": schema.deprecated.domains, "attributes": schema.deprecated.attributes}
    marks |= {"event_types": schema.deprecated.event_types, section: marked}
    return schema.evolve(deprecated=Deprecations(**marks, values=schema.deprecated.values))


def deprecate_value(schema: Schema, domain: str, value: str, *, undo: bool = False) -> Schema:
    """The same for one value of an enumerated or hierarchical domain."""
    domain = known_domain(schema.domains, domain)
    found = schema.domains[domain]
    stored = stored_name(value, found.identifiers()) if isinstance(found, FiniteDomain) else None
    if stored is None:
        raise UnknownName(_("{value} is not a value of '{domain}'.", value=shown(value), domain=domain))
    marks = schema.deprecated.values
    marked = {**marks, domain: _marked(marks.get(domain, frozenset()), stored, undo)}
    return schema.evolve(deprecated=replace(schema.deprecated, values=MappingProxyType(marked)))


def merge_domains(schema: Schema, kept: str, duplicates: Iterable[str]) -> Schema:
    """Moves the attributes of domains that mean the same to one of them, and removes the others.

    Raises SchemaConflict when a definition differs from that of the kept one.
    """
    kept = known_domain(schema.domains, kept)
    gone = {known_domain(schema.domains, name) for name in duplicates} - {kept}
    for name in sorted(gone):
        if not schema.domains[name].same_meaning(schema.domains[kept]):
            message = _(
                "'{name}' and '{kept}' are not defined alike, so they cannot be merged.", name=name, kept=kept
            )
            raise SchemaConflict(message)
    marks = schema.deprecated
    values = {domain: marked for domain, marked in marks.values.items() if domain not in gone}
    return schema.evolve(
        domains={name: domain for name, domain in schema.domains.items() if name not in gone},
        attributes={name: kept if domain in gone else domain for name, domain in schema.attributes.items()},
        deprecated=Deprecations(
            marks.domains - gone, marks.attributes, marks.event_types, MappingProxyType(values)
        ),
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """The names of one section of the schema that are new, gone, or defined otherwise."""

    section: Section
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def difference(old: Schema, new: Schema) -> list[Difference]:
    """What differs between two versions, section by section. O(size of what they do not share)."""
    found = []
    sections: tuple[tuple[Section, Mapping[str, Any], Mapping[str, Any]], ...] = (
        ("domains", old.domains, new.domains),
        ("attributes", old.attributes, new.attributes),
        ("event_types", old.event_types, new.event_types),
    )
    for section, before, after in sections:
        changed = (name for name in before.keys() & after.keys() if not _same(before[name], after[name]))
        sides = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys()), sorted(changed)
        if any(sides):
            found.append(Difference(section, *map(tuple, sides)))
    return found


def _marked(marks: frozenset[str], name: str, undo: bool) -> frozenset[str]:
    if undo and name not in marks:
        raise SchemaConflict(_("'{name}' is not deprecated.", name=name))
    if not undo and name in marks:
        raise SchemaConflict(_("'{name}' is already deprecated.", name=name))
    return marks - {name} if undo else marks | {name}


def _same(before: object, after: object) -> bool:
    if isinstance(before, Domain) and isinstance(after, Domain):
        return before is after or before.definition() == after.definition()
    return before == after
