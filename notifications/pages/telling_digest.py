"""What a digest of the last day or week would say, in the words of the mail."""

from datetime import timedelta

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from notifications import letters
from notifications.core.policy import Frequency, next_slot
from notifications.core.wording import exact_moment, subject
from notifications.digest_preview import previewed
from notifications.hours import hours_of
from notifications.pages.pictures import with_pictures
from schema_registry.accounts.requests import signed_in

PERIODS = {
    "daily": (gettext_lazy("Daily"), Frequency.DAILY, timedelta(days=1)),
    "weekly": (gettext_lazy("Weekly"), Frequency.WEEKLY, timedelta(days=7)),
}


@require_safe
@login_required
@with_pictures
def digest_preview(request: HttpRequest) -> HttpResponse:
    chosen = request.GET.get("period", "")
    period = chosen if chosen in PERIODS else "daily"
    _name, frequency, length = PERIODS[period]
    me, now = signed_in(request), timezone.now()
    hours = hours_of(me.pk)
    digest = previewed(me, since=now - length, now=now, most_items=letters.MOST_LOTS)
    context = {
        "section": "telling",
        "period": period,
        "periods": [(key, name) for key, (name, _frequency, _length) in PERIODS.items()],
        "lots": [letters.lot_of(item, zone=hours.zone, now=now) for item in digest.items],
        "subject": subject(digest, now=now) if digest.items else "",
        "heading": letters.new_finds(len(digest.items) + digest.more),
        "more": digest.more,
        "next": exact_moment(next_slot(frequency, after=now, hours=hours), hours.zone),
    }
    return render(request, "notifications/telling/digest_preview.html", context)
