"""Tasks: planning what was matched, sending what is due, looking for what nobody was told of, and upkeep."""

from datetime import timedelta

import structlog
from celery import shared_task
from django.conf import settings
from django.utils import timezone

from notifications import (
    metrics,
    notices,
    planning,
    removal,
    replays,
    retention,
    selectors,
    sending,
    wakeups,
)

SLICE_SECONDS = 2.0  # after which other tasks of the queue have their turn
_log = structlog.get_logger(__name__)


@shared_task
def plan() -> None:
    wakeups.PLANNER.arrived()
    planning.plan(seconds=SLICE_SECONDS)
    if planning.is_anything_waiting():
        wakeups.PLANNER.send()


@shared_task
def deliver() -> None:
    """One of several threads that do this at the same time; each sends one message after another."""
    wakeups.SENDERS.arrived()
    sending.deliver(seconds=SLICE_SECONDS)
    replays.advance(now=timezone.now())
    if sending.is_any_due():
        wakeups.SENDERS.send()


@shared_task
def sweep() -> None:
    """Send the wake-ups that were lost, and those whose time has come; erase channels that were removed."""
    metrics.measure(selectors.figures(now=timezone.now()))
    removal.erase_set_aside(now=timezone.now())
    replays.advance(now=timezone.now())
    if planning.is_anything_waiting():
        wakeups.PLANNER.send()
    if sending.is_any_due():
        wakeups.SENDERS.send()


@shared_task
def forget() -> None:
    """Delete what is older than people want to look back, a slice at a time."""
    moment = timezone.now() - timedelta(days=settings.RETENTION_DAYS)
    forgotten = retention.forget_before(moment, seconds=SLICE_SECONDS)
    _log.info("forgotten", deliveries=forgotten.deliveries, allowances=forgotten.allowances)
    if forgotten.is_more:
        forget.delay()


@shared_task
def tell_of_expiries() -> None:
    """Remind people of searches that end in a few days."""
    told = notices.tell_of_expiries(now=timezone.now())
    _log.info("told of expiries", notices=told)
