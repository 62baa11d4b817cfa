"""Event types: adding one with its attributes, and one optional attribute to one that is there."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from schema_registry import rows, selectors, services
from schema_registry.admin.base import (
    EMPTY,
    SchemaForm,
    SchemaPartAdmin,
    author,
    in_version,
    offered,
    refusal_of,
    schema_of,
)
from schema_registry.admin.deprecation import Deprecate, TakeBack
from schema_registry.admin.effects import effects_on, proposed
from schema_registry.core import extension
from schema_registry.core.schema import annotations
from schema_registry.models import Attribute, EventType, EventTypeAttribute, SchemaVersion
from schema_registry.signals import impact_of
from schema_registry.staff.questions import Outcome, Question, Subject
from schema_registry.staff.saving import why_field
from schema_registry.staff.wording import listed


class EventTypeForm(SchemaForm):
    class Meta:
        model = EventType
        fields = ("name",)

    def clean_name(self) -> str:
        name = rows.normal(self.cleaned_data["name"])
        refusal = refusal_of(lambda: extension.create_event_type(selectors.current_schema(), name, {}))
        if refusal:
            raise ValidationError(refusal)
        return name


class AttributeRows(BaseInlineFormSet):
    def marks(self) -> dict[str, list[str]]:
        """What the service takes: `{attribute: [presence, arity]}`, of the rows that are filled in."""
        entered = (form.cleaned_data for form in self.forms if form.is_valid() and form.has_changed())
        return {
            row["attribute"].name: annotations(row["mandatory"], row["multiple"])
            for row in entered
            if row.get("attribute")
        }

    def clean(self) -> None:
        super().clean()
        # A name that cannot be is said on the form; this one stands for it.
        name, schema = "A new event type", selectors.current_schema()
        if not any(self.errors) and (
            refusal := refusal_of(lambda: extension.create_event_type(schema, name, self.marks()))
        ):
            raise ValidationError(refusal)


class AttributeInline(admin.TabularInline):
    model = EventTypeAttribute
    formset = AttributeRows
    fields = ("attribute", "mandatory", "multiple")
    autocomplete_fields = ("attribute",)
    extra = 3
    verbose_name = _("attribute")
    verbose_name_plural = _("attributes")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("attribute", "event_type")

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "attribute":
            kwargs["queryset"] = offered(Attribute.objects.all())
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    # Who may see or add an event type may do so with its attributes.
    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None or obj.pk is None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ExtensionForm(forms.Form):
    attribute = forms.ModelChoiceField(Attribute.objects.none(), label=_("Attribute"))
    multiple = forms.BooleanField(label=_("Several values"), required=False)
    why = why_field()

    def __init__(self, row: EventType, data: Any = None) -> None:
        super().__init__(data)
        self.event_type = row.name
        attribute = self.fields["attribute"]
        assert isinstance(attribute, forms.ModelChoiceField)
        attribute.queryset = offered(Attribute.objects.all())
        attribute.widget = AutocompleteSelect(EventTypeAttribute._meta.get_field("attribute"), admin.site)
        attribute.widget.choices = attribute.choices

    def clean_attribute(self) -> str:
        name, schema = self.cleaned_data["attribute"].name, selectors.current_schema()
        refusal = refusal_of(lambda: extension.extend_event_type(schema, self.event_type, name))
        if refusal:
            raise ValidationError(refusal)
        return str(name)


class Extend(Question):
    name = "extend"
    label = _("Add an optional attribute")
    explanation = _("Events of this type may carry it from now on. Those without it stay valid.")
    done = _("The attribute was added to %(names)s.")
    in_lists = False
    most = 1

    def subjects(self, rows: Sequence[EventType]) -> list[Subject]:
        return [Subject(row, effects_on(row, selectors.current_schema())) for row in rows]

    def impact(self, rows: Sequence[EventType]) -> list[str]:
        return impact_of(proposed(SchemaVersion.Rule.EXTEND_EVENT_TYPE, selectors.current_schema(), rows))

    def form(self, rows: Sequence[EventType], data: Any = None) -> ExtensionForm:
        return ExtensionForm(rows[0], data)

    def carry_out(self, user: Any, rows: Sequence[EventType], form: forms.Form) -> Outcome:
        entered, row = form.cleaned_data, rows[0]
        by = author(user, entered["why"])
        new = services.extend_event_type(by, row.name, entered["attribute"], multiple=entered["multiple"])
        added = _("Added %(values)s.") % {"values": entered["attribute"]}
        return Outcome([(row, f"{added} {in_version(new, entered['why'])}")])


@admin.register(EventType)
class EventTypeAdmin(SchemaPartAdmin):
    list_display = ("name", "carries", "since_version", "deprecated")
    add_form = EventTypeForm
    add_fieldsets = ((None, {"fields": ("name", "why")}),)
    fieldsets = ((None, {"fields": ("name", "since", "deprecated")}),)
    readonly_fields = ("since", "deprecated")
    inlines = (AttributeInline,)
    questions = (Extend(), Deprecate(), TakeBack())

    def write(self, request: HttpRequest, form: Any, formsets: Sequence[Any], change: bool) -> str:
        entered, (attributes,) = form.cleaned_data, formsets
        by = author(request.user, entered["why"])
        new = services.create_event_type(by, entered["name"], attributes.marks())
        form.instance.pk = EventType.objects.get(name=entered["name"]).pk
        form.instance.refresh_from_db()
        return in_version(new, entered["why"])

    @admin.display(description=_("attributes"))
    def carries(self, row: EventType) -> str:
        return listed(sorted(schema_of(row).attribute_set(row.name)), most=8) or EMPTY
