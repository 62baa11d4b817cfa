"""Tasks of the project itself."""

from celery import shared_task
from prometheus_client import Counter

from lesubscribe import health
from matching.probing import probe_matcher
from matching.tasks import live_matcher

PROBES = Counter("lesubscribe_probes_total", "Probes that workers answered.", ["queue"])


@shared_task
def probe(queue: str, token: str = "") -> None:
    """Show that a worker takes from this queue, and that it can match if that is what it is for.

    The scheduler sends one to every queue every few seconds.
    """
    if queue == "match":
        health.record_matcher(probe_matcher(live_matcher()))
    PROBES.labels(queue).inc()
    health.record_probe(queue, token)
