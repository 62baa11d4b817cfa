"""Headers that answers have beside those of Django's SecurityMiddleware and of django-csp."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from schema_registry.problems import problem_response

GetResponse = Callable[[HttpRequest], HttpResponse]
# What no page of ours asks a browser for; passkeys and the clipboard stay, for ourselves.
_PERMISSIONS = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"


class HeadersMiddleware:
    """What is answered to somebody in particular is kept by nobody, unless it says otherwise itself."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        headers = response.headers
        headers.setdefault("Permissions-Policy", _PERMISSIONS)
        if "ETag" not in headers and _is_somebody(request):
            headers.setdefault("Cache-Control", "private, no-store")
        return response


class PlainHttpMiddleware:
    """Who sends a key in the open is told, not led on to https: nobody would notice before it is stolen."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SECURE_SSL_REDIRECT and request.path.startswith("/api/v1/") and not request.is_secure():
            sentence = _(
                "The API answers over https only. A key that was sent has travelled in the open: replace it."
            )
            return problem_response(403, "https_needed", sentence)
        return self._get_response(request)


def of_bare_answers() -> list[tuple[bytes, bytes]]:
    """For those that are given before Django sees the request."""
    headers = [(b"x-content-type-options", b"nosniff"), (b"content-security-policy", b"default-src 'none'")]
    if settings.SECURE_HSTS_SECONDS:
        rule = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains; preload"
        headers.append((b"strict-transport-security", rule.encode()))
    return headers


def _is_somebody(request: HttpRequest) -> bool:
    sent = request.headers
    return "Authorization" in sent or "X-Ticket" in sent or settings.SESSION_COOKIE_NAME in request.COOKIES
