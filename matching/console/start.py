"""The first steps of a publisher: key, event sent, accepted, matched."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from schema_registry.accounts.models import Publisher
from schema_registry.console.access import of_a_publisher, shown


@require_safe
@of_a_publisher
def start(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    return shown(request, publisher, "console/start.html", "publish-start")
