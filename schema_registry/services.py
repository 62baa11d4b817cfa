"""Changing the schema: each call is one transaction that makes the next version, or changes nothing.

What is allowed is decided by the pure core; here its decision is stored. Raises what the core raises
(SchemaConflict, SchemaError), and QuotaExceeded for a publisher that extends too much.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from schema_registry import rows, selectors
from schema_registry.accounts.models import Publisher, User
from schema_registry.core import administration, extension
from schema_registry.core.definitions import section_name
from schema_registry.core.errors import InputError, SchemaConflict, UnknownName
from schema_registry.core.schema import Schema
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import gettext_lazy
from schema_registry.models import (
    LONGEST_SUBJECT,
    Attribute,
    Domain,
    DomainValue,
    EventType,
    EventView,
    SchemaLock,
    SchemaVersion,
)

Rule = SchemaVersion.Rule
MOST_VIEWS = 200


class QuotaExceeded(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    def __init__(self, publisher: Publisher, again_at: datetime) -> None:
        super().__init__(
            _(
                "{publisher} may extend the schema {limit} times a day, and has done so.",
                publisher=publisher,
                limit=publisher.extensions_per_day,
            )
        )
        self.again_at = again_at


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes the schema, and why. A publisher's changes count against its quota; staff's do not."""

    user: User | None
    publisher: Publisher | None = None
    why: str = ""


def create_domain(by: Author, name: str, definition: Mapping[str, Any]) -> tuple[Schema, list[str]]:
    """The new version, and the names of older domains that mean the same."""
    name = rows.normal(name)
    apply = partial(extension.create_domain, name=name, definition=definition)
    new = _change(by, Rule.CREATE_DOMAIN, name, apply, partial(rows.write_domain, name=name))
    return new, [other for other in extension.equivalent_domains(new, definition) if other != name]


def create_attribute(by: Author, name: str, domain: str) -> Schema:
    apply = partial(extension.create_attribute, name=name, domain=domain)
    return _change(by, Rule.CREATE_ATTRIBUTE, name, apply, partial(rows.write_attribute, name=name))


def extend_event_type(by: Author, event_type: str, attribute: str, *, multiple: bool = False) -> Schema:
    apply = partial(
        extension.extend_event_type, event_type=event_type, attribute=attribute, multiple=multiple
    )
    write = partial(rows.write_attributes_of, event_type=event_type, names=[attribute])
    return _change(by, Rule.EXTEND_EVENT_TYPE, f"{event_type}.{attribute}", apply, write)


def create_event_type(by: Author, name: str, attributes: Mapping[str, Any]) -> Schema:
    name = rows.normal(name)
    apply = partial(extension.create_event_type, name=name, attributes=attributes)
    return _change(by, Rule.CREATE_EVENT_TYPE, name, apply, partial(rows.write_event_type, name=name))


def add_values(
    by: Author,
    domain: str,
    values: Sequence[str] | Mapping[str, str | None],
    *,
    order: Iterable[Sequence[str]] = (),
    labels: Mapping[str, str] | None = None,
) -> Schema:
    """Grow an enumerated or hierarchical domain. Nothing that is there changes its meaning."""
    apply = partial(administration.add_values, domain=domain, values=values, order=order, labels=labels)
    write = partial(rows.write_values, name=domain, values=[rows.normal(value) for value in values])
    return _change(by, Rule.ADD_VALUES, f"{domain}: {', '.join(values)}", apply, write)


def deprecate(by: Author, section: administration.Section, name: str, *, undo: bool = False) -> Schema:
    model: Any = {"domains": Domain, "attributes": Attribute, "event_types": EventType}[section]
    apply = partial(administration.deprecate, section=section, name=name, undo=undo)

    def write(new: Schema) -> None:
        model.objects.filter(name=name).update(deprecated_since=None if undo else new.version)
        rows.write_deprecation(new, section, "", name, undo=undo)

    return _change(by, Rule.RESTORE if undo else Rule.DEPRECATE, name, apply, write)


def deprecate_value(by: Author, domain: str, value: str, *, undo: bool = False) -> Schema:
    apply = partial(administration.deprecate_value, domain=domain, value=value, undo=undo)

    def write(new: Schema) -> None:
        stored = DomainValue.objects.filter(domain__name=domain, identifier=value)
        stored.update(deprecated_since=None if undo else new.version)
        rows.write_deprecation(new, "values", domain, value, undo=undo)

    return _change(by, Rule.RESTORE if undo else Rule.DEPRECATE, f"{domain}: {value}", apply, write)


def merge_domains(by: Author, kept: str, duplicates: Sequence[str]) -> Schema:
    """The attributes of domains that mean the same move to one of them."""
    gone = [name for name in duplicates if name != kept]
    apply = partial(administration.merge_domains, kept=kept, duplicates=gone)

    def write(new: Schema) -> None:
        into = Domain.objects.get(name=kept)
        Domain.objects.filter(name__in=gone).update(merged_into=into, merged_since=new.version)

    return _change(by, Rule.MERGE_DOMAINS, f"{', '.join(gone)} into {kept}", apply, write)


def create_view(
    publisher: Publisher, name: str, event_types: Sequence[str], attributes: Sequence[str]
) -> EventView:
    """Register a publisher's named view. It is no part of the schema, so the version stays."""
    name = section_name(name, gettext_lazy("The name of a view"))
    view = selectors.current_schema().view(event_types, attributes)
    with transaction.atomic():
        Publisher.objects.select_for_update().get(pk=publisher.pk)
        views = EventView.objects.filter(publisher=publisher)
        if views.filter(name=name).exists():
            raise SchemaConflict(_("There is already a view '{name}'.", name=name))
        if views.count() >= MOST_VIEWS:
            raise SchemaConflict(_("A publisher has at most {most} views.", most=MOST_VIEWS))
        return EventView.objects.create(
            publisher=publisher,
            name=name,
            event_types=sorted(view.event_types),
            attributes=sorted(view.rules),
        )


def replace_view(
    publisher: Publisher, name: str, event_types: Sequence[str], attributes: Sequence[str]
) -> EventView:
    """Let a view mean something else from now on. Raises UnknownName; else as `create_view`.

    No event refers to a view: it is looked at once, when an event comes in. So what was accepted stays.
    """
    new = selectors.current_schema().view(event_types, attributes)
    with transaction.atomic():
        stored = EventView.objects.select_for_update().filter(publisher=publisher, name=name).first()
        if stored is None:
            raise UnknownName(_("You have no view {name!r}.", name=name))
        stored.event_types, stored.attributes = sorted(new.event_types), sorted(new.rules)
        stored.save(update_fields=["event_types", "attributes"])
    return stored


def remove_view(publisher: Publisher, name: str) -> None:
    """Events that name it are refused from now on, until there is one of this name again."""
    EventView.objects.filter(publisher=publisher, name=name).delete()


def _change(
    by: Author,
    rule: SchemaVersion.Rule,
    subject: str,
    apply: Callable[[Schema], Schema],
    write: Callable[[Schema], None],
) -> Schema:
    with transaction.atomic():
        SchemaLock.objects.get_or_create(pk=1)
        SchemaLock.objects.select_for_update().get(pk=1)
        if by.publisher and (again_at := selectors.next_extension_at(by.publisher, now=timezone.now())):
            raise QuotaExceeded(by.publisher, again_at)
        new = apply(selectors.current_schema())
        version = SchemaVersion.objects.create(
            version=new.version,
            rule=rule,
            subject=subject[:LONGEST_SUBJECT],
            why=by.why,
            publisher=by.publisher,
            author=by.user,
        )
        write(new)
        selectors.remember(new, version.token)  # if it is never committed, nobody will ask for this token
    return new
