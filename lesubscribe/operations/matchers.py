"""What workers have told of their matchers: laid down by a probe, and read by the page."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.core.cache import caches

from matching.describing import Description
from matching.shards import Shard, split

_KEPT_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class Told:
    """What a worker of this shard said last, and when."""

    shard: Shard
    at: datetime
    description: Description


def record(shard: Shard, description: Description) -> None:
    """What one process lays down for another is of no use in its own memory: if Redis is away, it is lost."""
    document = {"at": time.time(), "description": description.to_dict()}
    caches["between_processes"].set(_key(shard), document, timeout=_KEPT_SECONDS)


def told() -> list[Told]:
    """By shard, those that are known. Raises what Redis raises."""
    keys = {_key(shard): shard for shard in split(settings.MATCHING_SHARDS)}
    known: dict[str, dict[str, Any]] = caches["between_processes"].get_many(keys)
    return [
        Told(
            shard,
            datetime.fromtimestamp(known[key]["at"], UTC),
            Description(**known[key]["description"]),
        )
        for key, shard in keys.items()
        if key in known
    ]


def _key(shard: Shard) -> str:
    return f"operations:matcher:{shard.number}/{shard.of}"
