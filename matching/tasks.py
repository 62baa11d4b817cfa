"""Tasks: matching what waits, looking whether something waits that nobody was told of, and upkeep."""

from datetime import timedelta
from typing import Any

import structlog
from celery import current_app, shared_task
from celery.signals import worker_process_init
from django.conf import settings
from django.utils import timezone

from matching import draining, dry_run, expiring, leases, metrics, retention, wakeups
from matching.live import LiveMatcher

SLICE_SECONDS = 2.0  # after which other tasks of the queue have their turn
_log = structlog.get_logger(__name__)


_live: LiveMatcher | None = None


def live_matcher() -> LiveMatcher:
    """The matcher of this process. A new one takes the place of one that is worn once it is loaded whole."""
    global _live
    if _live is None or _live.is_worn():
        _live = LiveMatcher(settings.MATCHER)
    return _live


@worker_process_init.connect
def load_the_matcher(**kwargs: Any) -> None:
    """Before the first task comes, so that none waits for it."""
    if "match" in current_app.amqp.queues.consume_from:
        live_matcher()


@shared_task
def drain() -> None:
    wakeups.MATCHERS.arrived()
    draining.drain(live_matcher(), seconds=SLICE_SECONDS)
    if leases.is_any_free():
        wakeups.MATCHERS.send()


@shared_task
def count_matches(token: str) -> None:
    """Answer a dry run."""
    dry_run.answer(token, live_matcher())


@shared_task
def sweep() -> None:
    """Send the wake-ups that were lost: with Redis, or with a worker."""
    waiting = leases.waiting()
    metrics.BACKLOG.set(waiting)
    if waiting:
        wakeups.MATCHERS.send()


@shared_task
def forget() -> None:
    """Delete what is older than people want to look back, a slice at a time."""
    moment = timezone.now() - timedelta(days=settings.RETENTION_DAYS)
    forgotten = retention.forget_before(moment, seconds=SLICE_SECONDS)
    _log.info("forgotten", events=forgotten.events, matches=forgotten.matches)
    if forgotten.is_more:
        forget.delay()


@shared_task
def expire() -> None:
    """Let go of the subscriptions whose time is over."""
    expired = expiring.expire(now=timezone.now())
    _log.info("expired", subscriptions=expired)
