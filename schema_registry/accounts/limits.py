"""How many requests a key may send: so many in each window of ten seconds, counted in Redis for all of us.

A request without a key counts for its user, or else for its client's address. When Redis is away nobody is
limited; it is then left alone for some seconds, so that not every request waits for it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import redis
import structlog
from django.conf import settings
from django.http import HttpRequest
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from schema_registry.accounts.models import ApiKey
from schema_registry.core.sentences import gettext as _
from schema_registry.quick_redis import quick_redis

WINDOW_SECONDS = 10
_TIMEOUT_SECONDS = 0.2
_SECONDS_LEFT_ALONE = 5.0
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """What somebody has used of the present window, and the seconds until the next one."""

    limit: int
    used: int
    seconds: int

    @property
    def is_over(self) -> bool:
        return self.used > self.limit

    @property
    def headers(self) -> dict[str, str]:
        """As in the IETF's draft "RateLimit header fields for HTTP"."""
        left = max(0, self.limit - self.used)
        return {
            "RateLimit-Policy": f'"default";q={self.limit};w={WINDOW_SECONDS}',
            "RateLimit": f'"default";r={left};t={self.seconds}',
        }


class TooManyRequests(APIException):
    status_code = status.HTTP_429_TOO_MANY_REQUESTS
    default_code = "too_many_requests"

    def __init__(self, standing: Standing) -> None:
        super().__init__(
            _(
                "More than {limit:,} requests came in {window} seconds; the next is taken in {seconds} s.",
                limit=standing.limit,
                window=WINDOW_SECONDS,
                seconds=standing.seconds,
            )
        )
        self.wait = standing.seconds


class RequestLimit(BaseThrottle):
    """Asked before the body is parsed."""

    def allow_request(self, request: Request, view: Any) -> bool:  # importing its class would go in a circle
        """Raises TooManyRequests."""
        user = request.user.pk if request.user.is_authenticated else None
        standing = counted(request._request, user=user)
        if standing is not None and standing.is_over:
            raise TooManyRequests(standing)
        return True


def counted(request: HttpRequest, *, user: int | None = None) -> Standing | None:
    """Where the sender stands; the request is counted when this is first asked. None while Redis is away."""
    noted: Any = request
    if not hasattr(noted, "rate_limit_standing"):
        counter = _counter(settings.REDIS_URL)
        noted.rate_limit_standing = counter.count(_sender(request, user), limit=settings.RATE_LIMIT)
    standing: Standing | None = noted.rate_limit_standing
    return standing


class RequestCounter:
    """One round trip to Redis for each request. The clock only says how long Redis is left alone."""

    def __init__(self, redis_url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._redis = quick_redis(redis_url, seconds=_TIMEOUT_SECONDS)
        self._clock = clock
        self._ask_again_at = float("-inf")

    def count(self, sender: str, *, limit: int, now: float | None = None) -> Standing | None:
        """Count one request of this sender, at `now` in seconds since the epoch."""
        if self._clock() < self._ask_again_at:
            return None
        moment = time.time() if now is None else now
        window = int(moment // WINDOW_SECONDS)
        try:
            used = self._increased(f"lesubscribe:requests:{sender}:{window}")
        except redis.RedisError as error:
            self._ask_again_at = self._clock() + _SECONDS_LEFT_ALONE
            _log.warning("requests_are_not_limited", error=str(error))
            return None
        return Standing(limit, used, max(1, round((window + 1) * WINDOW_SECONDS - moment)))

    def _increased(self, name: str) -> int:
        pipeline = self._redis.pipeline(transaction=False)
        pipeline.incr(name)
        pipeline.expire(name, 2 * WINDOW_SECONDS)
        used: int = pipeline.execute()[0]
        return used


@cache
def _counter(redis_url: str) -> RequestCounter:
    return RequestCounter(redis_url)


def _sender(request: HttpRequest, user: int | None) -> str:
    key = getattr(request, "auth", None)  # the REST framework puts it there
    if isinstance(key, ApiKey):
        return f"key:{key.pk}"
    return f"address:{request.META.get('REMOTE_ADDR', '')}" if user is None else f"user:{user}"
