"""When the nights of a site begin: entries of the scheduler, which staff can also see and change."""

import json
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django_celery_beat.models import CrontabSchedule, PeriodicTask

TASK = "lesubscribe.tasks.nightly"


def every_night(site: str, *, at: time, zone: ZoneInfo) -> None:
    """From now on the feeds of the day before are taken up at this time of the zone."""
    moment, _ = CrontabSchedule.objects.get_or_create(
        minute=at.minute, hour=at.hour, day_of_week="*", day_of_month="*", month_of_year="*", timezone=zone
    )
    entry = {"task": TASK, "crontab": moment, "kwargs": json.dumps({"site": site, "zone": zone.key})}
    PeriodicTask.objects.update_or_create(name=_name(site), defaults={**entry, "enabled": True})


def no_night(site: str) -> bool:
    """Whether there was one before."""
    return bool(PeriodicTask.objects.filter(name=_name(site)).delete()[0])


def day_before(now: datetime, zone: ZoneInfo) -> date:
    """The last day that is over in the zone: sites are scraped during a day, and taken up after it."""
    return now.astimezone(zone).date() - timedelta(days=1)


def _name(site: str) -> str:
    return f"nightly {site}"
