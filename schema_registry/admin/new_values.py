"""Adding values to an enumerated or hierarchical domain, several in one version."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from schema_registry import selectors, services
from schema_registry.admin.base import author, in_version, refusal_of
from schema_registry.admin.effects import effects_on, proposed
from schema_registry.core import administration
from schema_registry.core.domains import HierarchicalDomain
from schema_registry.core.errors import InputError
from schema_registry.models import Domain, SchemaVersion
from schema_registry.rows import normal
from schema_registry.signals import impact_of
from schema_registry.staff.questions import Outcome, Question, Subject
from schema_registry.staff.saving import why_field
from schema_registry.staff.wording import listed

_RELATION = re.compile(r"\s+(is below|is above|<|>)\s+")


def _lines_field(**options: Any) -> forms.CharField:
    attributes = {"rows": 8, "class": "vLargeTextField definition", "spellcheck": "false"}
    return forms.CharField(widget=forms.Textarea(attrs=attributes), **options)


class NewValuesForm(forms.Form):
    values = _lines_field(label=gettext_lazy("New values"))
    order = _lines_field(
        label=gettext_lazy("Order"),
        required=False,
        help_text=gettext_lazy(
            "One relation a line, of a new value to a new or an old one: <code>good is below mint</code>"
            " or <code>mint is above good</code>."
        ),
    )
    why = why_field()

    def __init__(self, row: Domain, data: Any = None) -> None:
        super().__init__(data)
        self.domain = row.name
        self.is_tree = row.kind == Domain.Kind.HIERARCHICAL
        if self.is_tree:
            del self.fields["order"]
            self.fields["values"].help_text = _(
                "One value a line: <code>identifier | label | parent</code>. A parent is a value, old or new,"
                " by its identifier, or by a label or path that means only one; without a parent the value"
                " is a root. The label may be left empty."
            )
        else:
            self.fields["values"].help_text = _(
                "One value a line: <code>identifier</code> or <code>identifier | label</code>."
            )
        self.labels: dict[str, str] = {}

    def clean_values(self) -> Any:
        """The values as the service takes them: `{value: parent}` for a tree, else a list."""
        parents: dict[str, str | None] = {}
        for number, line in _lines(self.cleaned_data["values"]):
            value, label, parent, *more = [*(part.strip() for part in line.split("|")), "", ""]
            if any(more) or (parent and not self.is_tree):
                raise ValidationError(_("Line %(number)d has too many parts.") % {"number": number})
            if normal(value) in parents:
                given_twice = _("Line %(number)d: “%(value)s” is given twice.")
                raise ValidationError(given_twice % {"number": number, "value": value})
            parents[normal(value)] = normal(parent) or None
            if label:
                self.labels[normal(value)] = label
        values: Any = self._known(parents) if self.is_tree else list(parents)
        self._ask_the_core(values, ())
        return values

    def clean_order(self) -> list[tuple[str, str]]:
        pairs = []
        for number, line in _lines(self.cleaned_data["order"]):
            parts = _RELATION.split(line.strip())
            if len(parts) != 3:
                unclear = _("Line %(number)d does not say that one value is below or above another.")
                raise ValidationError(unclear % {"number": number})
            low, relation, high = parts
            pair = (low, high) if relation in ("is below", "<") else (high, low)
            pairs.append((normal(pair[0]), normal(pair[1])))
        if "values" in self.cleaned_data:
            self._ask_the_core(self.cleaned_data["values"], pairs)
        return pairs

    def _known(self, parents: dict[str, str | None]) -> dict[str, str | None]:
        """The same with each old parent by its identifier."""
        domain = selectors.current_schema().domains.get(self.domain)
        if not isinstance(domain, HierarchicalDomain):
            return parents
        known = dict(parents)
        for value, parent in parents.items():
            if parent is None or parent in parents:
                continue
            try:
                known[value] = str(domain.constant(parent))
            except InputError as error:
                sentence = _("The parent of “%(value)s”: %(error)s")
                raise ValidationError(sentence % {"value": value, "error": error}) from None
        return known

    def _ask_the_core(self, values: Any, order: Sequence[tuple[str, str]]) -> None:
        schema = selectors.current_schema()
        refusal = refusal_of(
            lambda: administration.add_values(schema, self.domain, values, order=order, labels=self.labels)
        )
        if refusal:
            raise ValidationError(refusal)


class AddValues(Question):
    name = "add-values"
    label = gettext_lazy("Add values")
    explanation = gettext_lazy(
        "New values may be put below or above old ones. Old values keep their place, so what people"
        " subscribed to keeps its meaning."
    )
    done = gettext_lazy("The values were added to %(names)s.")
    in_lists = False
    most = 1

    def makes_sense_for(self, row: Domain) -> bool:
        finite = row.kind in (Domain.Kind.ENUMERATED, Domain.Kind.HIERARCHICAL)
        return finite and row.merged_into_id is None

    def subjects(self, rows: Sequence[Domain]) -> list[Subject]:
        schema = selectors.current_schema()
        refusal = "" if self.makes_sense_for(rows[0]) else _("It has no list of values that could grow.")
        return [Subject(row, effects_on(row, schema), refusal) for row in rows]

    def impact(self, rows: Sequence[Domain]) -> list[str]:
        return impact_of(proposed(SchemaVersion.Rule.ADD_VALUES, selectors.current_schema(), rows))

    def form(self, rows: Sequence[Domain], data: Any = None) -> NewValuesForm:
        return NewValuesForm(rows[0], data)

    def carry_out(self, user: Any, rows: Sequence[Domain], form: forms.Form) -> Outcome:
        assert isinstance(form, NewValuesForm)
        entered = form.cleaned_data
        new = services.add_values(
            author(user, entered["why"]),
            form.domain,
            entered["values"],
            order=entered.get("order", ()),
            labels=form.labels,
        )
        added = _("Added %(values)s.") % {"values": listed(entered["values"])}
        return Outcome([(rows[0], f"{added} {in_version(new, entered['why'])}")])


def _lines(text: str) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
