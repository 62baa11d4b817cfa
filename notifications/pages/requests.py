"""What a request of a page says about itself."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


def htmx(request: HttpRequest) -> HtmxDetails:
    details: HtmxDetails = request.htmx  # type: ignore[attr-defined]  # set by its middleware
    return details


def is_htmx(request: HttpRequest) -> bool:
    """Whether a script of the page asks, and so wants a part of it only."""
    return bool(htmx(request))
