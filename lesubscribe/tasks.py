"""Tasks of the project itself."""

from celery import shared_task

from lesubscribe import health


@shared_task
def probe(queue: str) -> None:
    """Show that a worker takes from this queue. The scheduler sends one to every queue every few seconds."""
    health.record_probe(queue)
