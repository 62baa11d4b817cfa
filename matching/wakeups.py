"""Waking the workers. A message says only "look": the work is in the database, and not lost with a message.

At most one message waits at a time: the worker takes the mark away before it looks, so whatever is committed
after that sends another. When Redis is away it is left alone for some seconds, so that not every publisher
waits for it; the sweeper finds the work.
"""

import time

import structlog
from celery import current_app
from django.core.cache import cache

DRAIN = "matching.tasks.drain"
_MARK = "drain-is-on-its-way"
_MARK_SECONDS = 10  # should the message be lost, the next publication sends another after this
_SECONDS_GOOD_FOR = 60  # without a worker they would pile up; the sweeper sends new ones
_SECONDS_LEFT_ALONE = 3.0
_log = structlog.get_logger(__name__)
_ask_again_at = float("-inf")


def wake_matchers() -> None:
    """To be called after the commit. Never fails."""
    global _ask_again_at
    if time.monotonic() < _ask_again_at:
        return
    try:
        if none_is_on_its_way():
            current_app.send_task(DRAIN, expires=_SECONDS_GOOD_FOR)
    except Exception as error:
        _ask_again_at = time.monotonic() + _SECONDS_LEFT_ALONE
        _log.warning("wake_up_failed", error=str(error))


def none_is_on_its_way() -> bool:
    """Whether a message should be sent; it is marked as sent."""
    return cache.add(_MARK, True, timeout=_MARK_SECONDS)


def matchers_are_awake() -> None:
    """Never fails: a mark that stays ends by itself."""
    try:
        cache.delete(_MARK)
    except Exception as error:
        _log.warning("mark_stays", error=str(error))
