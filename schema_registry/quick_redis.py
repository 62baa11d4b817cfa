"""Redis for what must not wait: while a request is answered, or after every commit of a worker."""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


def quick_redis(url: str, *, seconds: float) -> redis.Redis:
    """It may wait so long, and try once more, for a connection that Redis has closed meanwhile."""
    return redis.Redis.from_url(
        url, socket_connect_timeout=seconds, socket_timeout=seconds, retry=Retry(NoBackoff(), 1)
    )
