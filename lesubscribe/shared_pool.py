"""One pool of Redis connections for the whole process.

Under ASGI Django makes a cache object, and with it a pool, for every request. Each would connect to Redis
anew, which takes several times as long as all that a request asks of it.
"""

from threading import Lock
from typing import Any, ClassVar

from redis import ConnectionPool


class SharedPool(ConnectionPool):
    """Asked for the same address and options again, `from_url` gives the same pool."""

    _pools: ClassVar[dict[str, "SharedPool"]] = {}
    _making: ClassVar[Lock] = Lock()

    @classmethod
    def from_url(cls, url: str, **options: Any) -> "SharedPool":
        name = repr((url, sorted(options.items())))
        with cls._making:
            if name not in cls._pools:
                cls._pools[name] = super().from_url(url, **options)
            return cls._pools[name]
