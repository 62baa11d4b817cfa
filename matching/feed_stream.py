"""One live feed as Server-Sent Events: first what came after the number a client has, then what comes.

A task reads, and holds the stream's place among the listeners; the answer sends what was read, and a comment
when there was nothing for a while. The task reads no more than one portion ahead of the client, in one of few
threads that all streams share; a stream itself keeps no database connection.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.db import Error as DatabaseProblem
from django.db import close_old_connections, connection
from rest_framework.exceptions import APIException

from matching import feed
from matching.feed_hub import FeedHub
from matching.models import Match
from matching.small_transactions import PAUSE_SECONDS, ROWS_PER_TRANSACTION
from schema_registry.accounts.models import User

MATCHES_AT_ONCE = 100
RETRY_MILLISECONDS = 2_000
HEARTBEAT = b": still here\n\n"
_EVENT = b"id: %d\nevent: match\ndata: %b\n\n"
# Few, since each needs a database connection, and publishers need them too.
_READERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="feed")
_log = structlog.get_logger(__name__)
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Pace:
    """What a stream does by itself, in seconds."""

    heartbeat: float = 12  # of silence, until a comment is sent
    look: float = 10  # without a wake-up, until it looks nevertheless
    check: float = 40  # between two questions whether its client may still listen
    rest: float = 0.1  # after a look, however often it is woken


@dataclass(frozen=True, slots=True)
class Portion:
    """What to send, where in the feed that leads (None: its end is not known yet), and if more may follow."""

    content: bytes
    position: int | None
    is_full: bool


class FeedStream:
    """The content of an answer. It ends by itself only when `may_listen` says no, or there is no room."""

    def __init__(
        self,
        owner: User,
        *,
        after: int | None,
        hub: FeedHub,
        may_listen: Callable[[], bool],
        documents: Callable[[Sequence[Match]], Iterable[bytes]],
        pace: Pace = Pace(),  # noqa: B008 - it is immutable
    ) -> None:
        """`after` None means from now on; `documents` writes each match in one line."""
        self._owner = owner
        self._position = after
        self._hub = hub
        self._may_listen = may_listen
        self._documents = documents
        self._pace = pace
        self._portions: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=1)
        self._reading: asyncio.Task[None] | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        # The thread of the request stays with it until the end; the connection it may have opened must not.
        await sync_to_async(_disconnect)()
        self._reading = asyncio.create_task(self._read())
        try:
            while (portion := await self._next_portion()) is not None:
                yield portion
        finally:
            self._reading.cancel()

    def close(self) -> None:
        """Django calls it from a thread when the answer is over, even if it was given up half sent."""
        if self._reading is not None:
            self._reading.get_loop().call_soon_threadsafe(self._reading.cancel)

    async def _next_portion(self) -> bytes | None:
        try:
            async with asyncio.timeout(self._pace.heartbeat):
                return await self._portions.get()
        except TimeoutError:
            return HEARTBEAT

    async def _read(self) -> None:
        try:
            with self._hub.listening(self._owner.pk) as woken:
                await self._read_while_allowed(woken)
        except APIException:
            pass  # others were quicker and there is no room; asking again tells the client so
        except Exception:
            _log.exception("feed_failed", owner=self._owner.pk)
        await self._portions.put(None)

    async def _read_while_allowed(self, woken: asyncio.Event) -> None:
        clock = asyncio.get_running_loop().time
        check_at = clock() + self._pace.check
        await self._portions.put(f"retry: {RETRY_MILLISECONDS}\n\n".encode())
        while True:
            woken.clear()
            try:
                if clock() >= check_at:
                    if not await in_a_thread(self._may_listen):
                        return
                    check_at = clock() + self._pace.check
                portion = await in_a_thread(self._look)
            except DatabaseProblem as error:
                _log.warning("feed_waits_for_the_database", owner=self._owner.pk, error=str(error))
                portion = Portion(b"", self._position, is_full=False)
            self._position = portion.position
            if portion.content:
                await self._portions.put(portion.content)
            if portion.is_full:
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                await self._rest(woken)

    async def _rest(self, woken: asyncio.Event) -> None:
        await asyncio.sleep(self._pace.rest)  # wake-ups that come in a swarm count as one
        try:
            async with asyncio.timeout(self._pace.look):
                await woken.wait()
        except TimeoutError:
            pass  # the look of its own: a wake-up may have been lost

    def _look(self) -> Portion:
        numbered = feed.number_new(self._owner)
        if self._position is None:
            if numbered == ROWS_PER_TRANSACTION:
                return Portion(b"", None, is_full=True)
            last = feed.last_number(self._owner)
            # So a client that is cut off before its first match still knows where it was.
            return Portion(f"id: {last}\n\n".encode(), last, is_full=False)
        stretch = feed.after(self._owner, self._position, limit=MATCHES_AT_ONCE)
        documents = zip(stretch.matches, self._documents(stretch.matches), strict=True)
        content = b"".join(_EVENT % (match.number or 0, document) for match, document in documents)
        is_full = numbered == ROWS_PER_TRANSACTION or len(stretch.matches) == MATCHES_AT_ONCE
        return Portion(content, stretch.up_to, is_full)


async def in_a_thread(ask: Callable[[], Answer]) -> Answer:
    """The answer of something that needs the database. The thread keeps its connection as requests do."""
    return await asyncio.get_running_loop().run_in_executor(_READERS, _answered, ask)


def _answered(ask: Callable[[], Answer]) -> Answer:
    try:
        return ask()
    finally:
        close_old_connections()


def _disconnect() -> None:
    connection.close()  # of whichever thread calls it
