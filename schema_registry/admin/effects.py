"""What hangs on a part of the schema, in sentences for staff."""

from collections.abc import Collection
from functools import singledispatch
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from schema_registry.core.schema import Schema
from schema_registry.core.wording import said_of
from schema_registry.models import Attribute, Domain, DomainValue, EventType, EventView, SchemaVersion
from schema_registry.signals import ProposedChange
from schema_registry.staff.wording import listed


def attributes_over(schema: Schema, domains: Collection[str]) -> list[str]:
    """The attributes of these domains. O(attributes)."""
    return sorted(name for name, domain in schema.attributes.items() if domain in domains)


def types_with(schema: Schema, attributes: Collection[str]) -> list[str]:
    """The event types that carry one of these attributes. O(event types * attributes)."""
    return sorted(
        name
        for name, event_type in schema.event_types.items()
        if any(attribute in event_type.attributes for attribute in attributes)
    )


@singledispatch
def effects_on(row: Any, schema: Schema) -> list[str]:
    """What uses this row."""
    raise NotImplementedError


@effects_on.register
def _domain(row: Domain, schema: Schema) -> list[str]:
    attributes = attributes_over(schema, {row.name})
    if not attributes:
        return [_("No attribute uses it.")]
    return [_used_by_attributes(attributes), *_events_that_use(types_with(schema, attributes))]


@effects_on.register
def _attribute(row: Attribute, schema: Schema) -> list[str]:
    return [_carried_by(types_with(schema, {row.name})), *_in_views("attributes", row.name)]


@effects_on.register
def _event_type(row: EventType, schema: Schema) -> list[str]:
    event_type = schema.event_types.get(row.name)
    carried = _("Its attributes are %(names)s.") % {
        "names": listed(event_type.attributes if event_type else ())
    }
    return [carried, *_in_views("event_types", row.name)]


@effects_on.register
def _value(row: DomainValue, schema: Schema) -> list[str]:
    below = row.children.count()
    effects = effects_on(row.domain, schema)
    if below:
        sentence = ngettext(
            "The %(count)d value right below it stays as it is.",
            "The %(count)d values right below it stay as they are.",
            below,
        )
        effects = [sentence % {"count": below}, *effects]
    return [_("It is a value of %(domain)s.") % {"domain": row.domain}, *effects]


def proposed(rule: SchemaVersion.Rule, schema: Schema, rows: Collection[Any]) -> ProposedChange:
    """The change to these rows, which are all of one model, with what uses them."""
    names: dict[type, list[str]] = {Domain: [], Attribute: [], EventType: []}
    values: dict[str, tuple[str, ...]] = {}
    for row in rows:
        if isinstance(row, DomainValue):
            values[row.domain.name] = (*values.get(row.domain.name, ()), row.identifier)
        else:
            names[type(row)].append(row.name)
    attributes = sorted({*names[Attribute], *attributes_over(schema, {*names[Domain], *values})})
    event_types = sorted({*names[EventType], *types_with(schema, attributes)})
    return ProposedChange(rule, tuple(names[Domain]), tuple(attributes), tuple(event_types), values)


def _used_by_attributes(names: Collection[str]) -> str:
    sentence = ngettext("The attribute %(names)s uses it.", "The attributes %(names)s use it.", len(names))
    return sentence % {"names": listed(names)}


def _events_that_use(event_types: Collection[str]) -> list[str]:
    if not event_types:
        return []
    return [_("So it occurs in events of type %(names)s.") % {"names": listed(event_types)}]


def _carried_by(event_types: Collection[str]) -> str:
    if not event_types:
        return _("No event type carries it.")
    sentence = ngettext(
        "The event type %(names)s carries it.", "The event types %(names)s carry it.", len(event_types)
    )
    return sentence % {"names": listed(event_types)}


def _in_views(column: str, name: str) -> list[str]:
    # Looked through here, because SQLite cannot look into JSON lists.
    views = EventView.objects.select_related("publisher").order_by("publisher__name", "name")
    found = [said_of(view.publisher, view.name) for view in views if name in getattr(view, column)]
    if not found:
        return []
    sentence = ngettext("It is in the view %(names)s.", "It is in the views %(names)s.", len(found))
    return [sentence % {"names": listed(found)}]
