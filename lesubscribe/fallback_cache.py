"""The cache is Redis; while that is away, the process's own memory.

What is cached may be lost at any time, so nobody needs to fail for it: people can still sign in when Redis
is away, and the limits on that hold for each process. Redis is then left alone for some seconds, so that not
every request waits for it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis import RedisError

_SECONDS_LEFT_ALONE = 3.0
_log = structlog.get_logger(__name__)


class _Absence:
    """When to ask Redis again. Django makes a cache for every thread and request; this is the process's."""

    ask_again_at = float("-inf")


@contextmanager
def in_memory_only() -> Iterator[None]:
    """While Redis is known not to run: it is not asked, and nobody is warned."""
    before, _Absence.ask_again_at = _Absence.ask_again_at, float("inf")
    try:
        yield
    finally:
        _Absence.ask_again_at = before


def _or_in_memory(name: str) -> Callable[..., Any]:
    def ask(self: "FallbackCache", *args: Any, **options: Any) -> Any:
        if time.monotonic() >= _Absence.ask_again_at:
            try:
                return getattr(RedisCache, name)(self, *args, **options)
            except RedisError as error:
                _Absence.ask_again_at = time.monotonic() + _SECONDS_LEFT_ALONE
                _log.warning("cache_is_in_memory", error=str(error))
        return getattr(self.in_memory, name)(*args, **options)

    return ask


class FallbackCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.in_memory = LocMemCache("while Redis is away", {})

    add = _or_in_memory("add")
    get = _or_in_memory("get")
    set = _or_in_memory("set")
    touch = _or_in_memory("touch")
    delete = _or_in_memory("delete")
    get_many = _or_in_memory("get_many")
    has_key = _or_in_memory("has_key")
    incr = _or_in_memory("incr")
    set_many = _or_in_memory("set_many")
    delete_many = _or_in_memory("delete_many")
    clear = _or_in_memory("clear")
