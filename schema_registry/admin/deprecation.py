"""Deprecating parts of the schema, and taking that back."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from schema_registry import selectors, services
from schema_registry.admin.base import author, in_version, refusal_of
from schema_registry.admin.effects import effects_on, proposed
from schema_registry.core import administration
from schema_registry.core.schema import Schema
from schema_registry.models import Attribute, Domain, DomainValue, EventType, SchemaVersion
from schema_registry.signals import impact_of
from schema_registry.staff.questions import Question, Subject

_SECTIONS: dict[type, administration.Section] = {
    Domain: "domains",
    Attribute: "attributes",
    EventType: "event_types",
}


class Deprecate(Question):
    name = "deprecate"
    label = _("Deprecate")
    explanation = _(
        "People will no longer be offered this. It goes on working in events and in subscriptions, and it"
        " can be taken back."
    )
    done = _("Deprecated: %(names)s.")
    rule = SchemaVersion.Rule.DEPRECATE
    undo = False

    def makes_sense_for(self, row: Any) -> bool:
        return (row.deprecated_since is None) != self.undo and getattr(row, "merged_into_id", None) is None

    def subjects(self, rows: Sequence[Any]) -> list[Subject]:
        schema = selectors.current_schema()
        return [Subject(row, effects_on(row, schema), self._refusal(schema, row)) for row in rows]

    def impact(self, rows: Sequence[Any]) -> list[str]:
        return impact_of(proposed(self.rule, selectors.current_schema(), rows))

    def do(self, user: Any, row: Any, why: str) -> str:
        by = author(user, why)
        if isinstance(row, DomainValue):
            new = services.deprecate_value(by, row.domain.name, row.identifier, undo=self.undo)
        else:
            new = services.deprecate(by, _SECTIONS[type(row)], row.name, undo=self.undo)
        return f"{self.rule.label}. {in_version(new, why)}"

    def _refusal(self, schema: Schema, row: Any) -> str:
        if isinstance(row, DomainValue):
            return refusal_of(
                lambda: administration.deprecate_value(
                    schema, row.domain.name, row.identifier, undo=self.undo
                )
            )
        return refusal_of(
            lambda: administration.deprecate(schema, _SECTIONS[type(row)], row.name, undo=self.undo)
        )


class TakeBack(Deprecate):
    name = "restore"
    label = _("Take back the deprecation")
    explanation = _("People will be offered this again.")
    done = _("Offered again: %(names)s.")
    rule = SchemaVersion.Rule.RESTORE
    undo = True
