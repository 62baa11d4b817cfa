"""One pool of Redis connections, whoever asks for it."""

import asyncio
from typing import Any

from django.core.cache import caches

from lesubscribe.shared_pool import SharedPool


def test_the_same_address_and_options_share_a_pool() -> None:
    first = SharedPool.from_url("redis://one/0", socket_timeout=2)
    assert SharedPool.from_url("redis://one/0", socket_timeout=2) is first
    assert SharedPool.from_url("redis://one/0", socket_timeout=3) is not first
    assert SharedPool.from_url("redis://two/0", socket_timeout=2) is not first


def test_the_caches_of_all_requests_share_a_pool() -> None:
    async def pool() -> Any:
        return caches["default"]._cache._get_connection_pool(write=True)  # type: ignore[attr-defined]

    pools = [asyncio.run(pool()) for _ in range(3)]
    assert isinstance(pools[0], SharedPool)
    assert pools[0] is pools[1] is pools[2]
