"""Is everything we need there? Each part answers for itself, in words."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from matching.live import last_change
from matching.probing import MatcherState

_MATCHER_KEY = "matcher"
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


def record_probe(queue: str, token: str = "") -> None:
    """Note that a worker of this queue did a probe; a token lets its sender ask for this very one."""
    cache.set(_probe_key(queue), time.time(), timeout=3600)
    if token:
        cache.set(_probe_key(token), True, timeout=60)


def record_matcher(state: MatcherState) -> None:
    """Note what the matcher of a worker knew when it matched a probe event."""
    cache.set(_MATCHER_KEY, [state.subscriptions, state.sequence], timeout=3600)


def forget_probes() -> None:
    """Answers of workers that ran before must not count for those that are about to start."""
    cache.delete_many([_MATCHER_KEY, *(_probe_key(queue) for queue in settings.CELERY_TASK_QUEUES)])


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
    cache.get("health")
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
    """Whether one has matched a probe event; how far behind it was is for people to judge."""
    known = cache.get(_MATCHER_KEY)
    if known is None:
        raise RuntimeError("no worker has matched a probe event yet")
    subscriptions, sequence = known
    behind = max(0, last_change() - sequence)
    return f"{subscriptions:,} subscriptions, {behind:,} changes behind"


def _probe_key(queue: str) -> str:
    return f"probe:{queue}"
