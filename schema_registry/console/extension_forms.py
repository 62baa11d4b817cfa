"""The four extension rules as forms. Each field is checked by the core's own rules: errors stand beside it.

What the whole is refused for, by the core here or by the service later, stands beside the field `blamed`.
"""

from typing import Any, ClassVar

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from schema_registry import rows
from schema_registry.console.proposals import Extension, NewAttribute, NewDomain, NewEventType, Proposal
from schema_registry.core import definitions, value_lines
from schema_registry.core.definitions import MAX_NAME
from schema_registry.core.errors import InputError, SchemaError
from schema_registry.core.schema import Schema, annotations, known_attribute, known_domain
from schema_registry.models import Domain

MOST_TYPED = 100_000  # characters of a list or a tree; larger ones come by the API
ROWS_AT_FIRST, MORE_ROWS, MOST_ROWS = 6, 6, 200
MOST_OFFERED = 500  # names in a list that a browser completes from


def names_input(offered: str) -> forms.TextInput:
    """A field that the browser completes from the list of this id."""
    return forms.TextInput(attrs={"list": offered, "autocomplete": "off", "spellcheck": "false"})


def _lines_field(label: Any, help_text: Any, *, rows_shown: int) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows_shown, "spellcheck": "false", "class": "lines"})
    return forms.CharField(
        label=label, help_text=help_text, required=False, strip=False, max_length=MOST_TYPED, widget=widget
    )


def _why_field() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Why"),
        help_text=gettext_lazy("May be left empty. Everybody can read it in the history of the schema."),
        required=False,
        max_length=1_000,
    )


class ExtensionForm(forms.Form):
    title: ClassVar[Any]
    lead: ClassVar[Any]
    blamed: ClassVar[str] = "name"

    def __init__(self, *args: Any, schema: Schema, **named: Any) -> None:
        self.schema = schema
        super().__init__(*args, **named)

    def proposal(self) -> Proposal:
        """Of a form that is valid."""
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            try:
                self.proposal().apply(self.schema)
            except InputError as refusal:
                self.refuse(refusal)
        return self.cleaned_data

    def refuse(self, refusal: InputError) -> None:
        """What a service says beyond the core is about no field."""
        self.add_error(self.blamed if isinstance(refusal, SchemaError) else None, str(refusal))


class DomainForm(ExtensionForm):
    title = gettext_lazy("New domain")
    lead = gettext_lazy("A kind of values: amounts of money, colours, a tree of categories.")

    name = forms.CharField(label=gettext_lazy("Name"), max_length=MAX_NAME)
    kind = forms.ChoiceField(
        label=gettext_lazy("What its values are"),
        choices=[
            (Domain.Kind.NUMERIC, gettext_lazy("numbers, such as a price or a width")),
            (Domain.Kind.STRING, gettext_lazy("short texts, compared as a whole, such as a maker's name")),
            (Domain.Kind.TEXT, gettext_lazy("free text, searched by its words, such as a description")),
            (Domain.Kind.ENUMERATED, gettext_lazy("a list to choose from, such as conditions")),
            (Domain.Kind.HIERARCHICAL, gettext_lazy("a tree to choose from, such as categories or places")),
        ],
        widget=forms.RadioSelect,
        initial=Domain.Kind.NUMERIC,
    )
    low = forms.DecimalField(label=gettext_lazy("Smallest"), required=False)
    high = forms.DecimalField(label=gettext_lazy("Largest"), required=False)
    unit = forms.CharField(
        label=gettext_lazy("Unit"),
        help_text=gettext_lazy("Such as EUR or cm. All numbers are sent in it."),
        required=False,
        max_length=MAX_NAME,
    )
    values = _lines_field(
        gettext_lazy("Values"),
        gettext_lazy("One a line. A label for people may follow after “|”: XVI | 16th century."),
        rows_shown=6,
    )
    order = _lines_field(
        gettext_lazy("Their order, if they have one"),
        gettext_lazy(
            "From low to high, such as XVI &lt; XVII &lt; XVIII. Several lines make a partial order."
        ),
        rows_shown=2,
    )
    tree = _lines_field(
        gettext_lazy("Tree"),
        gettext_lazy(
            "One value a line, what is below it further in; or lines such as “dining table &lt; table”."
            " A label for people may follow after “|”."
        ),
        rows_shown=8,
    )
    why = _why_field()

    fieldsets: ClassVar[dict[str, tuple[str, ...]]] = {
        Domain.Kind.NUMERIC: ("low", "high", "unit"),
        Domain.Kind.ENUMERATED: ("values", "order"),
        Domain.Kind.HIERARCHICAL: ("tree",),
    }

    def clean_name(self) -> str:
        return rows.normal(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        kind = self.cleaned_data.get("kind")
        others = {name for own, names in self.fieldsets.items() if own != kind for name in names}
        for name in others & set(self.errors):  # what is not asked for cannot be wrong
            del self.errors[name]
        if not self.errors:
            self.definition = self._definition(str(kind))
        return super().clean()

    def _definition(self, kind: str) -> dict[str, Any]:
        match kind:
            case Domain.Kind.NUMERIC:
                return self._numeric()
            case Domain.Kind.ENUMERATED:
                return self._enumerated()
            case Domain.Kind.HIERARCHICAL:
                return self._hierarchical()
        return {"kind": kind}

    def _numeric(self) -> dict[str, Any]:
        given = self.cleaned_data
        raw = {"kind": "numeric", "min": given["low"], "max": given["high"], "unit": given["unit"] or None}
        for field in ("low", "high"):  # each alone first: the sentence about a bound does not say which
            bound = {"kind": "numeric", "min" if field == "low" else "max": given[field]}
            if self._checked(field, bound) is None:
                return raw
        without_unit = self._checked("high", {**raw, "unit": None})
        return raw if without_unit is None else self._checked("unit", raw) or raw

    def _enumerated(self) -> dict[str, Any]:
        raw: dict[str, Any] = {"kind": "enumerated"}
        try:
            raw["values"], labels = value_lines.list_of(self.cleaned_data["values"])
        except SchemaError as refusal:
            self.add_error("values", str(refusal))
            return raw
        raw |= {"labels": labels} if labels else {}
        if self._checked("values", raw) is None:
            return raw
        try:
            order = value_lines.order_of(self.cleaned_data["order"])
        except SchemaError as refusal:
            self.add_error("order", str(refusal))
            return raw
        return self._checked("order", {**raw, "order": order} if order else raw) or raw

    def _hierarchical(self) -> dict[str, Any]:
        try:
            tree = value_lines.tree_of(self.cleaned_data["tree"])
        except SchemaError as refusal:
            self.add_error("tree", str(refusal))
            return {"kind": "hierarchical"}
        raw = {"kind": "hierarchical", "values": tree.parents, "labels": tree.labels or None}
        return self._checked("tree", raw) or raw

    def _checked(self, field: str, raw: dict[str, Any]) -> dict[str, Any] | None:
        """The definition as it will be kept; None after an error, which then stands beside this field."""
        try:
            return definitions.domain(raw).definition()
        except SchemaError as refusal:
            self.add_error(field, str(refusal))
            return None

    def proposal(self) -> Proposal:
        return NewDomain(self.cleaned_data["name"], self.definition)


class AttributeForm(ExtensionForm):
    title = gettext_lazy("New attribute")
    lead = gettext_lazy("A name for something that items have, over a domain of values.")

    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Letters, digits and “_”. People write it in their searches."),
        max_length=MAX_NAME,
    )
    domain = forms.CharField(
        label=gettext_lazy("Domain"),
        help_text=gettext_lazy("Which values it has."),
        max_length=MAX_NAME,
        widget=names_input("domains-offered"),
    )
    why = _why_field()

    def clean_domain(self) -> str:
        return _known(known_domain, self.schema.domains, self.cleaned_data["domain"])

    def proposal(self) -> Proposal:
        return NewAttribute(self.cleaned_data["name"], self.cleaned_data["domain"])


class AttributeRow(forms.Form):
    """An attribute of a new event type; an empty row says nothing."""

    attribute = forms.CharField(
        label=gettext_lazy("Attribute"),
        required=False,
        max_length=MAX_NAME,
        widget=names_input("attributes-offered"),
    )
    presence = forms.ChoiceField(
        label=gettext_lazy("Presence"),
        choices=[("mandatory", gettext_lazy("always there")), ("optional", gettext_lazy("may be there"))],
        initial="optional",
    )
    arity = forms.ChoiceField(
        label=gettext_lazy("How many values"),
        choices=[("unique", gettext_lazy("one value")), ("multiple", gettext_lazy("several values"))],
        initial="unique",
    )

    def __init__(self, *args: Any, schema: Schema, **named: Any) -> None:
        self.schema = schema
        super().__init__(*args, **named)

    def clean_attribute(self) -> str:
        name = self.cleaned_data["attribute"]
        return _known(known_attribute, self.schema.attributes, name) if name else ""


class AttributeRows(forms.BaseFormSet):
    def clean(self) -> None:
        seen: set[str] = set()
        for row in self.forms:
            name = row.cleaned_data.get("attribute", "") if row.is_valid() else ""
            if name in seen:
                row.add_error("attribute", _("This attribute is in the list already."))
            seen |= {name} if name else set()


_Rows = forms.formset_factory(
    AttributeRow, formset=AttributeRows, extra=ROWS_AT_FIRST, max_num=MOST_ROWS, absolute_max=MOST_ROWS
)


class EventTypeForm(ExtensionForm):
    title = gettext_lazy("New event type")
    lead = gettext_lazy("A kind of item, and which attributes an item of it carries.")

    name = forms.CharField(label=gettext_lazy("Name"), max_length=MAX_NAME)
    why = _why_field()

    @cached_property
    def rows(self) -> Any:
        """The attributes, one a row. "More rows" sends the form with so many more."""
        given: Any = {"form_kwargs": {"schema": self.schema}, "prefix": "row"}
        if not self.is_bound:
            return _Rows(**given)
        sent: Any = self.data  # of a request, which can be copied
        data = sent.copy()
        total = str(data.get("row-TOTAL_FORMS", ""))
        count = min(MOST_ROWS, int(total)) if total.isdecimal() and len(total) < 6 else 0
        if data.get("do") == "more":
            count = min(MOST_ROWS, count + MORE_ROWS)
            data["row-TOTAL_FORMS"] = str(count)
        for number in range(count):  # a row that was not sent is an empty one
            data.setdefault(f"row-{number}-presence", "optional")
            data.setdefault(f"row-{number}-arity", "unique")
        return _Rows(data, **given)

    def is_valid(self) -> bool:
        return bool(self.rows.is_valid()) and super().is_valid()

    def clean_name(self) -> str:
        return rows.normal(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        return super().clean() if self.rows.is_valid() else self.cleaned_data

    def proposal(self) -> Proposal:
        filled = [row.cleaned_data for row in self.rows.forms if row.cleaned_data.get("attribute")]
        attributes = {
            row["attribute"]: annotations(row["presence"] == "mandatory", row["arity"] == "multiple")
            for row in filled
        }
        return NewEventType(self.cleaned_data["name"], attributes)


class ExtendTypeForm(ExtensionForm):
    title = gettext_lazy("One more attribute for an event type")
    lead = gettext_lazy(
        "An event type lacks something that your items have. It is optional, also for everybody else."
    )
    blamed = "attribute"

    event_type = forms.CharField(
        label=gettext_lazy("Event type"), max_length=MAX_NAME, widget=names_input("types-offered")
    )
    attribute = forms.CharField(
        label=gettext_lazy("Attribute"), max_length=MAX_NAME, widget=names_input("attributes-offered")
    )
    multiple = forms.BooleanField(label=gettext_lazy("An item may have several values of it"), required=False)
    why = _why_field()

    def clean_event_type(self) -> str:
        try:
            return self.schema.event_type(self.cleaned_data["event_type"]).name
        except SchemaError as refusal:
            raise forms.ValidationError(str(refusal)) from None

    def clean_attribute(self) -> str:
        return _known(known_attribute, self.schema.attributes, self.cleaned_data["attribute"])

    def proposal(self) -> Proposal:
        given = self.cleaned_data
        return Extension(given["event_type"], given["attribute"], given["multiple"])


def _known(known: Any, names: Any, name: str) -> str:
    try:
        return str(known(names, name))
    except SchemaError as refusal:
        raise forms.ValidationError(str(refusal)) from None
