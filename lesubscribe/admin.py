"""The administration as a whole: others' models, whose actions are noted as ours are, and who sees what."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from allauth.mfa import admin as _mfa_admin  # noqa: F401 - what it registers is registered anew below
from allauth.mfa.models import Authenticator
from allauth.usersessions import admin as _usersessions_admin  # noqa: F401 - likewise
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.core.exceptions import BadRequest, PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django_celery_beat.admin import PeriodicTaskAdmin
from django_celery_beat.models import PeriodicTask

from lesubscribe.admin_queries import only_by_filters, only_what_fits
from lesubscribe.security import browsers, sessions

Action = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]
Page = Callable[..., HttpResponse]
NOTES_ITSELF = "delete_selected"


class NotingAdmin(admin.ModelAdmin):
    """What is done to rows from the list stands in the history of each."""

    def get_actions(self, request: HttpRequest) -> Any:
        found: dict[str, Any] = super().get_actions(request)
        return {
            name: (do if name == NOTES_ITSELF else partial(_done_and_noted, do, label), name, label)
            for name, (do, _name, label) in found.items()
        }


def _done_and_noted(
    do: Action, label: Any, page: admin.ModelAdmin, request: HttpRequest, chosen: QuerySet[Any]
) -> HttpResponse | None:
    rows = list(chosen)
    answer = do(page, request, chosen)
    for row in rows:
        page.log_change(request, row, str(label) % {"verbose_name_plural": page.opts.verbose_name_plural})
    return answer


def rights_first(guard: Callable[..., Page]) -> Callable[..., Page]:
    """Django looks for the row of a history before it looks at rights, which tells anybody which numbers are
    taken. The other pages ask for rights first; this one does, too."""

    def guarded(view: Page, cacheable: bool = False) -> Page:
        page = getattr(view, "__self__", None)
        if not isinstance(page, admin.ModelAdmin) or view.__name__ != "history_view":
            return guard(view, cacheable)

        @wraps(view)
        def for_those_who_may(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not page.has_view_or_change_permission(request):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return guard(for_those_who_may, cacheable)

    return guarded


def without_nul(guard: Callable[..., Page]) -> Callable[..., Page]:
    """Django's filters and type-ahead fields hand NUL on to PostgreSQL, which refuses it; so it is 400."""

    def guarded(view: Page, cacheable: bool = False) -> Page:
        @wraps(view)
        def for_readable_queries(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if "%00" in request.META["QUERY_STRING"]:
                raise BadRequest
            return view(request, *args, **kwargs)

        return guard(for_readable_queries, cacheable)

    return guarded


# The site, and pages of others' models, have no other place for it.
admin.site.admin_view = rights_first(without_nul(admin.site.admin_view))  # type: ignore[method-assign, assignment]
admin.ModelAdmin.lookup_allowed = only_by_filters(admin.ModelAdmin.lookup_allowed)  # type: ignore[method-assign, assignment]
admin.ModelAdmin.get_changeform_initial_data = only_what_fits(  # type: ignore[method-assign, assignment]
    admin.ModelAdmin.get_changeform_initial_data
)
admin.site.unregister([Authenticator, EmailAddress, PeriodicTask, UserSession])


@admin.register(EmailAddress)
class NotingEmailAddressAdmin(NotingAdmin, EmailAddressAdmin):
    pass


@admin.register(PeriodicTask)
class NotingPeriodicTaskAdmin(NotingAdmin, PeriodicTaskAdmin):
    pass


class LookingAdmin(NotingAdmin):
    """Rows that their owners make; staff may look, and delete them."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Authenticator)
class AuthenticatorAdmin(LookingAdmin):
    """Deleted for somebody who has lost the phone and the codes. What opens is not shown, not even sealed."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    list_select_related = ("user",)
    search_fields = ("user__email",)
    fields = list_display


@admin.register(UserSession)
class UserSessionAdmin(LookingAdmin):
    """Deleting one signs out there."""

    list_display = ("user", "browser", "ip", "created_at", "last_seen_at")
    list_select_related = ("user",)
    search_fields = ("user__email", "ip")
    ordering = ("-pk",)
    fields = list_display

    @admin.display(description=_("browser"))
    def browser(self, row: UserSession) -> str:
        return browsers.in_words(row.user_agent)

    def delete_model(self, request: HttpRequest, row: UserSession) -> None:
        sessions.end_one(row)

    def delete_queryset(self, request: HttpRequest, rows: QuerySet[UserSession]) -> None:
        sessions.end(rows)
