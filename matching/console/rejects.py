"""What a publisher sent and we refused, by reason, with how to mend it and the newest samples."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from matching.row_numbers import row_number
from matching.traffic.collecting import MOST_REFUSALS
from matching.traffic.counting import KEPT_DAYS
from matching.traffic.selectors import MOST_GROUPS, RANGES, groups, reasons_of, traffic
from schema_registry.accounts.models import Publisher
from schema_registry.console.access import of_a_publisher, shown
from schema_registry.selectors import current_schema

SAMPLES, SAMPLES_OF_ONE = 3, 50


@require_safe
@of_a_publisher
def page(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """`?reason=` shows one with all its samples; one that is not there, or another's, is passed over."""
    now = timezone.now()
    reasons = reasons_of(publisher)
    asked = row_number(request.GET.get("reason"))
    only = asked if asked in {number for number, _words in reasons} else None
    found = groups(
        publisher,
        current_schema(),
        now=now,
        samples=SAMPLES if only is None else SAMPLES_OF_ONE,
        only=only,
    )
    return shown(
        request,
        publisher,
        "console/rejects.html",
        "publish-rejects",
        groups=found,
        reasons=reasons,
        only=only,
        is_cut=only is None and len(found) == MOST_GROUPS,
        last_day=traffic(publisher, RANGES["day"], now=now).total,
        most_refusals=MOST_REFUSALS,
        kept_days=KEPT_DAYS,
    )
