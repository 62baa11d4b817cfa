"""The history of the schema: since when a name is there, and what each version changed.

What a version changed is read from the rows that say so, not from two whole schemas: it costs as much as the
change is large, however old it is, and leaves the versions in memory alone.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from django.db.models import Q

from schema_registry.models import (
    Attribute,
    Deprecation,
    Domain,
    DomainValue,
    EventType,
    EventTypeAttribute,
    OrderPair,
    SchemaVersion,
)

Section = Literal["domains", "attributes", "event_types"]
Rule = SchemaVersion.Rule
MOST_VALUES = 200
MOST_PAIRS = 200


@dataclass(frozen=True, slots=True)
class Since:
    """The versions with which a name came and was deprecated, and when that was; None where it was not."""

    version: int
    at: datetime | None
    deprecated: int | None
    deprecated_at: datetime | None


@dataclass(frozen=True, slots=True)
class Changed:
    """One name that a version added, marked or moved; `domain` is that of a value or an attribute."""

    section: Literal["domains", "attributes", "event_types", "values"]
    name: str
    domain: str = ""
    event_type: str = ""
    kind: str = ""
    mandatory: bool = False
    multiple: bool = False


@dataclass(frozen=True, slots=True)
class NewValue:
    identifier: str
    label: str
    parent: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What a version changed. Of many new values and pairs the first are here, and how many there are."""

    added: list[Changed] = field(default_factory=list)
    deprecated: list[Changed] = field(default_factory=list)
    restored: list[Changed] = field(default_factory=list)
    merged: list[Changed] = field(default_factory=list)  # into `domain`
    values_of: str = ""
    values: list[NewValue] = field(default_factory=list)
    value_count: int = 0
    pairs: list[tuple[str, str]] = field(default_factory=list)


def newest_versions(*, before: int | None, most: int) -> list[SchemaVersion]:
    """Newest first, from the one before this number on. Who of the staff made one is not read."""
    older = Q() if before is None else Q(version__lt=before)
    versions = SchemaVersion.objects.filter(older).select_related("publisher").defer("author")
    return list(versions.order_by("-version")[:most])


def since_of(section: Section, name: str) -> Since | None:
    """Two queries."""
    model: Any = {"domains": Domain, "attributes": Attribute, "event_types": EventType}[section]
    return _since(model.objects.filter(name=name))


def value_since(domain: str, value: str) -> Since | None:
    return _since(DomainValue.objects.filter(domain__name=domain, identifier=value))


def deprecated_since(section: Section, names: Collection[str]) -> dict[str, int]:
    """For those of the names that are deprecated the version since when. One query, none for no names."""
    if not names:
        return {}
    marks = Deprecation.objects.filter(section=section, name__in=names, until=None)
    return dict(marks.values_list("name", "since"))


def kept_domain(name: str) -> str | None:
    """The domain that a former one was merged into, in the end; None for what was never merged."""
    if "\0" in name:  # which PostgreSQL does not even look for
        return None
    kept = Domain.objects.filter(name=name).select_related("merged_into").first()
    while kept is not None and kept.merged_into is not None:
        kept = kept.merged_into
    return None if kept is None or kept.name == name else kept.name


def difference_of(version: SchemaVersion) -> Difference:
    """What this version changed against the one before. At most five queries."""
    return _READERS[Rule(version.rule)](version.version)


def _since(rows: Any) -> Since | None:
    row = rows.values_list("since", "deprecated_since").first()
    if row is None:
        return None
    times = dict(SchemaVersion.objects.filter(version__in=row).values_list("version", "created_at"))
    since, deprecated = row
    return Since(since, times.get(since), deprecated, times.get(deprecated))


def _new_domain(version: int) -> Difference:
    domain = Domain.objects.get(since=version)
    added = [Changed("domains", domain.name, kind=domain.get_kind_display())]
    return Difference(added=added, **_new_values(version, domain))


def _values_added(version: int) -> Difference:
    first = DomainValue.objects.filter(since=version).select_related("domain").first()
    return Difference() if first is None else Difference(**_new_values(version, first.domain))


def _new_values(version: int, domain: Domain) -> dict[str, Any]:
    rows = DomainValue.objects.filter(domain=domain, since=version)
    pairs = OrderPair.objects.filter(since=version).select_related("lower", "higher")
    columns = ("identifier", "label", "parent__identifier", "parent__label")
    values = [
        NewValue(identifier, label or identifier, parent_label or parent or "")
        for identifier, label, parent, parent_label in rows.values_list(*columns)[:MOST_VALUES]
    ]
    return {
        "values_of": domain.name,
        "values": values,
        "value_count": len(values) if len(values) < MOST_VALUES else rows.count(),
        "pairs": [(str(pair.lower), str(pair.higher)) for pair in pairs[:MOST_PAIRS]],
    }


def _new_attribute(version: int) -> Difference:
    row = Attribute.objects.select_related("domain").get(since=version)
    return Difference(added=[Changed("attributes", row.name, domain=row.domain.name)])


def _new_event_type(version: int) -> Difference:
    row = EventType.objects.get(since=version)
    return Difference(added=[Changed("event_types", row.name), *_attributes_given(version)])


def _extended(version: int) -> Difference:
    return Difference(added=_attributes_given(version))


def _attributes_given(version: int) -> list[Changed]:
    rows = EventTypeAttribute.objects.filter(since=version).select_related("event_type", "attribute")
    return [
        Changed(
            "attributes",
            row.attribute.name,
            event_type=row.event_type.name,
            mandatory=row.mandatory,
            multiple=row.multiple,
        )
        for row in rows
    ]


def _deprecated(version: int) -> Difference:
    return Difference(deprecated=_marked(Deprecation.objects.filter(since=version)))


def _restored(version: int) -> Difference:
    return Difference(restored=_marked(Deprecation.objects.filter(until=version)))


def _marked(rows: Any) -> list[Changed]:
    return [Changed(row.section, row.name, domain=row.domain) for row in rows]


def _merged(version: int) -> Difference:
    rows = Domain.objects.filter(merged_since=version).select_related("merged_into")
    return Difference(merged=[Changed("domains", row.name, domain=str(row.merged_into)) for row in rows])


_READERS = {
    Rule.CREATE_DOMAIN: _new_domain,
    Rule.CREATE_ATTRIBUTE: _new_attribute,
    Rule.EXTEND_EVENT_TYPE: _extended,
    Rule.CREATE_EVENT_TYPE: _new_event_type,
    Rule.ADD_VALUES: _values_added,
    Rule.DEPRECATE: _deprecated,
    Rule.RESTORE: _restored,
    Rule.MERGE_DOMAINS: _merged,
}
