"""One of the four rules, about to be applied: what it makes, what that means, and the request that does it.

A proposal goes through the same service as the API's request.
"""

import json
import shlex
from dataclasses import dataclass
from typing import Any, ClassVar

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from schema_registry import redundancy, services
from schema_registry.core import extension
from schema_registry.core.schema import Schema, annotations
from schema_registry.domain_wording import kind_in_words
from schema_registry.examples import attribute_example, event_type_example
from schema_registry.models import EventTypeAttribute, SchemaVersion
from schema_registry.redundancy import Hint

Rule = SchemaVersion.Rule


@dataclass(frozen=True, slots=True)
class Proposal:
    rule: ClassVar[Rule]

    def apply(self, schema: Schema) -> Schema:
        """The next version, without storing anything. Raises SchemaError."""
        raise NotImplementedError

    def make(self, by: services.Author) -> Schema:
        """Raises as services do."""
        raise NotImplementedError

    def hints(self, schema: Schema) -> list[Hint]:
        raise NotImplementedError

    def effects(self, new: Schema) -> list[str]:
        """What is otherwise in the new version, for those who publish and those who search."""
        raise NotImplementedError

    def values_in_words(self, new: Schema) -> str:
        """Which values it is about, where that is not said otherwise."""
        return ""

    def example(self, new: Schema) -> str | None:
        """A search that it makes possible."""
        return None

    def request(self) -> tuple[str, dict[str, Any]]:
        """The address and the body by which a program does the same."""
        raise NotImplementedError

    def page(self) -> str:
        """Where the schema browser shows it, once it is made."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class NewDomain(Proposal):
    rule = Rule.CREATE_DOMAIN
    name: str
    definition: dict[str, Any]

    def apply(self, schema: Schema) -> Schema:
        return extension.create_domain(schema, self.name, self.definition)

    def make(self, by: services.Author) -> Schema:
        return services.create_domain(by, self.name, self.definition)[0]

    def hints(self, schema: Schema) -> list[Hint]:
        return redundancy.of_domain(schema, self.name, self.definition)

    def effects(self, new: Schema) -> list[str]:
        return [
            _("No search changes. Values of it can be looked for once an attribute has it as its domain.")
        ]

    def values_in_words(self, new: Schema) -> str:
        return kind_in_words(new.domains[self.name])

    def request(self) -> tuple[str, dict[str, Any]]:
        return reverse("schema-domains"), {"name": self.name, "definition": self.definition}

    def page(self) -> str:
        return reverse("schema-domain", args=[self.name])


@dataclass(frozen=True, slots=True)
class NewAttribute(Proposal):
    rule = Rule.CREATE_ATTRIBUTE
    name: str
    domain: str

    def apply(self, schema: Schema) -> Schema:
        return extension.create_attribute(schema, self.name, self.domain)

    def make(self, by: services.Author) -> Schema:
        return services.create_attribute(by, self.name, self.domain)

    def hints(self, schema: Schema) -> list[Hint]:
        return redundancy.of_attribute(schema, self.name, self.domain)

    def effects(self, new: Schema) -> list[str]:
        return [
            _("No search changes, and people may ask for it from now on."),
            _("Items carry it once an event type has it."),
        ]

    def values_in_words(self, new: Schema) -> str:
        return kind_in_words(new.domains[self.domain])

    def example(self, new: Schema) -> str | None:
        return attribute_example(new, self.name)

    def request(self) -> tuple[str, dict[str, Any]]:
        return reverse("schema-attributes"), {"name": self.name, "domain": self.domain}

    def page(self) -> str:
        return reverse("schema-attribute", args=[self.name])


@dataclass(frozen=True, slots=True)
class NewEventType(Proposal):
    rule = Rule.CREATE_EVENT_TYPE
    name: str
    attributes: dict[str, list[str]]

    def apply(self, schema: Schema) -> Schema:
        return extension.create_event_type(schema, self.name, self.attributes)

    def make(self, by: services.Author) -> Schema:
        return services.create_event_type(by, self.name, self.attributes)

    def hints(self, schema: Schema) -> list[Hint]:
        return redundancy.of_event_type(schema, self.apply(schema).event_types[self.name])

    def effects(self, new: Schema) -> list[str]:
        count = sum(marks[0] == "mandatory" for marks in self.attributes.values())
        mandatory = ngettext(
            "An item of this type must have the one attribute that is mandatory.",
            "An item of this type must have the %(count)s attributes that are mandatory.",
            count,
        )
        return [
            *([mandatory % {"count": count}] if count else []),
            _("Searches that ask for these attributes find items of this type: nobody has to change one."),
            _("What is mandatory, or takes one value, stays so; optional attributes may be added later."),
        ]

    def example(self, new: Schema) -> str | None:
        return event_type_example(new, self.name)

    def request(self) -> tuple[str, dict[str, Any]]:
        return reverse("schema-event-types"), {"name": self.name, "attributes": self.attributes}

    def page(self) -> str:
        return reverse("schema-type", args=[self.name])


@dataclass(frozen=True, slots=True)
class Extension(Proposal):
    rule = Rule.EXTEND_EVENT_TYPE
    event_type: str
    attribute: str
    multiple: bool = False

    def apply(self, schema: Schema) -> Schema:
        return extension.extend_event_type(schema, self.event_type, self.attribute, self.multiple)

    def make(self, by: services.Author) -> Schema:
        return services.extend_event_type(by, self.event_type, self.attribute, multiple=self.multiple)

    def hints(self, schema: Schema) -> list[Hint]:
        return redundancy.of_extension(schema, self.event_type, self.attribute)

    def effects(self, new: Schema) -> list[str]:
        return [
            _("It is optional: every item that is valid today stays valid, whoever publishes it."),
            _("Searches that ask for this attribute now find items of this type too."),
        ]

    def example(self, new: Schema) -> str | None:
        return attribute_example(new, self.attribute)

    def request(self) -> tuple[str, dict[str, Any]]:
        address = reverse("schema-event-type-attributes", args=[self.event_type])
        return address, {"attribute": self.attribute, "multiple": self.multiple}

    def page(self) -> str:
        return reverse("schema-type", args=[self.event_type])


def made_by(version: SchemaVersion, schema: Schema) -> Proposal | None:
    """What this version was made of; None where the schema no longer says, as of a domain that was merged."""
    name = version.subject
    match version.rule:
        case Rule.CREATE_DOMAIN if name in schema.domains:
            return NewDomain(name, schema.domains[name].definition())
        case Rule.CREATE_ATTRIBUTE if name in schema.attributes:
            return NewAttribute(name, schema.attributes[name])
        case Rule.CREATE_EVENT_TYPE if name in schema.event_types:
            came_with_it = EventTypeAttribute.objects.filter(event_type__name=name, since=version.version)
            rows = came_with_it.values_list("attribute__name", "mandatory", "multiple")
            return NewEventType(name, {attribute: annotations(*marks) for attribute, *marks in rows})
        case Rule.EXTEND_EVENT_TYPE:
            event_type, _dot, attribute = name.rpartition(".")
            marks = schema.event_types[event_type].attributes if event_type in schema.event_types else {}
            return Extension(event_type, attribute, marks[attribute][1]) if attribute in marks else None
    return None


def as_curl(address: str, body: dict[str, Any]) -> str:
    """The request for a terminal; `$KEY` is a key with the scope `schema`."""
    return " \\\n  ".join(
        (
            'curl -sS -H "Authorization: Bearer $KEY" -H "Content-Type: application/json"',
            shlex.quote(address),
            f"-d {shlex.quote(json.dumps(body, ensure_ascii=False))}",
        )
    )
