"""Attributes: a name over a domain."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from schema_registry import selectors, services
from schema_registry.admin.base import (
    EMPTY,
    SchemaForm,
    SchemaPartAdmin,
    author,
    in_version,
    offered,
    schema_of,
)
from schema_registry.admin.deprecation import Deprecate, TakeBack
from schema_registry.admin.effects import types_with
from schema_registry.core import extension
from schema_registry.core.errors import InputError, UnknownName
from schema_registry.models import Attribute, Domain
from schema_registry.staff.wording import listed


class AttributeForm(SchemaForm):
    class Meta:
        model = Attribute
        fields = ("name", "domain")

    def clean(self) -> dict[str, Any] | None:
        cleaned = self.cleaned_data
        if {"name", "domain"} <= cleaned.keys():
            schema = selectors.current_schema()
            try:
                extension.create_attribute(schema, cleaned["name"], cleaned["domain"].name)
            except UnknownName as error:
                self.add_error("domain", str(error))
            except InputError as error:
                self.add_error("name", str(error))
        return super().clean()


@admin.register(Attribute)
class AttributeAdmin(SchemaPartAdmin):
    list_display = ("name", "its_domain", "carried_by", "since_version", "deprecated")
    list_select_related = ("domain__merged_into",)
    search_fields = ("name", "domain__name")
    autocomplete_fields = ("domain",)
    add_form = AttributeForm
    add_fieldsets = ((None, {"fields": ("name", "domain", "why")}),)
    fieldsets = (
        (None, {"fields": ("name", "its_domain", "carried_by")}),
        (None, {"fields": ("since", "deprecated")}),
    )
    readonly_fields = ("its_domain", "carried_by", "since", "deprecated")
    questions = (Deprecate(), TakeBack())

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "domain":
            kwargs["queryset"] = offered(Domain.objects.all())
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def write(self, request: HttpRequest, form: Any, formsets: Sequence[Any], change: bool) -> str:
        entered = form.cleaned_data
        by = author(request.user, entered["why"])
        new = services.create_attribute(by, entered["name"], entered["domain"].name)
        form.instance.pk = Attribute.objects.get(name=entered["name"]).pk
        form.instance.refresh_from_db()
        return in_version(new, entered["why"])

    @admin.display(description=_("domain"), ordering="domain__name")
    def its_domain(self, row: Attribute) -> str:
        """Where merges have led it: its row keeps the domain it was made with."""
        domain = row.domain
        while domain.merged_into is not None:
            domain = domain.merged_into
        url = reverse("admin:schema_registry_domain_change", args=[domain.pk])
        return format_html('<a href="{}">{}</a>', url, domain)

    @admin.display(description=_("event types"))
    def carried_by(self, row: Attribute) -> str:
        return listed(types_with(schema_of(row), {row.name}), most=5) or EMPTY
