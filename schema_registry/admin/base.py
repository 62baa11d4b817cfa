"""What the pages of the schema's parts share."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from schema_registry import selectors
from schema_registry.core.errors import InputError
from schema_registry.core.schema import Schema
from schema_registry.models import Deprecable
from schema_registry.services import Author
from schema_registry.staff.asking import AskingAdmin
from schema_registry.staff.saving import ServiceAdmin, ServiceForm, why_field

EMPTY = "-"


class SchemaForm(ServiceForm):
    """A form for a new part of the schema. The core is asked in `clean`, so that it answers on the form."""

    why = why_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # For the names the core does not know but the table does: those of merged domains.
        self.fields["name"].error_messages["unique"] = _("There is already one of this name.")


class SchemaList(ChangeList):
    """A list whose rows know the current schema, read once for all of them."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        schema = selectors.current_schema()
        rows: Any = list(self.result_list)
        for row in rows:
            row.schema = schema
        self.result_list = rows


class StateFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "state"
    choices_offered: ClassVar[Any] = (("offered", _("offered")), ("deprecated", _("deprecated")))

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return self.choices_offered

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        return queryset.filter(deprecated_since__isnull=self.value() == "offered")


class SchemaPartAdmin(AskingAdmin, ServiceAdmin):
    search_fields: ClassVar[Any] = ("name",)
    list_filter: ClassVar[Any] = (StateFilter,)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return SchemaList

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        # Only a type-ahead field names a field: it offers what new parts may be made of.
        return (offered(found) if "field_name" in request.GET else found), may_repeat

    @admin.display(description=_("since"), ordering="since")
    def since_version(self, row: Deprecable) -> int:
        return row.since

    @admin.display(description=_("deprecated"), ordering="deprecated_since")
    def deprecated(self, row: Deprecable) -> str:
        if row.deprecated_since is None:
            return EMPTY
        return _("since version %(version)d") % {"version": row.deprecated_since}


def offered(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Without what was deprecated or merged."""
    rows = rows.filter(deprecated_since=None)
    return rows.filter(merged_into=None) if hasattr(rows.model, "merged_into") else rows


def schema_of(row: Any) -> Schema:
    """The schema that the list has read for its rows, or else the current one."""
    return getattr(row, "schema", None) or selectors.current_schema()


def refusal_of(change: Callable[[], object]) -> str:
    """Why the core would refuse this change; empty if it would not."""
    try:
        change()
    except InputError as error:
        return str(error)
    return ""


def author(user: Any, why: str) -> Author:
    return Author(user=user, why=why)


def in_version(schema: Schema, why: str) -> str:
    """What the log says of a change."""
    return _("Version %(version)d. %(why)s") % {"version": schema.version, "why": why}
