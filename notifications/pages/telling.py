"""How to be told: the channels, the hours, and where feed readers look."""

from datetime import datetime
from functools import cache
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from notifications import preferences, selectors
from notifications.chat.services import SERVICES
from notifications.hours import COLUMNS, hours_from
from notifications.pages.telling_bar import bar_of
from notifications.pages.telling_cards import Card, cards_of
from notifications.pages.telling_forms import HoursForm, NewChannelForm
from schema_registry.accounts.requests import signed_in


@require_safe
@login_required
@never_cache
def telling(request: HttpRequest) -> HttpResponse:
    return page(request, now=timezone.now())


def page(
    request: HttpRequest,
    *,
    now: datetime,
    card: Card | None = None,
    new: NewChannelForm | None = None,
    hours: HoursForm | None = None,
) -> HttpResponse:
    """The whole page, in which a form that was refused, or a card that says something, takes its place."""
    me = signed_in(request)
    chosen = preferences.of(me)
    row: Any = tuple(getattr(chosen, name) for name in COLUMNS)
    context: dict[str, Any] = {
        "section": "telling",
        "cards": [
            card if card and card.channel.pk == each.channel.pk else each
            for each in cards_of(list(selectors.channels_of(me)), now=now)
        ],
        "new": new or NewChannelForm(),
        "services": SERVICES.values(),
        "hours": hours or HoursForm.of(chosen),
        "bar": bar_of(hours_from(row), now=now),
        "zones": _zone_options(),
        "is_halted": selectors.is_sending_halted(),
        "now": now,
    }
    return render(request, "notifications/telling/telling.html", context)


@cache
def _zone_options() -> SafeString:
    """For the field to suggest. There are some 600, which a template would write anew each time."""
    return format_html_join("", '<option value="{}">', ((zone,) for zone in sorted(preferences.time_zones())))
