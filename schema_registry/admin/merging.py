"""Merging domains that mean the same."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from schema_registry import selectors, services
from schema_registry.admin.base import author, in_version, refusal_of
from schema_registry.admin.effects import effects_on, proposed
from schema_registry.core import administration
from schema_registry.models import Domain, SchemaVersion
from schema_registry.signals import impact_of
from schema_registry.staff.questions import Outcome, Question, Subject
from schema_registry.staff.saving import why_field


class MergeForm(forms.Form):
    kept = forms.ChoiceField(
        label=_("Keep"),
        widget=forms.RadioSelect,
        help_text=_("The attributes of the others move to it."),
    )
    why = why_field()

    def __init__(self, rows: Sequence[Domain], data: Any = None) -> None:
        super().__init__(data)
        kept = self.fields["kept"]
        assert isinstance(kept, forms.ChoiceField)
        kept.choices = [(row.name, row.name) for row in rows]


class Merge(Question):
    name = "merge"
    label = _("Merge duplicates")
    explanation = _(
        "One of these domains is kept, the attributes of the others move to it, and the others are gone from"
        " the schema. This cannot be taken back."
    )
    done = _("Merged: %(names)s.")
    on_pages = False
    fewest = 2
    most = 20

    def subjects(self, rows: Sequence[Domain]) -> list[Subject]:
        schema = selectors.current_schema()
        return [Subject(row, effects_on(row, schema)) for row in rows]

    def refusal(self, rows: Sequence[Domain]) -> str:
        schema, names = selectors.current_schema(), [row.name for row in rows]
        # Meaning the same is mutual, so whichever is kept, the answer is the same.
        return refusal_of(lambda: administration.merge_domains(schema, names[0], names[1:]))

    def impact(self, rows: Sequence[Domain]) -> list[str]:
        return impact_of(proposed(SchemaVersion.Rule.MERGE_DOMAINS, selectors.current_schema(), rows))

    def form(self, rows: Sequence[Domain], data: Any = None) -> MergeForm:
        return MergeForm(rows, data)

    def carry_out(self, user: Any, rows: Sequence[Domain], form: forms.Form) -> Outcome:
        kept, why = form.cleaned_data["kept"], form.cleaned_data["why"]
        new = services.merge_domains(author(user, why), kept, [row.name for row in rows if row.name != kept])
        told = _("Merged into %(kept)s. %(version)s") % {"kept": kept, "version": in_version(new, why)}
        return Outcome([(row, told) for row in rows])
