"""What people look for most, for publishers who decide what to offer."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from matching.console import demand_shown
from matching.demand import keeping
from matching.demand.models import Demand
from matching.demand.threshold import FEWEST
from matching.wakeups import WakeUp
from schema_registry.accounts.models import Publisher
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.selectors import current_schema

_COUNT = WakeUp("matching.tasks.count_demand")


@require_safe
@of_a_publisher
def demand(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """Everybody may ask to be a publisher, so this is for those who were approved."""
    context: dict[str, Any] = {"fewest": FEWEST, "is_approved": publisher.state == Publisher.State.APPROVED}
    if context["is_approved"]:
        published = keeping.shown(now=timezone.now())
        if published is not None:
            context |= {"published": published, **demand_shown.parts(published.document, current_schema())}
        elif not Demand.objects.exists():
            context["is_counting"] = _COUNT.send()
    return shown(request, publisher, "console/demand.html", "publish-demand", **context)
