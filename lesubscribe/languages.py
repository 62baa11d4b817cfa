"""In which language a page is, and the switch at its foot.

Django's own middleware takes the language of a visitor from their cookie, or else from what the browser asks
for; the one here puts a person's own choice before that. The API goes by what the program asks for.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from schema_registry.accounts import languages
from schema_registry.accounts.models import User


class OwnLanguageMiddleware:
    """Who is signed in reads the language they chose."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/") and (code := _chosen_by(request)):
            translation.activate(code)
            request.LANGUAGE_CODE = code
        return self._get_response(request)


def _chosen_by(request: HttpRequest) -> str:
    return languages.known(request.user.language) if isinstance(request.user, User) else ""


# Pages for visitors are kept by browsers, and a token in them would be another each time. Who comes from
# another site comes without their session, so that there is only the cookie to change.
@csrf_exempt
@require_POST
@never_cache
def switch(request: HttpRequest) -> HttpResponse:
    """Goes back to where it was asked for. The cookie stays for the time after signing out."""
    if isinstance(request.user, User) and (code := languages.known(request.POST.get("language"))):
        languages.choose(request.user, code)
    response: HttpResponse = set_language(request)
    return response
