"""Writing parts of a schema version as rows. `services` decides what and when; `selectors` reads them."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

from schema_registry.core.domains import EnumeratedDomain, FiniteDomain, HierarchicalDomain
from schema_registry.core.errors import SchemaConflict
from schema_registry.core.schema import Schema
from schema_registry.models import Attribute, Domain, DomainValue, EventType, EventTypeAttribute, OrderPair

_IN_OTHER_TABLES = ("kind", "values", "labels", "order")
_ROWS_AT_ONCE = 500


def write_domain(new: Schema, name: str) -> None:
    domain = new.domains[name]
    if Domain.objects.filter(name=name).exists():  # a merged one: of the others the core knows
        raise SchemaConflict(f"There was a domain '{name}', which was merged; its name stays taken.")
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
    for level in _levels(domain, values):
        ids = _ids(row, {parents[value] for value in level if parents.get(value)})
        DomainValue.objects.bulk_create(
            (
                DomainValue(
                    domain=row,
                    identifier=value,
                    label=labels.get(value, ""),
                    parent_id=ids.get(parents.get(value)),
                    since=new.version,
                )
                for value in level
            ),
            batch_size=_ROWS_AT_ONCE,
        )
    if isinstance(domain, EnumeratedDomain):
        added = set(values)
        _write_pairs(row, [pair for pair in domain.pairs or () if not added.isdisjoint(pair)], new.version)


def normal(name: str) -> str:
    """The form in which the core keeps names; what is no string is left for the core to refuse."""
    return unicodedata.normalize("NFC", name) if isinstance(name, str) else name


def _levels(domain: FiniteDomain, values: Sequence[str]) -> Iterator[list[str]]:
    """The values by their depth in the hierarchy, so that each finds its parent stored."""
    if not isinstance(domain, HierarchicalDomain):
        yield list(values)
        return
    levels: dict[int, list[str]] = {}
    for value in values:
        levels.setdefault(len(domain.above(value)), []).append(value)
    yield from (levels[depth] for depth in sorted(levels))


def _write_pairs(row: Domain, pairs: Sequence[tuple[str, str]], version: int) -> None:
    ids = _ids(row, {value for pair in pairs for value in pair})
    OrderPair.objects.bulk_create(
        (OrderPair(lower_id=ids[low], higher_id=ids[high], since=version) for low, high in pairs),
        batch_size=_ROWS_AT_ONCE,
    )


def _ids(row: Domain, identifiers: set[str | None] | set[str]) -> Mapping[str | None, int]:
    """The keys of stored values. All of the domain's are read: a list of thousands is no good in a query."""
    if not identifiers:
        return {}
    stored = DomainValue.objects.filter(domain=row).values_list("identifier", "pk")
    return {identifier: pk for identifier, pk in stored if identifier in identifiers}
