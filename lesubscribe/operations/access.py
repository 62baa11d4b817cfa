"""Who may see the page and act on it: staff with the right; to everybody else it is not there."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

SEE = "operations.view_operations"
Page = Callable[..., HttpResponse]


def may(request: HttpRequest, *rights: str) -> bool:
    """Whether the reader is one of the staff who see the page, and has these rights besides."""
    return bool(request.user.is_staff and request.user.has_perms([SEE, *rights]))


def staff_who_may(*rights: str) -> Callable[[Page], Page]:
    def guard(page: Page) -> Page:
        @wraps(page)
        def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
            if not may(request, *rights):
                raise Http404
            return page(request, *args, **named)

        return login_required(never_cache(guarded))

    return guard
