"""Who listens to live feeds in this process, and the one Redis subscription that wakes them all.

The subscription starts with the first listener and ends with the last. Whenever it is made, anew or again
after Redis was away, everybody is woken: nobody knows what was published meanwhile.
"""

import asyncio
import contextlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

import redis.asyncio
import structlog
from prometheus_client import Gauge
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from rest_framework.exceptions import APIException

from matching.feed_wakeups import CHANNEL
from schema_registry.core.sentences import gettext as _

MOST_OF_AN_OWNER = 10
MOST_OF_A_PROCESS = 1_000
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # seconds between tries to reach Redis
SECONDS_BETWEEN_CHECKS = 15  # an idle connection is used so often, before something between cuts it
STREAMS = Gauge("lesubscribe_feed_streams", "Open live feeds.", multiprocess_mode="mostrecent")
_log = structlog.get_logger(__name__)


class TooManyOfYours(APIException):
    status_code = 429
    default_code = "too_many_streams"
    wait = 5


class TooManyOfAll(APIException):
    status_code = 503
    default_code = "too_many_streams"
    wait = 60


class FeedHub:
    """All but `check_room` is for the event loop's thread only."""

    def __init__(self, redis_url: str) -> None:
        self._redis_url = redis_url
        self._listeners: dict[int, set[asyncio.Event]] = {}
        self._count = 0
        self._subscription: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return self._count

    def check_room(self, owner: int) -> None:
        """Raises TooManyOfYours or TooManyOfAll."""
        if len(self._listeners.get(owner, ())) >= MOST_OF_AN_OWNER:
            most = MOST_OF_AN_OWNER
            raise TooManyOfYours(
                _("You have {most} live feeds open, which is the most; close one first.", most=most)
            )
        if self._count >= MOST_OF_A_PROCESS:
            raise TooManyOfAll(_("All places for live feeds are taken; try again in a minute."))

    @contextlib.contextmanager
    def listening(self, owner: int) -> Iterator[asyncio.Event]:
        """An event that is set whenever the owner may have something new. Raises as `check_room` does."""
        self.check_room(owner)
        woken = asyncio.Event()
        self._listeners.setdefault(owner, set()).add(woken)
        self._counted(self._count + 1)
        if self._subscription is None:
            self._subscription = asyncio.create_task(self._keep_subscribed())
        try:
            yield woken
        finally:
            self._listeners[owner].discard(woken)
            if not self._listeners[owner]:
                del self._listeners[owner]
            self._counted(self._count - 1)
            if not self._count:
                self._subscription.cancel()
                self._subscription = None

    def _counted(self, count: int) -> None:
        self._count = count
        STREAMS.set(count)

    async def _keep_subscribed(self) -> None:
        pause = FIRST_PAUSE
        while not _was_cancelled():
            try:
                async with self._client() as client, client.pubsub() as subscription:
                    await subscription.subscribe(CHANNEL)
                    while not _was_cancelled():
                        self._take(await subscription.get_message(timeout=SECONDS_BETWEEN_CHECKS))
                        pause = FIRST_PAUSE
            except Exception as error:  # whatever it was, the feeds look by themselves until we are back
                _log.warning("feed_wakeups_are_away", error=str(error), again_in=pause)
            if not _was_cancelled():
                await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _client(self) -> redis.asyncio.Redis:
        # No retries inside: we want to know of every new connection.
        return redis.asyncio.Redis.from_url(
            self._redis_url,
            socket_connect_timeout=5,
            health_check_interval=SECONDS_BETWEEN_CHECKS,
            retry=Retry(NoBackoff(), 0),
        )

    def _take(self, message: dict[str, Any] | None) -> None:
        if message is None:
            return
        if message["type"] == "subscribe":
            self._wake(list(self._listeners))
        elif message["type"] == "message":
            self._wake(json.loads(message["data"]))

    def _wake(self, owners: Iterable[int]) -> None:
        for owner in owners:
            for woken in self._listeners.get(owner, ()):
                woken.set()


def _was_cancelled() -> bool:
    """Python 3.11's `wait_for`, which the Redis client uses, passes a cancellation over now and then."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
