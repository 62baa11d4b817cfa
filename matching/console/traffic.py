"""How much a publisher sends, how much of it is refused, and how soon it is matched."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from matching.traffic.histogram import LONGEST
from matching.traffic.selectors import RANGES, Point, traffic
from schema_registry.accounts.models import Publisher
from schema_registry.console.access import of_a_publisher, shown

USUAL_RANGE = "day"
_NAMES = {
    "hour": gettext_lazy("Last hour"),
    "day": gettext_lazy("24 hours"),
    "fortnight": gettext_lazy("14 days"),
}
_EACH = {
    "hour": gettext_lazy("in each minute"),
    "day": gettext_lazy("in each hour"),
    "fortnight": gettext_lazy("on each day"),
}
_FORMATS = {"hour": "H:i", "day": "j M, H:i", "fortnight": "j M"}


@require_safe
@of_a_publisher
def page(request: HttpRequest, publisher: Publisher) -> HttpResponse:
    """The page asks again every ten seconds; then it gets the rows, and draws its plots from them."""
    asked = request.GET.get("range", USUAL_RANGE)
    name = asked if asked in RANGES else USUAL_RANGE
    found = traffic(publisher, RANGES[name], now=timezone.now())
    context = {
        "range": name,
        "ranges": _NAMES.items(),
        "each": _EACH[name],
        "format": _FORMATS[name],
        "rows": [_row(point) for point in found.points],
        "total": _row(found.total),
    }
    if request.headers.get("HX-Request"):
        update = {**context, "publisher": publisher, "is_update": True}
        return render(request, "console/traffic_rows.html", update)
    return shown(request, publisher, "console/traffic.html", "publish-traffic", **context)


def _row(point: Point) -> dict[str, Any]:
    sent = point.accepted + point.refused
    return {
        "point": point,
        "half": in_words(point.half),
        "most": in_words(point.most),
        "share": round(100 * point.refused / sent, 1) if sent else 0,
    }


def in_words(seconds: float | None) -> str:
    """As exact as a histogram is, and not more; empty for none."""
    if seconds is None:
        return ""
    if seconds >= LONGEST:
        return _("%(minutes)d min or more") % {"minutes": LONGEST // 60}
    if seconds >= 120:
        return _("%(minutes)s min") % {"minutes": number_format(round(seconds / 60))}
    digits = 0 if seconds >= 10 else 1 if seconds >= 1 else 2
    least = max(round(seconds, digits), 0.01)
    return _("%(seconds)s s") % {"seconds": number_format(least, digits)}
