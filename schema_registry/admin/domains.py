"""Domains: adding one by its definition, and the tree or the list of its values."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from schema_registry import rows, selectors, services
from schema_registry.admin.base import (
    EMPTY,
    SchemaForm,
    SchemaPartAdmin,
    StateFilter,
    author,
    in_version,
    refusal_of,
    schema_of,
)
from schema_registry.admin.deprecation import Deprecate, TakeBack
from schema_registry.admin.effects import attributes_over
from schema_registry.admin.merging import Merge
from schema_registry.admin.new_values import AddValues
from schema_registry.admin.tree import tree_of
from schema_registry.core import definitions, extension
from schema_registry.core.errors import InputError
from schema_registry.core.json_input import MAX_BYTES, read_json
from schema_registry.models import Domain, DomainValue, OrderPair
from schema_registry.staff.wording import listed

_MOST_PAIRS_SHOWN = 1_000
_EXAMPLES = {
    Domain.Kind.NUMERIC: '{"kind": "numeric", "min": 0, "max": 1000000, "unit": "EUR"}',
    Domain.Kind.STRING: '{"kind": "string", "operators": ["=", "!=", "in"]}',
    Domain.Kind.TEXT: '{"kind": "text"}',
    Domain.Kind.ENUMERATED: """\
{"kind": "enumerated", "values": ["poor", "good", "mint"],
 "order": [["poor", "good"], ["good", "mint"]]}""",
    Domain.Kind.HIERARCHICAL: """\
{"kind": "hierarchical", "values": {"furniture": null, "table": "furniture"},
 "labels": {"table": "Tables"}}""",
}


class DomainForm(SchemaForm):
    definition = forms.CharField(
        label=gettext_lazy("Definition"),
        widget=forms.Textarea(
            attrs={"rows": 10, "class": "vLargeTextField definition", "spellcheck": "false"}
        ),
        max_length=MAX_BYTES,
    )

    class Meta:
        model = Domain
        fields = ("name",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        examples = ((kind.label, example) for kind, example in _EXAMPLES.items())
        help_text = format_html_join("", "<dt>{}</dt><dd><code>{}</code></dd>", examples)
        self.fields["definition"].help_text = format_html(
            "{}<dl>{}</dl>", _("As JSON, for example"), help_text
        )

    def clean_name(self) -> str:
        name = rows.normal(self.cleaned_data["name"])
        any_definition = {"kind": "string"}
        refusal = refusal_of(
            lambda: extension.create_domain(selectors.current_schema(), name, any_definition)
        )
        if refusal:
            raise ValidationError(refusal)
        return name

    def clean_definition(self) -> Any:
        try:
            definition = read_json(self.cleaned_data["definition"])
            definitions.domain(definition)
        except InputError as error:
            raise ValidationError(str(error)) from None
        return definition


class DomainStateFilter(StateFilter):
    choices_offered = (*StateFilter.choices_offered, ("merged", gettext_lazy("merged")))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "merged":
            return queryset.filter(merged_into__isnull=False)
        found = super().queryset(request, queryset)
        return found.filter(merged_into=None) if self.value() else found


@admin.register(Domain)
class DomainAdmin(SchemaPartAdmin):
    list_display = (
        "name",
        "kind",
        "how_many_values",
        "used_by",
        "since_version",
        "deprecated",
        "merged_into",
    )
    list_filter = ("kind", DomainStateFilter)
    list_select_related = ("merged_into",)
    add_form = DomainForm
    add_fieldsets = ((None, {"fields": ("name", "definition", "why")}),)
    fieldsets = (
        (None, {"fields": ("name", "kind", "definition", "used_by")}),
        (None, {"fields": ("since", "deprecated", "merged_into")}),
    )
    readonly_fields = ("definition", "used_by", "deprecated", "since", "merged_into")
    questions = (AddValues(), Deprecate(), TakeBack(), Merge())
    change_form_template = "admin/schema_registry/domain/change_form.html"

    def get_queryset(self, request: HttpRequest) -> Any:
        counted = DomainValue.objects.filter(domain=OuterRef("pk")).order_by().values("domain")
        how_many = Subquery(counted.annotate(count=Count("pk")).values("count"))
        return super().get_queryset(request).annotate(how_many=Coalesce(how_many, 0))

    def write(self, request: HttpRequest, form: Any, formsets: Sequence[Any], change: bool) -> str:
        entered = form.cleaned_data
        by = author(request.user, entered["why"])
        new, alike = services.create_domain(by, entered["name"], entered["definition"])
        form.instance.pk = Domain.objects.get(name=entered["name"]).pk
        form.instance.refresh_from_db()
        if alike:
            sentence = _("It means the same as %(names)s. You can merge them.") % {"names": listed(alike)}
            self.message_user(request, sentence, messages.WARNING)
        return in_version(new, entered["why"])

    def render_change_form(self, request: Any, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        obj = kwargs.get("obj")
        if obj is not None and obj.kind in (Domain.Kind.ENUMERATED, Domain.Kind.HIERARCHICAL):
            pairs = OrderPair.objects.filter(lower__domain=obj).select_related("lower", "higher")
            context |= {
                "tree": tree_of(obj, request.GET.get("under", "")),
                "values_url": f"{reverse('admin:schema_registry_domainvalue_changelist')}?domain={obj.pk}",
                "pairs": list(pairs[:_MOST_PAIRS_SHOWN]),
                "pairs_left_out": max(0, pairs.count() - _MOST_PAIRS_SHOWN),
            }
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=gettext_lazy("values"), ordering="how_many")
    def how_many_values(self, row: Any) -> int | None:
        return row.how_many or None

    @admin.display(description=gettext_lazy("attributes"))
    def used_by(self, row: Domain) -> str:
        return listed(attributes_over(schema_of(row), {row.name}), most=5) or EMPTY

    @admin.display(description=gettext_lazy("definition"))
    def definition(self, row: Domain) -> SafeString:
        return format_html("<pre>{}</pre>", json.dumps({"kind": row.kind, **row.details}, ensure_ascii=False))
