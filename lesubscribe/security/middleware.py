"""What is looked at before a page is made for somebody who is signed in."""

from collections.abc import Callable
from urllib.parse import urlencode

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from lesubscribe.security import sessions
from lesubscribe.security.ways import SECOND_STEPS
from schema_registry.accounts.models import User

GetResponse = Callable[[HttpRequest], HttpResponse]
OF_STAFF = ("/admin/", "/outbox", "/operations")


class LastSeenMiddleware:
    """Ends a session that is too old, and notes when one was last seen, but not by the API."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if sessions.is_over(request):
            logout(request)
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


class StaffConfirmMiddleware:
    """Where `STAFF_CONFIRM_AFTER` is set, staff show again that it is they after so many seconds."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.STAFF_CONFIRM_AFTER and request.path.startswith(OF_STAFF) and _is_stale(request):
            query = urlencode({"next": request.get_full_path()})
            return redirect(f"{reverse('account_reauthenticate')}?{query}")
        return self._get_response(request)


def _is_stale(request: HttpRequest) -> bool:
    user = request.user
    if not (isinstance(user, User) and user.is_staff):
        return False
    proof = sessions.last_proof(request, user)
    return proof is None or (timezone.now() - proof).total_seconds() > settings.STAFF_CONFIRM_AFTER


def _lacks_it(request: HttpRequest) -> bool:
    user = request.user
    return isinstance(user, User) and user.is_staff and not is_mfa_enabled(user, SECOND_STEPS)
