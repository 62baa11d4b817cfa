"""The scheduler: its entries come from the settings, and are in the database.

django-celery-beat adds entries there and changes them, but keeps what the settings no longer have. With fewer
shards it would go on sending to queues that are no more.
"""

from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler


class Scheduler(DatabaseScheduler):
    def setup_schedule(self) -> None:
        """Forget entries of our tasks under names that the settings do not have, then take up the others."""
        entries = self.app.conf.beat_schedule
        ours = PeriodicTask.objects.filter(task__in={entry["task"] for entry in entries.values()})
        ours.exclude(name__in=entries).delete()
        super().setup_schedule()
