"""No more requests at a time than can be answered soon; who comes on top is told at once to come again.

Without this a flood would be worked on in ever more threads, and answered when nobody waits for it any more.
Some are worked on, others wait for their turn. Those that are still being sent, and streams of a live feed,
do not count.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache

from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import get_language_from_request

from lesubscribe.body_limit import Application, Headers, Message, Receive, Send
from lesubscribe.middleware import busy
from matching import metrics
from schema_registry.core.sentences import gettext as _
from schema_registry.problems import problem_response

AT_WORK = 32  # more threads would only take the interpreter from each other; some wait for a database
SECONDS_TO_WAIT = 2
_API = "/api/"
_ALWAYS_ANSWERED = ("/healthz", "/readyz", "/metrics")  # else whoever looks after us would take us for dead


class Crowd:
    """The requests that are there. Programs may not take the last quarter of the room from people."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._turns = asyncio.Semaphore(AT_WORK)

    def has_room(self, path: str) -> bool:
        if path in _ALWAYS_ANSWERED:
            return True
        return self._count < (self._most - self._most // 4 if path.startswith(_API) else self._most)

    @asynccontextmanager
    async def entered(self, path: str) -> AsyncIterator[None]:
        """When it is its turn."""
        if path in _ALWAYS_ANSWERED:
            yield
            return
        self._count += 1
        try:
            async with self._turns:
                yield
        finally:
            self._count -= 1


class CrowdLimit:
    """An ASGI application around another, which says who has entered. Nothing of a refused request is read.

    Requests that arrive in the same moment may be a few more than the limit: who has room enters a bit later.
    `headers` are those of every refusal.
    """

    def __init__(self, application: Application, crowd: Crowd, *, headers: Headers = ()) -> None:
        self._application = application
        self._crowd = crowd
        self._headers = headers

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._crowd.has_room(scope["path"]):
            await self._application(scope, receive, send)
            return
        metrics.SHED.inc()
        kind, body = _refusal(scope["path"].startswith(_API), _languages_asked_for(scope))
        headers = [
            (b"content-type", kind),
            (b"content-length", b"%d" % len(body)),
            (b"retry-after", b"%d" % SECONDS_TO_WAIT),
            *self._headers,
        ]
        await send({"type": "http.response.start", "status": 503, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@lru_cache(maxsize=100)
def _refusal(is_program: bool, languages: str) -> tuple[bytes, bytes]:
    """Its content type, and itself. It is kept: to make it anew would take a tenth of what an event does."""
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = languages
    with translation.override(get_language_from_request(request)):
        sentence = _("Too many requests are being answered; come again in {wait} s.", wait=SECONDS_TO_WAIT)
        answer = problem_response(503, "overloaded", sentence) if is_program else busy()
    return answer["Content-Type"].encode(), answer.content


def _languages_asked_for(scope: Message) -> str:
    asked = (value for name, value in scope["headers"] if name == b"accept-language")
    return next(asked, b"").decode("latin-1")
