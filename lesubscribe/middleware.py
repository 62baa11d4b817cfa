"""What happens between a request and its page."""

from collections.abc import Callable

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone

from notifications.hours import hours_of
from schema_registry.accounts.limits import TooManyRequests, counted
from schema_registry.problems import problem_response

GetResponse = Callable[[HttpRequest], HttpResponse]


class BusyDatabaseMiddleware:
    """A database that is busy or away is 503 with a word to try again, not a fault of ours."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return busy() if isinstance(exception, OperationalError) else None


class NotAllowedMiddleware:
    """Who opens the address of a button, after signing in again for one, gets a page; programs get none."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        is_browser = "text/html" in request.headers.get("Accept", "")
        if response.status_code != 405 or response.content or not is_browser:
            return response
        page = render(request, "405.html", status=405)
        page["Allow"] = response["Allow"]
        return page


class TimeZoneMiddleware:
    """Pages tell times as the clock on their reader's wall does; the API tells them in UTC."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/api/"):
            return self._get_response(request)
        try:
            zone = hours_of(request.user.pk).zone if request.user.is_authenticated else None
        except OperationalError:
            return busy()
        with timezone.override(zone):
            return self._get_response(request)


class RateLimitMiddleware:
    """Every answer of the API says where its sender stands.

    Requests that were refused before the REST framework counted them, such as those with a wrong key, are
    counted here, and refused for their number when there are too many.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if not request.path.startswith("/api/v1/"):
            return response
        standing = counted(request)
        if standing is None:
            return response
        if standing.is_over and response.status_code < 500 and response.status_code != 429:
            response = _refused(TooManyRequests(standing))
        for name, value in standing.headers.items():
            response[name] = value
        return response


def busy() -> HttpResponse:
    """The page that says so."""
    # Without the request: what a page needs of it, the user for one, is in that database.
    return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "2"})


def _refused(error: TooManyRequests) -> HttpResponse:
    response = problem_response(error.status_code, error.default_code, str(error.detail))
    response["Retry-After"] = str(error.wait)
    return response
