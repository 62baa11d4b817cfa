"""A clock that is put back by an hour holds up nothing for an hour."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from lesubscribe.scheduler import Scheduler
from matching import announcements, leases
from matching.models import Announcement, MatchWork, PublishedEvent
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.services import publisher_named

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def event() -> PublishedEvent:
    return PublishedEvent.objects.create(
        publisher=publisher_named("House", state=Publisher.State.APPROVED),
        external_id="lot",
        revision=1,
        digest="x",
        schema_version=1,
        document={},
        accepted_at=datetime(2026, 11, 16, tzinfo=UTC),
    )


def test_work_that_was_held_by_the_old_time_is_taken_again() -> None:
    now = timezone.now()
    work = MatchWork.objects.create(event=event(), attempts=1, leased_until=now + leases.LEASE)
    assert leases.take() == [], "whoever holds it may be alive"
    MatchWork.objects.update(leased_until=now + HOUR)
    assert leases.is_any_free()
    assert [each.number for each in leases.take()] == [work.pk]
    assert leases.take() == [], "its new lease is of the new time"


def test_so_are_those_that_are_to_be_told() -> None:
    now = timezone.now()
    Announcement.objects.create(event=event(), leased_until=now + announcements.LEASE)
    assert not announcements.is_any_free()
    Announcement.objects.update(leased_until=now + HOUR)
    assert announcements.is_any_free()


@pytest.mark.django_db(transaction=True)
def test_the_scheduler_goes_on_sending() -> None:
    """It closes the connection it was given, and so the transaction of a test."""
    scheduler = Scheduler(app=current_app._get_current_object())
    ahead = timezone.now() + HOUR
    for entry in scheduler.schedule.values():
        entry.last_run_at = entry.model.last_run_at = ahead
    scheduler.tick()
    heap: Any = scheduler._heap
    seconds = {entry.name: when - timezone.now().timestamp() for when, _, entry in heap}
    periodic = PeriodicTask.objects.filter(interval__isnull=False, enabled=True).select_related("interval")
    late = {task.name for task in periodic if seconds[task.name] > task.interval.every + 1}
    assert len(seconds) > 10
    assert late == set()
