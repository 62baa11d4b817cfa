"""API keys: issuing one, whose secret is shown once, and revoking."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from schema_registry.accounts import services
from schema_registry.accounts.models import ApiKey, Publisher, Scope
from schema_registry.staff.asking import AskingAdmin
from schema_registry.staff.questions import Question, Subject
from schema_registry.staff.saving import ServiceAdmin, ServiceForm
from schema_registry.staff.wording import listed


class Revoke(Question):
    name = "revoke"
    label = gettext_lazy("Revoke")
    explanation = gettext_lazy("Programs that use it are refused at once. This cannot be taken back.")
    done = gettext_lazy("Revoked: %(names)s.")

    def makes_sense_for(self, row: ApiKey) -> bool:
        return row.revoked_at is None

    def subjects(self, rows: Sequence[ApiKey]) -> list[Subject]:
        return [Subject(row, [_last_use(row)], self._refusal(row)) for row in rows]

    def do(self, user: Any, row: ApiKey, why: str) -> str:
        services.revoke_key(row, now=timezone.now())
        return _("Revoked. %(why)s") % {"why": why}

    def _refusal(self, row: ApiKey) -> str:
        return "" if self.makes_sense_for(row) else _("It is revoked already.")


class KeyForm(ServiceForm):
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Scopes"), choices=Scope.choices, widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = ApiKey
        fields = ("user", "name", "scopes")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        if {"user", "scopes"} <= cleaned.keys():
            is_publisher = Publisher.objects.filter(user=cleaned["user"]).exists()
            possible = services.SCOPES_OF_PUBLISHERS if is_publisher else services.SCOPES_OF_SUBSCRIBERS
            if not set(cleaned["scopes"]) <= set(possible):
                sentence = _("This user's keys can only have the scopes %(scopes)s.")
                self.add_error("scopes", sentence % {"scopes": listed(scope.label for scope in possible)})
        return cleaned


class LiveFilter(admin.SimpleListFilter):
    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("live", gettext_lazy("live")), ("revoked", gettext_lazy("revoked"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        return queryset.filter(revoked_at__isnull=self.value() == "live")


@admin.register(ApiKey)
class ApiKeyAdmin(AskingAdmin, ServiceAdmin):
    list_display = ("prefix", "name", "owner", "its_scopes", "created_at", "last_used_at", "revoked_at")
    list_filter = (LiveFilter,)
    list_select_related = ("user__publisher",)
    search_fields = ("prefix", "name", "user__email", "user__name")
    autocomplete_fields = ("user",)
    add_form = KeyForm
    add_fieldsets = ((None, {"fields": ("user", "name", "scopes")}),)
    fields = ("user", "name", "prefix", "its_scopes", "created_at", "last_used_at", "revoked_at")
    questions = (Revoke(),)
    refusals = (services.KeyRefusedError,)

    def write(self, request: HttpRequest, form: Any, formsets: Sequence[Any], change: bool) -> str:
        entered = form.cleaned_data
        scopes = [Scope(scope) for scope in entered["scopes"]]
        key, secret = services.issue_key(entered["user"], scopes, name=entered["name"])
        form.instance.pk = key.pk
        form.instance.refresh_from_db()
        shown_once = _("The key is {}. It is shown only this once.")
        self.message_user(
            request, format_html(shown_once, format_html("<code>{}</code>", secret)), messages.WARNING
        )
        return _("Issued for %(scopes)s.") % {"scopes": listed(key.scopes)}

    @admin.display(description=pgettext_lazy("holder", "of"), ordering="user__name")
    def owner(self, row: ApiKey) -> str:
        return str(getattr(row.user, "publisher", row.user))

    @admin.display(description=gettext_lazy("scopes"))
    def its_scopes(self, row: ApiKey) -> str:
        return listed(row.scopes)


def _last_use(key: ApiKey) -> str:
    if key.last_used_at is None:
        return _("It was never used.")
    ago = timesince(key.last_used_at, depth=1)
    return _("It was last used %(ago)s ago.") % {"ago": ago}
