"""When the nights of a site begin: entries of the scheduler, which staff can also see and change."""

import json
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils import timezone
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from matching.models import NightlyRun, SiteMapping

TASK = "lesubscribe.tasks.nightly"
_EVERY_DAY = {"day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}


def every_night(site: str, *, at: time, zone: ZoneInfo) -> None:
    """From now on the feeds of the day before are taken up at this time of the zone."""
    moment, _ = CrontabSchedule.objects.get_or_create(
        minute=at.minute, hour=at.hour, timezone=zone, **_EVERY_DAY
    )
    entry = {"task": TASK, "crontab": moment, "kwargs": json.dumps({"site": site, "zone": zone.key})}
    since = {"enabled": True, "start_time": timezone.now()}
    PeriodicTask.objects.update_or_create(name=_name(site), defaults={**entry, **since})


def no_night(site: str) -> bool:
    """Whether there was one before."""
    return bool(PeriodicTask.objects.filter(name=_name(site)).delete()[0])


def day_before(now: datetime, zone: ZoneInfo) -> date:
    """The last day that is over in the zone: sites are scraped during a day, and taken up after it."""
    return now.astimezone(zone).date() - timedelta(days=1)


def missed(now: datetime) -> Iterator[tuple[str, date]]:
    """The sites and days that should have been begun by now, and of which there is no run.

    The scheduler sends a message, once: it may be lost, or have found another night under way.
    """
    known = set(SiteMapping.objects.order_by().values_list("site", flat=True).distinct())
    entries = PeriodicTask.objects.filter(task=TASK, enabled=True, **_crontab(_EVERY_DAY))
    for entry in entries.select_related("crontab").order_by("name"):
        try:
            told = json.loads(entry.kwargs)
            site, zone = told["site"], ZoneInfo(told.get("zone", "UTC"))
            slot = _last_slot(now, entry.crontab)
        except (ValueError, TypeError, KeyError, ZoneInfoNotFoundError):
            continue  # staff may write there what they like
        since = entry.start_time or entry.last_run_at
        if site not in known or since is None or slot < since:
            continue
        day = day_before(slot, zone)
        if not NightlyRun.objects.filter(site=site, date=day).exists():
            yield site, day


def _last_slot(now: datetime, crontab: CrontabSchedule) -> datetime:
    """When it was time last. Raises ValueError for anything but one time of the day."""
    local = now.astimezone(ZoneInfo(str(crontab.timezone)))
    at = local.replace(hour=int(crontab.hour), minute=int(crontab.minute), second=0, microsecond=0)
    return at if at <= local else at - timedelta(days=1)


def _crontab(fields: dict[str, str]) -> dict[str, str]:
    return {f"crontab__{name}": value for name, value in fields.items()}


def _name(site: str) -> str:
    return f"nightly {site}"
