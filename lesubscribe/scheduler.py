"""The scheduler: its entries come from the settings, and are in the database.

django-celery-beat adds entries there and changes them, but keeps what the settings no longer have. With fewer
shards it would go on sending to queues that are no more. And when a clock is put back by an hour, it would
send nothing for an hour.
"""

from typing import Any

from celery.utils.time import maybe_make_aware
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler


class Scheduler(DatabaseScheduler):
    def setup_schedule(self) -> None:
        """Forget entries of our tasks under names that the settings do not have, then take up the others."""
        entries = self.app.conf.beat_schedule
        ours = PeriodicTask.objects.filter(task__in={entry["task"] for entry in entries.values()})
        ours.exclude(name__in=entries).delete()
        super().setup_schedule()

    def tick(self, *args: Any, **options: Any) -> float:
        """What was sent at a time that is still to come was sent just now, by a clock that was put back."""
        for entry in (self._schedule or {}).values():
            now = entry.default_now()
            if maybe_make_aware(entry.last_run_at) > maybe_make_aware(now):
                entry.last_run_at = entry.model.last_run_at = now
                self._heap = None  # its order is by the old time
        seconds: float = super().tick(*args, **options)
        return seconds
