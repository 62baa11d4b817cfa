"""No request body is read beyond a limit, whatever the address: Django would keep all of it on disk first."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import get_language_from_request, gettext

from schema_registry.core.sentences import gettext as _

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Any, Any], Awaitable[None]]
Headers = Sequence[tuple[bytes, bytes]]
NOWHERE: Mapping[str, int] = MappingProxyType({})


class BodyLimit:
    """An ASGI application around another. Refuses by Content-Length, and by counting where there is none.

    `larger` is what addresses that begin so take, where that is more; of several the last counts. `headers`
    are those of every refusal.
    """

    def __init__(
        self,
        application: Application,
        *,
        most_bytes: int,
        larger: Mapping[str, int] = NOWHERE,
        headers: Headers = (),
    ) -> None:
        self._application = application
        self._most = most_bytes
        self._larger = larger
        self._headers = headers

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        most = self._most_at(scope)
        if _declared_length(scope) > most:
            await self._refuse(scope, send, most)
            return
        read = 0
        answered = False

        async def receive_some() -> Message:
            nonlocal read, answered
            message = await receive()
            read += len(message.get("body", b""))
            if read > most and not answered:
                answered = True
                await self._refuse(scope, send, most)
            # To the application it looks as if the client had gone: it stops and stores nothing.
            return {"type": "http.disconnect"} if answered else message

        async def send_unless_refused(message: Message) -> None:
            if not answered:
                await send(message)

        await self._application(scope, receive_some, send_unless_refused)

    def _most_at(self, scope: Message) -> int:
        path = scope.get("path", "")
        return [self._most, *(most for begin, most in self._larger.items() if path.startswith(begin))][-1]

    async def _refuse(self, scope: Message, send: Send, most: int) -> None:
        with translation.override(_language_asked_for(scope)):
            title = gettext("Too large")
            detail = _("The body is over {most:,} bytes, the most that is taken.", most=most)
        kind, body = b"text/plain; charset=utf-8", detail  # a person reads it
        if scope.get("path", "").startswith("/api/"):
            name = "urn:lesubscribe:problem:too-large"
            problem = {"type": name, "title": title, "status": 413, "detail": detail}
            kind, body = b"application/problem+json", json.dumps(problem)
        headers = [(b"content-type", kind), (b"connection", b"close"), *self._headers]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body.encode()})


def _language_asked_for(scope: Message) -> str:
    request = HttpRequest()
    accepted = (value.decode("latin-1") for name, value in scope["headers"] if name == b"accept-language")
    request.META["HTTP_ACCEPT_LANGUAGE"] = next(accepted, "")
    return get_language_from_request(request)


def _declared_length(scope: Message) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
