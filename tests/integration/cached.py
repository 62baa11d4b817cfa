"""The cache of tests. What one leaves there, or that it had no Redis, is not for the next."""

import redis
from django.conf import settings
from django.core.cache import caches

from lesubscribe import fallback_cache
from lesubscribe.fallback_cache import FallbackCache


def forget() -> None:
    """Nothing is cached, and Redis is there.

    While it is believed away, `cache.clear()` would only empty what stands in for it.
    """
    cache = caches["default"]
    assert isinstance(cache, FallbackCache)
    cache.in_memory.clear()
    redis.Redis.from_url(settings.REDIS_URL).flushdb()
    fallback_cache._Absence.ask_again_at = float("-inf")
