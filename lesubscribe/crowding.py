"""No more requests at a time than can be answered soon; who comes on top is told at once to come again.

Without this a flood would wait in ever more threads, and be answered when nobody waits for it any more. Only
requests that are being worked on count, not those that are still being sent or are streams of a live feed.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import get_language_from_request

from lesubscribe.middleware import busy
from matching import metrics
from schema_registry.core.sentences import gettext as _
from schema_registry.problems import problem_response

SECONDS_TO_WAIT = 2
_ALWAYS_ANSWERED = ("/healthz", "/readyz", "/metrics")  # else whoever looks after us would take us for dead


class Crowd:
    """The requests that are worked on. Programs may not take the last quarter of the room from people."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0

    def has_room(self, path: str) -> bool:
        if path in _ALWAYS_ANSWERED:
            return True
        return self._count < (self._most - self._most // 4 if path.startswith("/api/") else self._most)

    @contextmanager
    def entered(self) -> Iterator[None]:
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1


def refusal(request: HttpRequest) -> HttpResponse:
    """It costs a hundredth of what an event does."""
    metrics.SHED.inc()
    with translation.override(get_language_from_request(request)):
        if not request.path.startswith("/api/"):
            return busy()
        sentence = _("Too many requests are being answered; come again in {wait} s.", wait=SECONDS_TO_WAIT)
        answer = problem_response(503, "overloaded", sentence)
    answer["Retry-After"] = str(SECONDS_TO_WAIT)
    return answer
