"""Tasks of the project itself."""

from celery import shared_task
from prometheus_client import Counter

from lesubscribe import health

PROBES = Counter("lesubscribe_probes_total", "Probes that workers answered.", ["queue"])


@shared_task
def probe(queue: str, token: str = "") -> None:
    """Show that a worker takes from this queue. The scheduler sends one to every queue every few seconds."""
    PROBES.labels(queue).inc()
    health.record_probe(queue, token)
