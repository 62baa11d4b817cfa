"""What the scheduler sends by itself, how often, and how long a message is worth anything.

A message that no worker took in time is dropped: the next one does the same work.
"""

from collections.abc import Iterable
from typing import Any

from matching.shards import Shard

# Of each task: every so many seconds, and after so many it is dropped.
_TASKS = {
    "sweep": ("matching.tasks.sweep", 5, 15),
    "count days": ("matching.tasks.count_days", 60, 55),
    "count traffic": ("matching.tasks.count_traffic", 10, 9),
    "count demand": (
        "matching.tasks.count_demand",
        3600,
        600,
    ),  # it counts once a day, soon after a start
    "keep recent": ("matching.tasks.keep_recent", 10, 9),
    "cut log": ("matching.tasks.cut_log", 600, 590),
    "expire": ("matching.tasks.expire", 60, 55),
    "forget": ("matching.tasks.forget", 3600, 600),
    "sweep notifications": ("notifications.tasks.sweep", 5, 15),
    "tell of expiries": ("notifications.tasks.tell_of_expiries", 600, 590),
    "forget notifications": ("notifications.tasks.forget", 3600, 600),
    "keep nights": ("lesubscribe.tasks.keep_nights", 300, 290),
    "sample": ("lesubscribe.operations.tasks.sample", 60, 55),
    "erase accounts": ("lesubscribe.tasks.erase_accounts", 60, 55),
    "forget sessions": ("lesubscribe.tasks.forget_sessions", 3600, 600),
}


def schedule(queues: Iterable[str], shards: Iterable[Shard]) -> dict[str, dict[str, Any]]:
    """As Celery's beat reads it: a probe of every queue, which /readyz looks at, a keeper of every shard's
    matcher, and the tasks above."""
    probes = {
        f"probe {queue}": _entry("lesubscribe.tasks.probe", 5, 15, args=[queue], queue=queue)
        for queue in queues
    }
    keepers = {
        f"keep {shard.queue}": _entry(
            "matching.tasks.keep_matcher", 60, 55, args=[shard.number], queue=shard.queue
        )
        for shard in shards
    }
    return probes | keepers | {name: _entry(*task) for name, task in _TASKS.items()}


def _entry(
    task: str, every: int, expires: int, *, args: Iterable[Any] = (), **options: Any
) -> dict[str, Any]:
    return {
        "task": task,
        "schedule": float(every),
        "args": list(args),
        "options": {"expires": expires, **options},
    }
