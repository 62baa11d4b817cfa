"""Reading the schema: any version, from a constant number of queries, and from memory the next time."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from threading import Lock
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Q

from schema_registry.accounts.models import Publisher
from schema_registry.core.definitions import section_name
from schema_registry.core.errors import UnknownName
from schema_registry.core.event_views import View
from schema_registry.core.schema import Schema, annotations
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_lazy
from schema_registry.models import (
    Attribute,
    Deprecation,
    Domain,
    DomainValue,
    EventType,
    EventTypeAttribute,
    EventView,
    OrderPair,
    SchemaVersion,
)

EMPTY_SCHEMA = Schema.from_dict({"version": 1})
_VERSIONS_KEPT_IN_MEMORY = 8
_DAY = timedelta(days=1)
_NEWEST_VERSION = "SELECT version, token FROM schema_registry_schemaversion ORDER BY version DESC LIMIT 1"
_KEY_OF_VERSION = "SELECT token FROM schema_registry_schemaversion WHERE version = %s"


@dataclass(frozen=True, slots=True)
class VersionKey:
    """A version number and the token that tells this very version from another of the same number."""

    version: int
    token: UUID | None


FIRST_VERSION = VersionKey(EMPTY_SCHEMA.version, None)
_in_memory: dict[UUID, Schema] = {}
_remembering = Lock()


def current_version() -> VersionKey:
    """One query, and not through the ORM: nearly every request asks."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST_VERSION)
        newest = cursor.fetchone()
    if newest is None:
        return FIRST_VERSION
    version, token = newest
    return VersionKey(version, _uuid(token))


def current_schema() -> Schema:
    return _schema(current_version())


def schema_at(version: int) -> Schema:
    """The schema of this version; raises SchemaVersion.DoesNotExist for one that never was.

    Not through the ORM either: every message asks, for each version that its items and searches have.
    """
    if version == FIRST_VERSION.version:
        return EMPTY_SCHEMA
    with connection.cursor() as cursor:
        cursor.execute(_KEY_OF_VERSION, [version])
        found = cursor.fetchone()
    if found is None:
        raise SchemaVersion.DoesNotExist(version)
    return _schema(VersionKey(version, _uuid(found[0])))


def remember(schema: Schema, token: UUID) -> None:
    """Keep a version in memory, so that its first reader need not load it."""
    with _remembering:
        while len(_in_memory) >= _VERSIONS_KEPT_IN_MEMORY:
            del _in_memory[next(iter(_in_memory))]
        _in_memory[token] = schema


@lru_cache(maxsize=_VERSIONS_KEPT_IN_MEMORY)
def rendered(key: VersionKey) -> bytes:
    """A version as JSON."""
    return json.dumps(_schema(key).to_dict(), ensure_ascii=False).encode()


def view_of(publisher: Publisher, name: str, schema: Schema) -> View:
    """A publisher's named view. Raises SchemaError for what is no name, UnknownName."""
    name = section_name(name, gettext_lazy("The name of a view"))
    stored = EventView.objects.filter(publisher=publisher, name=name).first()
    if stored is None:
        raise UnknownName(_("You have no view {name!r}.", name=name))
    return schema.view(stored.event_types, stored.attributes)


def next_extension_at(publisher: Publisher, *, now: datetime) -> datetime | None:
    """When this publisher may extend the schema again; None if it may now."""
    if publisher.extensions_per_day == 0:
        return now + _DAY
    counted = SchemaVersion.objects.filter(publisher=publisher, created_at__gt=now - _DAY)
    times = counted.order_by("-created_at").values_list("created_at", flat=True)
    oldest = times[publisher.extensions_per_day - 1 : publisher.extensions_per_day]
    return oldest[0] + _DAY if oldest else None


def _uuid(token: UUID | str) -> UUID:
    """SQLite has none, so they come as text."""
    return token if isinstance(token, UUID) else UUID(token)


def _schema(key: VersionKey) -> Schema:
    if key.token is None:
        return EMPTY_SCHEMA
    schema = _in_memory.get(key.token)
    if schema is None:
        schema = Schema.from_dict(_document(key.version))
        remember(schema, key.token)
    return schema


def _document(version: int) -> dict[str, Any]:
    """The dict of CONTRACTS from the rows of this version; seven queries, O(rows)."""
    there = Q(since__lte=version)
    domains = {domain.pk: domain for domain in Domain.objects.filter(there)}
    alive = {pk: domain for pk, domain in domains.items() if not _merged(domain, version)}
    values = list(
        DomainValue.objects.filter(there).values("pk", "domain_id", "identifier", "label", "parent_id")
    )
    attributes = Attribute.objects.filter(there)
    event_types = EventType.objects.filter(there)
    return {
        "version": version,
        "domains": _definitions(alive, values, version),
        "attributes": {
            attribute.name: _where_merged(domains, attribute.domain_id, version).name
            for attribute in attributes
        },
        "event_types": _event_types(event_types, version),
        "deprecated": _deprecated({domain.name for domain in alive.values()}, version),
    }


def _definitions(
    domains: dict[int, Domain], values: Sequence[Mapping[str, Any]], version: int
) -> dict[str, Any]:
    definitions: dict[int, dict[str, Any]] = {
        pk: {"kind": domain.kind, **domain.details} for pk, domain in domains.items()
    }
    identifiers = {value["pk"]: value["identifier"] for value in values}
    for value in values:
        definition = definitions.get(value["domain_id"])
        if definition is None:
            continue
        if definition["kind"] == Domain.Kind.HIERARCHICAL:
            definition.setdefault("values", {})[value["identifier"]] = identifiers.get(value["parent_id"])
        else:
            definition.setdefault("values", []).append(value["identifier"])
        if value["label"]:
            definition.setdefault("labels", {})[value["identifier"]] = value["label"]
    pairs = OrderPair.objects.filter(since__lte=version).values_list(
        F("lower__domain_id"), F("lower__identifier"), F("higher__identifier")
    )
    for domain, lower, higher in pairs:
        if domain in definitions:
            definitions[domain].setdefault("order", []).append([lower, higher])
    return {domains[pk].name: definition for pk, definition in definitions.items()}


def _event_types(event_types: Any, version: int) -> dict[str, Any]:
    attributes: dict[int, dict[str, list[str]]] = defaultdict(dict)
    rows = EventTypeAttribute.objects.filter(since__lte=version).values_list(
        "event_type_id", "attribute__name", "mandatory", "multiple"
    )
    for event_type, attribute, mandatory, multiple in rows:
        attributes[event_type][attribute] = annotations(mandatory, multiple)
    return {event_type.name: attributes[event_type.pk] for event_type in event_types}


def _merged(domain: Domain, version: int) -> bool:
    return domain.merged_since is not None and domain.merged_since <= version


def _where_merged(domains: dict[int, Domain], pk: int, version: int) -> Domain:
    domain = domains[pk]
    while _merged(domain, version):
        assert domain.merged_into_id is not None
        domain = domains[domain.merged_into_id]
    return domain


def _deprecated(domains: set[str], version: int) -> dict[str, Any]:
    found: dict[str, Any] = {"domains": [], "attributes": [], "event_types": [], "values": defaultdict(list)}
    marks = Deprecation.objects.filter(since__lte=version).exclude(until__lte=version)
    for section, domain, name in marks.values_list("section", "domain", "name"):
        if section != "values":
            found[section].append(name)
        elif domain in domains:
            found["values"][domain].append(name)
    found["domains"] = [name for name in found["domains"] if name in domains]
    return found
