"""Waking the workers. A message says only "look": the work is in the database, and not lost with a message.

At most one message waits at a time: the worker takes the mark away before it looks, so whatever is committed
after that sends another. When Redis is away, which the mark finds out sooner than a message would, it is left
alone for some seconds, so that not every publisher waits for it; the sweeper finds the work.
"""

import time
from functools import cache

import structlog
from celery import current_app
from django.conf import settings
from django.core.cache import caches

from matching.shards import Shard, split

_MARK_SECONDS = 10  # should the message be lost, the next publication sends another after this
_SECONDS_GOOD_FOR = 60  # without a worker they would pile up; the sweeper sends new ones
_SECONDS_LEFT_ALONE = 3.0
_SHARED = "between_processes"
_log = structlog.get_logger(__name__)


class WakeUp:
    """The message that lets a worker run a task, which finds its work itself."""

    def __init__(self, task: str, *arguments: int, queue: str | None = None) -> None:
        """The queue is that of the task, unless another is named."""
        self._task = task
        self._arguments = arguments
        self._queue = queue
        self._mark = f"{task}-is-on-its-way" + (f"-to-{queue}" if queue else "")
        self._ask_again_at = float("-inf")

    def send(self) -> bool:
        """To be called after the commit. Never fails; whether it is on its way."""
        if time.monotonic() < self._ask_again_at:
            return False
        try:
            if caches[_SHARED].add(self._mark, True, timeout=_MARK_SECONDS):
                current_app.send_task(
                    self._task, self._arguments, queue=self._queue, expires=_SECONDS_GOOD_FOR
                )
        except Exception as error:
            self._ask_again_at = time.monotonic() + _SECONDS_LEFT_ALONE
            _log.warning("wake_up_failed", task=self._task, error=str(error))
            return False
        return True

    def arrived(self) -> None:
        """The task runs, and has not looked yet. Never fails: a mark that stays ends by itself."""
        try:
            caches[_SHARED].delete(self._mark)
        except Exception as error:
            _log.warning("mark_stays", task=self._task, error=str(error))


@cache
def of_shard(shard: Shard) -> WakeUp:
    """That of the workers which match on this shard."""
    return WakeUp("matching.tasks.drain", shard.number, queue=shard.queue)


def wake_matchers() -> None:
    """Those of all shards. When Redis is away for one, the publisher does not wait for it once more."""
    all(of_shard(shard).send() for shard in split(settings.MATCHING_SHARDS))
