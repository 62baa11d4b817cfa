"""Tasks: matching what waits, looking whether something waits that nobody was told of, and upkeep."""

import time
from datetime import UTC, timedelta
from typing import Any

import structlog
from celery import current_app, shared_task
from celery.signals import worker_process_init
from django.conf import settings
from django.utils import timezone

from matching import (
    change_log,
    daily_counts,
    draining,
    dry_run,
    expiring,
    leases,
    metrics,
    retention,
    splitting,
    wakeups,
)
from matching.demand.keeping import DemandKeeper
from matching.keeping import Keeper
from matching.live import LiveMatcher
from matching.recent import upkeep
from matching.recent.settling import Settling
from matching.shards import Shard, split
from matching.traffic import collecting, counting, forgetting
from matching.warming import warm

SLICE_SECONDS = 2.0  # after which other tasks of the queue have their turn
_log = structlog.get_logger(__name__)


# Of the shards that this process works for, usually one.
_live: dict[Shard, LiveMatcher] = {}
_keepers: dict[Shard, Keeper] = {}
_settling = Settling()
_settling_for_traffic = Settling()
_demand = DemandKeeper()


def live_matcher(shard: Shard) -> LiveMatcher:
    """The matcher of this process. A new one takes the place of one that is worn once it is loaded whole."""
    live = _live.get(shard)
    if live is None or live.is_worn():
        folder = shard.folder_in(settings.SNAPSHOTS)
        live = _live[shard] = LiveMatcher(settings.MATCHER, snapshots=folder, shard=shard)
    return live


@worker_process_init.connect
def load_the_matcher(**kwargs: Any) -> None:
    """Before the first task comes, so that none waits for it."""
    mine = [shard for shard in _shards() if shard.queue in current_app.amqp.queues.consume_from]
    if mine:
        warm(settings.MATCHER, say=_log.info)
    for shard in mine:
        live_matcher(shard).start_operators()


@shared_task
def drain(shard: int = 0) -> None:
    mine = _shards()[shard]
    wakeups.of_shard(mine).arrived()
    draining.drain(live_matcher(mine), seconds=SLICE_SECONDS)
    if leases.is_any_free(mine):
        wakeups.of_shard(mine).send()


@shared_task
def count_matches(token: str, shard: int = 0) -> None:
    """Answer a dry run."""
    dry_run.answer(token, live_matcher(_shards()[shard]))


@shared_task
def keep_matcher(shard: int = 0) -> None:
    """Let the matcher of this worker be merged and saved when it is time; that goes on beside its work."""
    mine = _shards()[shard]
    keeper = _keepers.setdefault(mine, Keeper(mine.folder_in(settings.SNAPSHOTS)))
    keeper.tend(live_matcher(mine), now=timezone.now())


@shared_task
def cut_log() -> None:
    """Cut off what no matcher needs of the log of changes, a slice at a time."""
    if change_log.cut(now=timezone.now(), seconds=SLICE_SECONDS):
        cut_log.delay()


@shared_task
def sweep() -> None:
    """Send the wake-ups that were lost: with Redis, or with a worker.

    And let what was accepted for another number of shards be matched by those there are.
    """
    if splitting.split_anew(settings.MATCHING_SHARDS, seconds=SLICE_SECONDS):
        sweep.delay()
    waiting = leases.waiting()
    metrics.BACKLOG.set(waiting)
    if waiting:
        wakeups.wake_matchers()


@shared_task
def forget() -> None:
    """Delete what is older than people want to look back, a slice at a time."""
    moment = timezone.now() - timedelta(days=settings.RETENTION_DAYS)
    forgotten = retention.forget_before(moment, seconds=SLICE_SECONDS)
    _log.info("forgotten", events=forgotten.events, matches=forgotten.matches)
    day = timezone.now().astimezone(UTC).date() - timedelta(days=daily_counts.MOST_DAYS)
    retention.forget_counts_before(day, seconds=SLICE_SECONDS)
    forgetting.forget(now=timezone.now(), seconds=SLICE_SECONDS)
    if forgotten.is_more:
        forget.delay()


@shared_task
def expire() -> None:
    """Let go of the subscriptions whose time is over."""
    expired = expiring.expire(now=timezone.now())
    _log.info("expired", subscriptions=expired)


@shared_task
def count_days() -> None:
    """Add the newest matches to the daily counts, a slice at a time."""
    if not daily_counts.count(now=timezone.now(), clock=time.monotonic, seconds=SLICE_SECONDS):
        count_days.delay()


@shared_task
def count_traffic() -> None:
    """Bring what publishers see of their traffic and their refusals up to date, a slice at a time."""
    now = timezone.now()
    limits: dict[str, Any] = {"now": now, "clock": time.monotonic, "seconds": SLICE_SECONDS}
    is_collected = collecting.collect(**limits)
    if not (counting.count(_settling_for_traffic, **limits) and is_collected):
        count_traffic.delay()


@shared_task
def count_demand() -> None:
    """Once a day, count the people who look for each thing, a slice at a time."""
    if not _demand.tend(now=timezone.now(), clock=time.monotonic, seconds=SLICE_SECONDS):
        count_demand.delay()


@shared_task
def keep_recent() -> None:
    """Bring the columns of recent events up to date, a slice at a time."""
    if not upkeep.keep(_settling, now=timezone.now(), clock=time.monotonic, seconds=SLICE_SECONDS):
        keep_recent.delay()


def _shards() -> tuple[Shard, ...]:
    return split(settings.MATCHING_SHARDS)
