"""Writing parts of a schema version as rows. `services` decides what and when; `selectors` reads them."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from schema_registry.core.definitions import MAX_IDENTIFIER
from schema_registry.core.domains import EnumeratedDomain, FiniteDomain, HierarchicalDomain
from schema_registry.core.errors import SchemaConflict
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.models import (
    Attribute,
    Deprecation,
    Domain,
    DomainValue,
    EventType,
    EventTypeAttribute,
    OrderPair,
)

_IN_OTHER_TABLES = ("kind", "values", "labels", "order")
_ROWS_AT_ONCE = 500


def write_domain(new: Schema, name: str) -> None:
    domain = new.domains[name]
    if Domain.objects.filter(name=name).exists():  # a merged one: of the others the core knows
        raise SchemaConflict(
            _("There was a domain '{name}', which was merged; its name stays taken.", name=name)
        )
    details = {key: part for key, part in domain.definition().items() if key not in _IN_OTHER_TABLES}
    Domain.objects.create(name=name, kind=domain.kind, details=details, since=new.version)
    if isinstance(domain, FiniteDomain):
        write_values(new, name, list(domain.identifiers()))


def write_attribute(new: Schema, name: str) -> None:
    domain = Domain.objects.get(name=new.attributes[name])
    Attribute.objects.create(name=name, domain=domain, since=new.version)


def write_event_type(new: Schema, name: str) -> None:
    EventType.objects.create(name=name, since=new.version)
    write_attributes_of(new, name, list(new.event_types[name].attributes))


def write_attributes_of(new: Schema, event_type: str, names: Sequence[str]) -> None:
    row = EventType.objects.get(name=event_type)
    attributes = Attribute.objects.in_bulk(names, field_name="name")
    marks = new.event_types[event_type].attributes
    EventTypeAttribute.objects.bulk_create(
        EventTypeAttribute(
            event_type=row,
            attribute=attributes[name],
            mandatory=marks[name][0],
            multiple=marks[name][1],
            since=new.version,
        )
        for name in names
    )


def write_values(new: Schema, name: str, values: Sequence[str]) -> None:
    """These values of a domain, parents before children, and the order pairs that mention one of them."""
    domain, row = new.domains[name], Domain.objects.get(name=name)
    assert isinstance(domain, FiniteDomain)
    labels = domain.labels or {}
    parents = domain.forest.parents if isinstance(domain, HierarchicalDomain) else {}
    ids: dict[str | None, int] = dict(
        DomainValue.objects.filter(domain=row).values_list("identifier", "pk")  # those that were there before
    )
    for level in _levels(values, parents):
        stored = DomainValue.objects.bulk_create(
            [
                DomainValue(
                    domain=row,
                    identifier=value,
                    label=labels.get(value, ""),
                    parent_id=ids.get(parents.get(value)),
                    since=new.version,
                )
                for value in level
            ],
            batch_size=_ROWS_AT_ONCE,
        )
        ids |= {value.identifier: value.pk for value in stored}
    if isinstance(domain, EnumeratedDomain):
        added = set(values)
        OrderPair.objects.bulk_create(
            (
                OrderPair(lower_id=ids[low], higher_id=ids[high], since=new.version)
                for low, high in domain.pairs or ()
                if low in added or high in added
            ),
            batch_size=_ROWS_AT_ONCE,
        )


def write_deprecation(new: Schema, section: str, domain: str, name: str, *, undo: bool) -> None:
    if undo:
        marked = Deprecation.objects.filter(section=section, domain=domain, name=name, until=None)
        marked.update(until=new.version)
    else:
        Deprecation.objects.create(section=section, domain=domain, name=name, since=new.version)


def normal(name: str) -> str:
    """The form in which the core keeps names; what cannot be one is left for the core to refuse."""
    # Normalising takes quadratic time on long runs of combining marks, so length comes first.
    could_be_one = isinstance(name, str) and len(name) <= MAX_IDENTIFIER
    return unicodedata.normalize("NFC", name) if could_be_one else name


def _levels(values: Sequence[str], parents: Mapping[str, str | None]) -> Iterator[list[str]]:
    """The values in such groups that parents come before their children. O(values)."""
    waiting = set(values)
    children: dict[str | None, list[str]] = {}
    for value in values:
        parent = parents.get(value)
        children.setdefault(parent if parent in waiting else None, []).append(value)
    level = children.get(None, [])
    while level:
        yield level
        level = [child for value in level for child in children.get(value, ())]
