"""What is looked at before a page is made for somebody who is signed in."""

from collections.abc import Callable

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from lesubscribe.security import sessions
from lesubscribe.security.ways import SECOND_STEPS
from schema_registry.accounts.models import User

GetResponse = Callable[[HttpRequest], HttpResponse]
OF_STAFF = ("/admin/", "/outbox", "/operations")


class LastSeenMiddleware:
    """Notes when a session was last seen. Programs have keys, so the API is left alone."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/") and request.user.is_authenticated:
            sessions.note(request)
        return self._get_response(request)


class StaffNeedMfaMiddleware:
    """Where `STAFF_NEEDS_MFA` says so, staff without a second step are led to where they set one up."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.STAFF_NEEDS_MFA and request.path.startswith(OF_STAFF) and _lacks_it(request):
            messages.warning(
                request, _("Staff sign in with a second step here. Set one up first: a passkey or an app.")
            )
            return redirect("mfa_index")
        return self._get_response(request)


def _lacks_it(request: HttpRequest) -> bool:
    user = request.user
    return isinstance(user, User) and user.is_staff and not is_mfa_enabled(user, SECOND_STEPS)
