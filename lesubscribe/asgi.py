"""The web application, as uvicorn runs it."""

import gc
import os
from importlib import import_module

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.signals import request_started
from django.db import close_old_connections, connections, reset_queries
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lesubscribe.body_limit import BodyLimit
from lesubscribe.kept_threads import KeptThreads

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")


class SynchronousHandler(ASGIHandler):
    """Runs all middleware and the view in one go in a thread.

    Nearly all of it is synchronous. Django would come back to the event loop between the two, and that alone
    takes a tenth of the time of a small request. What is asynchronous, as live feeds are, still runs there.
    """

    def __init__(self, crowd: "crowding.Crowd") -> None:
        super().__init__()
        self._answer_in_a_thread = sync_to_async(self._answer)
        self._crowd = crowd

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        async with self._crowd.entered(request.path):
            return await self._answer_in_a_thread(request)

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self.get_response(request)
        if response.streaming:
            connections.close_all()  # a feed may stay open for hours
        return response


django.setup(set_prefix=False)
from lesubscribe import crowding  # noqa: E402 - it needs settings, and counts together with other processes
from lesubscribe.security.headers import of_bare_answers  # noqa: E402 - it needs the applications

# Old connections are closed when a request ends. Looking when it begins as well costs a change of threads.
for _receiver in (close_old_connections, reset_queries):
    request_started.disconnect(_receiver)
_bare = of_bare_answers()
_crowd = crowding.Crowd(settings.REQUESTS_AT_ONCE)
# A form takes a file of 8 MB at most, the API a domain of 16 MB, and a batch more, since it is read line by
# line. Taking a larger form apart would cost us much, and nothing those who send it without signing in.
_answering = BodyLimit(
    KeptThreads(SynchronousHandler(_crowd)),
    most_bytes=9_000_000,
    larger={"/api/v1/": 17_000_000, "/api/v1/events/batch": 64_000_000},
    headers=_bare,
)
application = crowding.CrowdLimit(_answering, _crowd, headers=_bare)

# A person or a publisher waits for us; 503 after 5 s is better than an answer after 20.
for _settings in connections.settings.values():
    if _settings["ENGINE"].endswith("sqlite3"):
        _settings["OPTIONS"]["timeout"] = 5

# What is imported stays for good. The collector would look through its hundreds of thousands of objects again
# and again, and let a request in twenty wait for that; so all of it is imported now, and left out.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
