"""The page, its parts that come again by themselves, and the lists behind the backlog."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from lesubscribe.operations import lists, looking, plots, trouble
from lesubscribe.operations.access import may, staff_who_may
from lesubscribe.operations.figures import Count

NIGHTS_SHOWN = 7
PERIODS = {3: _("3 h"), 24: _("24 h"), 336: _("14 days")}


@require_safe
@staff_who_may()
def operations(request: HttpRequest) -> HttpResponse:
    context = _state(request) | _samples(request)
    return render(request, "operations/page.html", context)


@require_safe
@staff_who_may()
def state(request: HttpRequest) -> HttpResponse:
    """What changes from one moment to the next."""
    return render(request, "operations/state.html", _state(request))


@require_safe
@staff_who_may()
def samples(request: HttpRequest) -> HttpResponse:
    """The rows that are plotted."""
    return render(request, "operations/samples.html", _samples(request))


@require_safe
@staff_who_may("matching.view_publishedevent")
def waiting(request: HttpRequest) -> HttpResponse:
    context = {"rows": lists.waiting_events(), "most": lists.ROWS_OF_A_LIST}
    return render(request, "operations/waiting.html", context)


@require_safe
@staff_who_may("notifications.view_delivery")
def deliveries(request: HttpRequest) -> HttpResponse:
    context = {"rows": lists.deliveries_in_turn(), "most": lists.ROWS_OF_A_LIST, "now": timezone.now()}
    return render(request, "operations/deliveries.html", context)


def _state(request: HttpRequest) -> dict[str, Any]:
    """Lists only for those who may see their rows in the administration."""
    now = timezone.now()
    look = looking.look(now=now)
    sees_events = may(request, "matching.view_publishedevent")
    sees_channels = may(request, "notifications.view_channel")
    sees_deliveries = may(request, "notifications.view_delivery")
    sees_nights = may(request, "matching.view_nightlyrun")
    return {
        "now": now,
        "look": look,
        "figures": look.figures,
        "troubles": trouble.found(look.figures, now=now),
        "silent_since": now - trouble.SILENT_FOR,
        "failing_count": _together([each.queue.count for each in look.figures.failing]),
        "sees_events": sees_events,
        "sees_deliveries": sees_deliveries,
        "parked": lists.parked_by_reason() if sees_events else None,
        "failing": lists.failing() if sees_channels else None,
        "given_up": lists.given_up() if sees_deliveries else None,
        "nights": looking.last_nights(NIGHTS_SHOWN) if sees_nights else None,
        "actions": lists.actions([kind for kind in lists.LOGGED if may(request, _right_to_view(kind))]),
    }


def _together(counts: Sequence[Count]) -> Count:
    return Count(sum(each.number for each in counts), any(each.is_more for each in counts))


def _right_to_view(kind: type[Model]) -> str:
    return f"{kind._meta.app_label}.view_{kind._meta.model_name}"


def _samples(request: HttpRequest) -> dict[str, Any]:
    asked = request.GET.get("hours", "")
    hours = int(asked) if asked in map(str, plots.STEPS) else plots.FEWEST_HOURS
    return {
        "points": plots.points(hours=hours, now=timezone.now()),
        "hours": hours,
        "periods": PERIODS.items(),
        "step": plots.STEPS[hours] * 60,
    }
