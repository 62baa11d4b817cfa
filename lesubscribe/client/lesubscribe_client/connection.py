"""The connection: asks again where that is right, and raises what was refused.

Asking again is right when the request certainly did nothing (no connection, or one request too many), and for
requests that do no more when they are done twice. Publishing is among these: an event is known by its
idempotency key, its revision or its content. Subscribing twice makes two, so that is not repeated.
"""

import random
import re
import time
from typing import Any

import httpx

from lesubscribe_client.errors import NoAnswer, refusal, seconds_to_wait

TIMEOUT = httpx.Timeout(60.0, connect=10.0)
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
LOST = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_TOO_MANY_REQUESTS = 429
_FAILURES = frozenset({500, 502, 503, 504})
# Whatever is read, removed or set to a value may be so twice; and of what is posted, this.
_REPEATABLE_METHODS = frozenset({"GET", "DELETE", "PATCH"})
_REPEATABLE_POSTS = re.compile(r".*/api/v1/(events(/batch)?|subscriptions/(preview|\d+/renew)|matches/seen)")


class PatientClient(httpx.Client):
    """Asks again for up to `patience` seconds. Raises Refused for an answer that says no, and NoAnswer."""

    def __init__(self, *, patience: float, **options: Any) -> None:
        super().__init__(**options)
        self.patience = patience

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        pauses = Pauses(self.patience)
        may_have_arrived = False
        while True:
            try:
                response = super().send(request, **options)
                if response.is_success:
                    return response
                response.read()
            except LOST as error:
                was_sent = not isinstance(error, _NEVER_SENT)
                may_have_arrived |= was_sent
                if (was_sent and not is_repeatable(request)) or not pauses.pause():
                    raise NoAnswer(f"No answer to {request.method} {request.url}: {error!r}") from error
            else:
                if may_have_arrived and _is_gone(request, response):  # by the request whose answer was lost
                    return httpx.Response(httpx.codes.NO_CONTENT, request=request)
                is_worth_it = _may_ask_again(request, response.status_code)
                if not (is_worth_it and pauses.pause(seconds_to_wait(response))):
                    raise refusal(response)


class Pauses:
    """Growing ones, each with some chance in it, so that many clients do not come back at once."""

    def __init__(self, patience: float) -> None:
        self._until = time.monotonic() + patience
        self._next = FIRST_PAUSE

    def pause(self, at_least: float | None = None) -> bool:
        """Wait; or say at once that it would take longer than there is patience."""
        chance = 0.5 + random.random()  # noqa: S311 - nobody gains by guessing it
        seconds = max(self._next * chance, at_least or 0.0)
        if time.monotonic() + seconds > self._until:
            return False
        self._next = min(2 * self._next, LONGEST_PAUSE)
        time.sleep(seconds)
        return True


def is_repeatable(request: httpx.Request) -> bool:
    """Whether it does no more when it is done twice."""
    is_harmless_post = request.method == "POST" and _REPEATABLE_POSTS.fullmatch(request.url.path)
    return request.method in _REPEATABLE_METHODS or bool(is_harmless_post)


def _may_ask_again(request: httpx.Request, status: int) -> bool:
    return status == _TOO_MANY_REQUESTS or (status in _FAILURES and is_repeatable(request))


def _is_gone(request: httpx.Request, response: httpx.Response) -> bool:
    return request.method == "DELETE" and response.status_code == httpx.codes.NOT_FOUND
