"""Nightly runs: what became of them, to look at and to take along as a file."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils.translation import gettext_lazy

from matching.models import NightlyRun
from matching.nightly.report import as_html, report
from schema_registry.core.numbers import grouped
from schema_registry.staff.saving import ReadOnlyAdmin

EMPTY = "-"


@admin.register(NightlyRun)
class NightlyRunAdmin(ReadOnlyAdmin):
    list_display = (
        "__str__",
        "state",
        "version",
        "rows",
        "rejected",
        "events",
        "is_as_usual",
        "began_at",
        "ended_at",
    )
    list_filter = ("state", "site", "date")
    list_select_related = ("mapping",)
    search_fields = ("site",)
    ordering = ("-date", "site", "-pk")
    fields = ("site", "date", "mapping", "state", "directory", "began_at", "ended_at")
    change_form_template = "admin/matching/nightlyrun/change_form.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[NightlyRun]:
        return super().get_queryset(request).select_related("mapping")

    def get_urls(self) -> list[Any]:
        taking_along = path(
            "<int:number>/report/",
            self.admin_site.admin_view(self.report_view),
            name="matching_nightlyrun_report",
        )
        return [taking_along, *super().get_urls()]

    def render_change_form(self, request: Any, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        context["report"] = report(kwargs["obj"])
        return super().render_change_form(request, context, *args, **kwargs)

    def report_view(self, request: HttpRequest, number: int) -> HttpResponse:
        """A file, since the policy for our pages does not allow it its own style."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        run = get_object_or_404(NightlyRun, pk=number)
        name = f"{run.site}-{run.date.isoformat()}.html"
        return HttpResponse(as_html(run), headers={"Content-Disposition": f'attachment; filename="{name}"'})

    @admin.display(description=gettext_lazy("version"))
    def version(self, row: NightlyRun) -> int:
        return row.mapping.version

    @admin.display(description=gettext_lazy("rows"))
    def rows(self, row: NightlyRun) -> str:
        return _count(row, "rows")

    @admin.display(description=gettext_lazy("rejected rows"))
    def rejected(self, row: NightlyRun) -> str:
        return _count(row, "rejected")

    @admin.display(description=gettext_lazy("events"))
    def events(self, row: NightlyRun) -> str:
        return _count(row, "events")

    @admin.display(description=gettext_lazy("as usual"), boolean=True)
    def is_as_usual(self, row: NightlyRun) -> bool | None:
        if row.state == NightlyRun.State.FAILED:
            return False
        return not row.alerts if row.state == NightlyRun.State.LOADED else None


def _count(row: NightlyRun, name: str) -> str:
    return grouped(row.counts[name]) if name in row.counts else EMPTY
