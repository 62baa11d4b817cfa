"""Tasks: draining what waits to be matched, and looking whether something waits that nobody was told of."""

from functools import cache

from celery import shared_task
from django.conf import settings

from matching import draining, metrics, wakeups
from matching.live import LiveMatcher


@cache
def live_matcher() -> LiveMatcher:
    """The matcher of this process, loaded when it is first needed."""
    return LiveMatcher(settings.MATCHER)


@shared_task
def drain() -> int:
    wakeups.matchers_are_awake()
    return draining.drain(live_matcher())


@shared_task
def sweep() -> None:
    """Send the wake-ups that were lost: with Redis, or with a worker."""
    waiting = draining.waiting()
    metrics.BACKLOG.set(waiting)
    if waiting and wakeups.none_is_on_its_way():
        drain.delay()
