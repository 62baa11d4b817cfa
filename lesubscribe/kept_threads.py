"""Threads that are kept from request to request, and with each its connection to the database.

By itself Django starts a thread for every request under ASGI, connects to the database in it, and closes
both at the end. That takes longer than many a request; on SQLite the last connection to close also writes
the whole write-ahead log back.
"""

from concurrent.futures import ThreadPoolExecutor

from asgiref.sync import ThreadSensitiveContext

from lesubscribe.body_limit import Application, Message, Receive, Send

MOST_IDLE = 16


class KeptThreads:
    """An ASGI application around another. Each request has a thread of its own; there are always enough."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self._application(scope, receive, send)
        finally:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(thread)
            else:
                thread.shutdown(wait=False)
