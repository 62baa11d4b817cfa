"""The administration as a whole: others' models, whose actions are noted as ours are, and who sees what."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from allauth.account.admin import EmailAddressAdmin
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django_celery_beat.admin import PeriodicTaskAdmin
from django_celery_beat.models import PeriodicTask

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


admin.site.admin_view = rights_first(admin.site.admin_view)  # type: ignore[method-assign, assignment]  # the site has no other place for it
admin.site.unregister([EmailAddress, PeriodicTask])


@admin.register(EmailAddress)
class NotingEmailAddressAdmin(NotingAdmin, EmailAddressAdmin):
    pass


@admin.register(PeriodicTask)
class NotingPeriodicTaskAdmin(NotingAdmin, PeriodicTaskAdmin):
    pass
