"""The values of enumerated and hierarchical domains, to search and to deprecate."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from schema_registry.admin.base import EMPTY, SchemaPartAdmin, StateFilter, schema_of
from schema_registry.admin.deprecation import Deprecate, TakeBack
from schema_registry.core.domains import FiniteDomain
from schema_registry.models import Domain, DomainValue
from schema_registry.staff.filters import RelatedRowFilter


class DomainFilter(RelatedRowFilter):
    title = gettext_lazy("domain")
    parameter_name = "domain"

    def related(self) -> QuerySet[Domain]:
        return Domain.objects.filter(kind__in=[Domain.Kind.ENUMERATED, Domain.Kind.HIERARCHICAL])


@admin.register(DomainValue)
class DomainValueAdmin(SchemaPartAdmin):
    list_display = ("identifier", "label", "domain", "parent", "since_version", "deprecated")
    list_filter = (DomainFilter, StateFilter)
    search_fields = ("identifier", "label")
    fieldsets = (
        (None, {"fields": ("identifier", "label", "domain", "place", "below")}),
        (None, {"fields": ("since", "deprecated")}),
    )
    readonly_fields = ("place", "below", "since", "deprecated")
    questions = (Deprecate(), TakeBack())

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # values are added on the page of their domain

    def get_queryset(self, request: HttpRequest) -> QuerySet[DomainValue]:
        return super().get_queryset(request).select_related("domain", "parent")

    @admin.display(description=gettext_lazy("place"))
    def place(self, row: DomainValue) -> str:
        domain = schema_of(row).domains.get(row.domain.name)
        return domain.path(row.identifier) if isinstance(domain, FiniteDomain) else EMPTY

    @admin.display(description=gettext_lazy("values right below"))
    def below(self, row: DomainValue) -> str:
        count = row.children.count()
        if not count:
            return EMPTY
        url = reverse("admin:schema_registry_domain_change", args=[row.domain_id])
        return format_html('{} (<a href="{}?under={}">{}</a>)', count, url, row.pk, _("show"))
