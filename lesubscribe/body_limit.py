"""No request body is read beyond a limit, whatever the address: Django would keep all of it on disk first."""

import json
from collections.abc import Awaitable, Callable, Sequence
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


class BodyLimit:
    """An ASGI application around another. Refuses by Content-Length, and by counting where there is none.

    `headers` are those of every refusal.
    """

    def __init__(self, application: Application, *, most_bytes: int, headers: Headers = ()) -> None:
        self._application = application
        self._most = most_bytes
        self._headers = headers

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        if _declared_length(scope) > self._most:
            await self._refuse(scope, send)
            return
        read = 0
        answered = False

        async def receive_some() -> Message:
            nonlocal read, answered
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most and not answered:
                answered = True
                await self._refuse(scope, send)
            # To the application it looks as if the client had gone: it stops and stores nothing.
            return {"type": "http.disconnect"} if answered else message

        async def send_unless_refused(message: Message) -> None:
            if not answered:
                await send(message)

        await self._application(scope, receive_some, send_unless_refused)

    async def _refuse(self, scope: Message, send: Send) -> None:
        with translation.override(_language_asked_for(scope)):
            problem = {
                "type": "urn:lesubscribe:problem:too-large",
                "title": gettext("Too large"),
                "status": 413,
                "detail": _("The body is over {most:,} bytes, the most that is taken.", most=self._most),
            }
        headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close"), *self._headers]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(problem).encode()})


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
