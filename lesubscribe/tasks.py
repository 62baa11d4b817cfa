"""Tasks of the project itself."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from celery import shared_task
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone
from prometheus_client import Counter

from lesubscribe import account_deletion, health
from lesubscribe.nightly import background
from lesubscribe.nightly.schedule import day_before
from lesubscribe.operations import matchers
from lesubscribe.security import sessions
from matching import shards
from matching.describing import described
from matching.probing import probe_matcher
from matching.tasks import live_matcher

PROBES = Counter("lesubscribe_probes_total", "Probes that workers answered.", ["queue"])
SLICE_SECONDS = 2.0  # after which other tasks of the queue have their turn


@shared_task
def probe(queue: str, token: str = "") -> None:
    """Show that a worker takes from this queue, and that it can match if that is what it is for.

    The scheduler sends one to every queue every few seconds.
    """
    shard = shards.of_queue(queue, settings.MATCHING_SHARDS)
    if shard is not None:
        live = live_matcher(shard)
        health.record_matcher(probe_matcher(live))
        matchers.record(shard, described(live))
    PROBES.labels(queue).inc()
    health.record_probe(queue, token)


@shared_task
def nightly(site: str, zone: str = "UTC") -> None:
    """Begin the night of a site: the files of the day that is over in its zone. The scheduler sends it."""
    background.begin(site, day_before(timezone.now(), ZoneInfo(zone)))


@shared_task
def keep_nights() -> None:
    """Go on with nights whose process was killed, and delete the files of those long ago."""
    from matching.nightly import runs  # it brings Arrow along, which no other task needs

    for run in runs.unfinished():
        if (settings.FEEDS / run.site / run.date.isoformat()).is_dir():
            background.begin(run.site, run.date)
    runs.forget_files(before=timezone.now().date() - timedelta(days=settings.NIGHTLY_DAYS))


@shared_task
def forget_sessions() -> None:
    """Of people who have not come back for long."""
    SessionStore.clear_expired()
    sessions.forget_ended()


@shared_task
def erase_accounts() -> None:
    """Erase what belongs to deleted accounts, a slice at a time."""
    if account_deletion.erase(now=timezone.now(), seconds=SLICE_SECONDS):
        erase_accounts.delay()
