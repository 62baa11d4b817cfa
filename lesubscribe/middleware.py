"""What happens between a request and its page."""

from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string


class BusyDatabaseMiddleware:
    """A database that is busy or away is 503 with a word to try again, not a fault of ours."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, OperationalError):
            return None
        # Without the request: what a page needs of it, the user for one, is in that database.
        return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "2"})
