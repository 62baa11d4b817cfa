"""A named view as a form: first its event types, then which of their optional attributes it has."""

from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from schema_registry.core.definitions import MAX_NAME
from schema_registry.core.errors import SchemaError
from schema_registry.core.event_views import View
from schema_registry.core.schema import Schema
from schema_registry.models import EventView

MOST_TYPES = 20
EMPTY_ROWS = 2


class ViewForm(forms.Form):
    """`stored` is the view that it changes. Its name then stays, as programs know it by that."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Your programs send it with each event, as “view”."),
        max_length=MAX_NAME,
    )

    data: Any  # of a request, which has lists

    def __init__(self, data: Any, *, schema: Schema, stored: EventView | None = None) -> None:
        super().__init__(data)
        self.schema = schema
        self.stored = stored
        if stored is not None:
            del self.fields["name"]

    @cached_property
    def event_types(self) -> list[str]:
        if self.is_bound:
            given = (name.strip() for name in self.data.getlist("type")[:MOST_TYPES])
            return list(dict.fromkeys(name for name in given if name))
        return list(self.stored.event_types) if self.stored else []

    @cached_property
    def type_rows(self) -> list[tuple[str, str]]:
        """Each event type with what is wrong with it, and some empty rows."""
        rows = [(name, self._wrong_with(name)) for name in self.event_types]
        return [*rows, *([("", "")] * EMPTY_ROWS)]

    @cached_property
    def largest(self) -> View | None:
        """What the event types have together; None as long as one is wrong."""
        if not self.event_types or any(wrong for _name, wrong in self.type_rows):
            return None
        return self.schema.view(self.event_types)

    @property
    def asks_for_attributes(self) -> bool:
        """Whether what was ticked is of these very event types; else they are shown first."""
        return self.is_bound and self.data.getlist("ticked_for") == self.event_types

    @cached_property
    def attributes(self) -> list[tuple[str, bool, bool]]:
        """The attributes to choose from: name, whether it is mandatory, whether it is chosen."""
        if self.largest is None:
            return []
        chosen = self._chosen()
        rules = self.largest.rules
        names = sorted(rules, key=lambda name: (not rules[name].mandatory, name))
        return [(name, rules[name].mandatory, rules[name].mandatory or name in chosen) for name in names]

    def _chosen(self) -> set[str]:
        assert self.largest is not None
        if self.asks_for_attributes:
            return set(self.data.getlist("attribute"))
        if self.stored is not None and not self.is_bound:
            return set(self.stored.attributes)
        return set(self.largest.rules)

    @property
    def kept(self) -> list[str]:
        return [name for name, _mandatory, is_chosen in self.attributes if is_chosen]

    def clean(self) -> dict[str, Any]:
        if not self.event_types:
            self.add_error(None, _("A view has at least one event type."))
        elif self.largest is None:
            self.add_error(None, _("Look at the event types once more."))
        return self.cleaned_data

    def _wrong_with(self, name: str) -> str:
        try:
            self.schema.event_type(name)
        except SchemaError as refusal:
            return str(refusal)
        return ""
