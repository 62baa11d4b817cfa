"""Tasks of the project itself."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import structlog
from celery import shared_task
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone
from prometheus_client import Counter

from lesubscribe import account_deletion, health
from lesubscribe.nightly import background
from lesubscribe.nightly.schedule import day_before, missed
from lesubscribe.operations import matchers
from lesubscribe.security import sessions
from matching import shards
from matching.describing import described
from matching.models import NightlyRun
from matching.probing import probe_matcher
from matching.tasks import live_matcher

_log = structlog.get_logger(__name__)
PROBES = Counter("lesubscribe_probes_total", "Probes that workers answered.", ["queue"])
NIGHTS = Counter(
    "lesubscribe_nights_total", "Nightly runs that ended: loaded, unusual or failed.", ["outcome"]
)
SLICE_SECONDS = 2.0  # after which other tasks of the queue have their turn


@shared_task
def probe(queue: str, token: str = "") -> None:  # nosec B107  # it opens nothing
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
    """Begin the night of a site: the files of the day that is over in its zone. The scheduler sends it.

    If another night is under way, or one of the site is to be finished first, `keep_nights` begins it.
    """
    from matching.nightly import housekeeping  # it brings Arrow along, which few tasks need

    day = day_before(timezone.now(), ZoneInfo(zone))
    if not any(run.site == site and run.date < day for run in housekeeping.unfinished()):
        background.begin(site, day)


@shared_task
def keep_nights() -> None:
    """Tell how nights ended, begin one that was cut off or missed, delete the files of those long ago."""
    from matching.nightly import housekeeping

    now = timezone.now()
    for run in housekeeping.ended():
        _tell_of(run)
    housekeeping.give_up(now=now)
    waiting = [(run.site, run.date, run.told) for run in housekeeping.unfinished()]
    waiting += [(site, day, {}) for site, day in missed(now)]
    busy = housekeeping.busy_sites()
    for site, day, told in [each for each in waiting if each[0] not in busy][:1]:
        background.begin(site, day, told)
    before = now - timedelta(days=settings.NIGHTLY_DAYS)
    housekeeping.forget_files(before=before)
    housekeeping.sweep(settings.NIGHTLY, now=now, before=before)


def _tell_of(run: NightlyRun) -> None:
    """In the log of the system, where somebody looks, and in figures that somebody may have watched."""
    night = {"site": run.site, "day": run.date.isoformat(), "run": run.pk}
    if run.state == NightlyRun.State.FAILED:
        _log.error("night_failed", **night, problem=run.problem)
    elif run.alerts:
        _log.warning("night_is_unusual", **night, alerts=run.alerts)
    is_unusual = run.state == NightlyRun.State.LOADED and run.alerts
    NIGHTS.labels("unusual" if is_unusual else run.state).inc()


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
