"""Publishers: approving and suspending them, their quota, their members and their keys."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.db import IntegrityError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from schema_registry.accounts import services
from schema_registry.accounts.admin.keys import Revoke
from schema_registry.accounts.admin.members import AddMember, RemoveMember
from schema_registry.accounts.memberships import members_of
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from schema_registry.staff.asking import AskingAdmin, asking_url
from schema_registry.staff.questions import Question, Subject
from schema_registry.staff.saving import ServiceAdmin


class SetState(Question):
    """Approving or suspending publishers."""

    done = gettext_lazy("Done for %(names)s.")
    state: ClassVar[Publisher.State]

    def makes_sense_for(self, row: Publisher) -> bool:
        return row.state != self.state

    def subjects(self, rows: Sequence[Publisher]) -> list[Subject]:
        return [Subject(row, [self._effect(row)]) for row in rows]

    def do(self, user: Any, row: Publisher, why: str) -> str:
        services.set_publisher_state(row, self.state)
        return f"{self.state.label}. {why}"

    def _effect(self, row: Publisher) -> str:
        live = row.user.keys.filter(revoked_at=None).count()
        now = _("It is %(state)s now.") % {"state": row.get_state_display()}
        keys = ngettext("It has %(count)d live key.", "It has %(count)d live keys.", live) % {"count": live}
        return f"{now} {keys}"


class Approve(SetState):
    name = "approve"
    label = gettext_lazy("Approve")
    explanation = gettext_lazy("Its keys may publish events and extend the schema, each within its scopes.")
    state = Publisher.State.APPROVED


class Suspend(SetState):
    name = "suspend"
    label = gettext_lazy("Suspend")
    explanation = gettext_lazy(
        "Its keys are refused from now on. What it has published stays, and it can be approved again."
    )
    state = Publisher.State.SUSPENDED


@admin.register(Publisher)
class PublisherAdmin(AskingAdmin, ServiceAdmin):
    list_display = ("name", "state", "extensions_per_day", "live_keys", "created_at")
    list_filter = ("state",)
    list_select_related = ("user",)
    search_fields = ("name",)
    add_fieldsets = ((None, {"fields": ("name", "state", "extensions_per_day")}),)
    fieldsets = (
        (None, {"fields": ("name", "state", "extensions_per_day")}),
        (None, {"fields": ("user", "created_at")}),
    )
    readonly_fields = ("name", "state", "user", "created_at")
    change_form_template = "admin/accounts/publisher/change_form.html"
    questions = (Approve(), Suspend(), AddMember(), RemoveMember())

    def get_queryset(self, request: HttpRequest) -> QuerySet[Publisher]:
        return super().get_queryset(request).prefetch_related("user__keys")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may_answer(request)

    def write(self, request: HttpRequest, form: Any, formsets: Sequence[Any], change: bool) -> str:
        quota = form.cleaned_data["extensions_per_day"]
        if not change:
            entered = form.cleaned_data
            try:
                made = services.publisher_named(entered["name"], state=Publisher.State(entered["state"]))
            except IntegrityError:
                raise InputError(_("There is a publisher of this name by now.")) from None
            form.instance.pk = made.pk
        services.set_extensions_per_day(form.instance, quota)
        form.instance.refresh_from_db()
        return _("%(quota)d extensions of the schema a day.") % {"quota": quota}

    def render_change_form(self, request: Any, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        row = kwargs.get("obj")
        if row is not None:
            context["members"] = members_of(row)
        if row is not None and request.user.has_perm("accounts.view_apikey"):
            keys = row.user.keys.order_by("-created_at")
            context["keys"] = [(key, asking_url(key, Revoke.name)) for key in keys]
            context["may_revoke"] = request.user.has_perm("accounts.change_apikey")
        return super().render_change_form(request, context, *args, **kwargs)

    def tools(self, request: HttpRequest, row: Publisher) -> list[tuple[Any, str]]:
        issue = (_("Issue a key"), f"{reverse('admin:accounts_apikey_add')}?user={row.user_id}")
        may_issue = request.user.has_perm("accounts.add_apikey")
        return [*super().tools(request, row), *([issue] if may_issue else [])]

    @admin.display(description=gettext_lazy("live keys"))
    def live_keys(self, row: Publisher) -> int:
        return sum(key.revoked_at is None for key in row.user.keys.all())
