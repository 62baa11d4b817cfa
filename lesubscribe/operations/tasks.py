"""The task that samples."""

from celery import shared_task
from django.utils import timezone

from lesubscribe.operations import disk, sampling


@shared_task
def sample() -> None:
    """Write down how things stand, for the plots of the operations page."""
    sampling.sample(now=timezone.now())
    disk.measure()
