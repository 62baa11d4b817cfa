"""Is everything we need there? Each part answers for itself, in words."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import redis
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from matching.change_log import last_change
from matching.probing import MatcherState
from matching.shards import Shard, split

# A probe is sent every 5 s; a worker that answered none for this long is not working.
STALE_AFTER_SECONDS = 20


@dataclass(frozen=True, slots=True)
class PartState:
    name: str
    ok: bool
    detail: str


def part_states() -> list[PartState]:
    """The state of every part, each checked on its own: one that fails does not hide the others."""
    return [_checked(name, check) for name, check in _checks()]


def record_probe(queue: str, token: str = "") -> None:  # nosec B107  # it opens nothing
    """Note that a worker of this queue did a probe; a token lets its sender ask for this very one."""
    cache.set(_probe_key(queue), time.time(), timeout=3600)
    if token:
        cache.set(_probe_key(token), True, timeout=60)


def record_matcher(state: MatcherState) -> None:
    """Note what the matcher of a worker knew when it matched a probe event."""
    cache.set(_matcher_key(state.shard), [state.subscriptions, state.sequence], timeout=3600)


def last_probes() -> dict[str, float | None]:
    """By queue when one of its workers last did a probe, in seconds of the epoch; None if none is known."""
    keys = {queue: _probe_key(queue) for queue in settings.CELERY_TASK_QUEUES}
    known = cache.get_many(keys.values())
    return {queue: known.get(key) for queue, key in keys.items()}


def forget_probes() -> None:
    """Answers of workers that ran before must not count for those that are about to start."""
    matchers = [_matcher_key(shard) for shard in split(settings.MATCHING_SHARDS)]
    cache.delete_many([*matchers, *(_probe_key(queue) for queue in settings.CELERY_TASK_QUEUES)])


def probe_was_answered(token: str) -> bool:
    return bool(cache.get(_probe_key(token)))


def _checks() -> Iterator[tuple[str, Callable[[], str]]]:
    """Checks return a detail to show, or raise with the reason."""
    yield "database", _database
    yield "migrations", _migrations
    yield "redis", _redis
    for queue in settings.CELERY_TASK_QUEUES:
        yield f"worker:{queue}", partial(_worker, queue)
    yield "matcher", _matcher


def _checked(name: str, check: Callable[[], str]) -> PartState:
    try:
        return PartState(name, True, check())
    except Exception as error:
        return PartState(name, False, str(error).strip() or type(error).__name__)


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return connection.vendor


def _migrations() -> str:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        raise RuntimeError(f"{len(missing)} not applied; run `manage.py migrate`")
    return "all applied"


def _redis() -> str:
    redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2).ping()
    return "embedded" if settings.REDIS_IS_EMBEDDED else "external"


def _worker(queue: str) -> str:
    answered = cache.get(_probe_key(queue))
    if answered is None:
        raise RuntimeError("no worker has answered a probe yet")
    seconds = max(0.0, time.time() - answered)
    if seconds > STALE_AFTER_SECONDS:
        raise RuntimeError(f"no worker has answered a probe for {seconds:.0f} s")
    return f"answered a probe {seconds:.0f} s ago"


def _matcher() -> str:
    """Whether one of each shard has matched a probe event; how far behind it was is for people to judge."""
    shards = split(settings.MATCHING_SHARDS)
    known = cache.get_many([_matcher_key(shard) for shard in shards])
    for shard in shards:
        if _matcher_key(shard) not in known:
            whose = "" if shard.is_whole else f" of {shard}"
            raise RuntimeError(f"no worker{whose} has matched a probe event yet")
    subscriptions = sum(count for count, _ in known.values())
    behind = max(0, last_change() - min(sequence for _, sequence in known.values()))
    where = "" if len(shards) == 1 else f" on {len(shards)} shards"
    return f"{settings.MATCHER}: {subscriptions:,} subscriptions{where}, {behind:,} changes behind"


def _probe_key(queue: str) -> str:
    return f"probe:{queue}"


def _matcher_key(shard: Shard) -> str:
    return f"matcher:{shard.number}/{shard.of}"
