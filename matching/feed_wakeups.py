"""Waking the live feeds. A message says only whose feed has something new; the matches are in the database.

Nothing is lost with a message: a feed that was not woken looks by itself some seconds later. When Redis is
away it is left alone for some seconds, since a worker calls this after every commit.
"""

import json
import time
from collections.abc import Iterable
from functools import cache

import redis
import structlog
from django.conf import settings

from schema_registry.quick_redis import quick_redis

CHANNEL = "lesubscribe:feeds"
_SECONDS_LEFT_ALONE = 3.0
_log = structlog.get_logger(__name__)
_ask_again_at = float("-inf")


def wake_feeds(owner_ids: Iterable[int]) -> None:
    """Tell every web process that these people have new matches, with one PUBLISH. Never fails."""
    global _ask_again_at
    owners = sorted(set(owner_ids))
    if not owners or time.monotonic() < _ask_again_at:
        return
    try:
        _client().publish(CHANNEL, json.dumps(owners))
    except Exception as error:
        _ask_again_at = time.monotonic() + _SECONDS_LEFT_ALONE
        _log.warning("waking_feeds_failed", error=str(error))


@cache
def _client() -> redis.Redis:
    return quick_redis(settings.REDIS_URL, seconds=1)
