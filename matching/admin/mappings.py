"""Mappings of sites: adding one, changing it by its next version, taking it along as a file, trying it."""

import json
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin import helpers
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from matching.admin.trying import TryForm, in_words, written
from matching.feeds.mapping import InvalidMapping
from matching.models import SiteMapping
from matching.nightly import mappings
from schema_registry.core.errors import InputError
from schema_registry.core.json_input import MAX_BYTES, in_a_file, read_json
from schema_registry.core.wording import said_of
from schema_registry.staff.saving import ServiceAdmin, ServiceForm, why_field


class MappingForm(ServiceForm):
    """The document comes from the field or, if one is given, from a file."""

    document = forms.CharField(
        label=gettext_lazy("Mapping"),
        required=False,
        max_length=MAX_BYTES,
        widget=written(rows=30),
        help_text=gettext_lazy("As JSON: which fields of the feed become which attributes, and how."),
    )
    file = forms.FileField(
        label=gettext_lazy("From a file"),
        required=False,
        help_text=gettext_lazy("A file with the mapping; it takes the place of the text above."),
    )
    why = why_field()

    class Meta:
        model = SiteMapping
        fields = ("site", "publisher")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["document"] = _written(self.instance.document)

    def clean(self) -> dict[str, Any] | None:
        cleaned = self.cleaned_data
        try:
            cleaned["document"] = mappings.checked(read_json(self._text()))
        except InvalidMapping as invalid:
            for where, fault in invalid.faults.items():
                self.add_error("document", said_of(where, fault) if where else fault)
        except (InputError, ValidationError) as refused:
            said = refused.messages if isinstance(refused, ValidationError) else [str(refused)]
            self.add_error("document", said)
        return super().clean()

    def _text(self) -> str:
        file = self.cleaned_data.get("file")
        if file is None:
            if not (text := self.cleaned_data.get("document", "")):
                raise ValidationError(_("Write the mapping here, or choose a file."))
            return str(text)
        if file.size > MAX_BYTES:
            raise ValidationError(_("The file is too large."))
        return in_a_file(file.read())


class NewestFilter(admin.SimpleListFilter):
    title = gettext_lazy("version")
    parameter_name = "versions"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (("all", gettext_lazy("all versions")),)

    def choices(self, changelist: Any) -> Any:
        newest, every = super().choices(changelist)
        return ({**newest, "display": _("the newest")}, every)

    def queryset(self, request: HttpRequest, queryset: QuerySet[SiteMapping]) -> QuerySet[SiteMapping]:
        return queryset if self.value() == "all" else queryset.filter(pk__in=mappings.newest_numbers())


@admin.register(SiteMapping)
class SiteMappingAdmin(ServiceAdmin):
    list_display = ("site", "version", "publisher", "created_at")
    list_filter = (NewestFilter, "publisher")
    list_select_related = ("publisher",)
    search_fields = ("site", "publisher__name")
    ordering = ("site", "-version")
    add_form = MappingForm
    form = MappingForm
    add_fieldsets = ((None, {"fields": ("site", "publisher", "document", "file", "why")}),)
    change_form_template = "admin/matching/sitemapping/change_form.html"

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        return [
            path("<int:number>/export/", view(self.export_view), name="matching_sitemapping_export"),
            path("<int:number>/try/", view(self.try_view), name="matching_sitemapping_try"),
            *super().get_urls(),
        ]

    def has_change_permission(self, request: HttpRequest, obj: SiteMapping | None = None) -> bool:
        """What is saved is the next version; older ones stay as they are."""
        may = request.user.has_perm("matching.change_sitemapping")
        return may and (obj is None or mappings.is_newest(obj))

    def get_readonly_fields(self, request: HttpRequest, obj: SiteMapping | None = None) -> Any:
        if obj is None:
            return ()
        return ("site",) if self.has_change_permission(request, obj) else ("site", "publisher", "as_json")

    def get_fieldsets(self, request: HttpRequest, obj: SiteMapping | None = None) -> Any:
        if obj is None or self.has_change_permission(request, obj):
            return self.add_fieldsets
        return ((None, {"fields": ("site", "version", "publisher", "created_at", "as_json")}),)

    def write(self, request: HttpRequest, form: Any, formsets: Sequence[Any], change: bool) -> str:
        entered, row = form.cleaned_data, form.instance
        saved = mappings.save(row.site, entered["document"], publisher=row.publisher, now=timezone.now())
        row.pk, row.version = saved.pk, saved.version
        row.refresh_from_db()
        return _("Version %(version)d. %(why)s") % {"version": saved.version, "why": entered["why"]}

    def export_view(self, request: HttpRequest, number: int) -> HttpResponse:
        row = self._row(request, number)
        name = f"{row.site}-v{row.version}.json"
        return HttpResponse(
            _written(row.document),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    def try_view(self, request: HttpRequest, number: int) -> HttpResponse:
        """What rows of the feed would become; nothing is stored."""
        row = self._row(request, number)
        form = TryForm(row, request.POST if request.method == "POST" else None)
        trial = form.trial if form.is_valid() else None
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Try %(mapping)s") % {"mapping": row},
            "form": form,
            # The stubs take only forms of models here; Django takes any.
            "adminform": helpers.AdminForm(form, [(None, {"fields": list(form.fields)})], {}),  # type: ignore[arg-type]
            "trial": trial,
            "first": [in_words(each) for each in trial.first] if trial else [],
            "media": self.media + form.media,
            "back": reverse("admin:matching_sitemapping_change", args=[row.pk]),
        }
        return TemplateResponse(request, "admin/matching/sitemapping/try.html", context)

    def _row(self, request: HttpRequest, number: int) -> SiteMapping:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        return get_object_or_404(SiteMapping, pk=number)

    @admin.display(description=gettext_lazy("mapping"))
    def as_json(self, row: SiteMapping) -> str:
        return _written(row.document)


def _written(document: Any) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)
