"""The log of what was sent: a page of deliveries, and one delivery with its attempts."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from matching.row_numbers import row_number
from notifications import deliveries as services
from notifications import selectors
from notifications.delivery_log import newest
from notifications.models import Delivery
from notifications.pages.telling_words import rows_of
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import InputError

PER_PAGE = 50
MOST_ATTEMPTS_SHOWN = 100  # sent again and again, one may have any number
State = Delivery.State


@require_safe
@login_required
@never_cache
def deliveries(request: HttpRequest) -> HttpResponse:
    mine = list(selectors.channels_of(signed_in(request)))
    state = request.GET.get("state", "")
    if state not in State.values:
        state = ""
    channel, before = row_number(request.GET.get("channel")), row_number(request.GET.get("before"))
    chosen = [each.pk for each in mine if not channel or each.pk == channel]
    found = newest(chosen, before=before, state=state, most=PER_PAGE + 1)
    shown = found[:PER_PAGE]
    asked = {name: value for name, value in (("channel", channel), ("state", state)) if value}
    context = {
        "section": "telling",
        "rows": rows_of(shown, now=timezone.now()),
        "channels": mine,
        "states": State.choices,
        "channel": channel,
        "state": state,
        "is_filtered": bool(asked),
        "is_first": not before,
        "first_page": urlencode(asked),
        "next_page": urlencode({**asked, "before": shown[-1].pk}) if len(found) > PER_PAGE else "",
    }
    return render(request, "notifications/telling/deliveries.html", context)


@require_safe
@login_required
@never_cache
def delivery(request: HttpRequest, number: int) -> HttpResponse:
    found = _find(request, number)
    now = timezone.now()
    (row,) = rows_of([found], now=now)
    attempts = list(found.log.order_by("-pk")[: MOST_ATTEMPTS_SHOWN + 1])
    context = {
        "section": "telling",
        "row": row,
        "attempts": attempts[:MOST_ATTEMPTS_SHOWN],
        "are_more": len(attempts) > MOST_ATTEMPTS_SHOWN,
        "next_attempt_at": services.next_attempt(found),
        "is_waiting": found.state == State.WAITING,
        "may_replay": services.may_replay(found),
    }
    return render(request, "notifications/telling/delivery.html", context)


@require_POST
@login_required
def replay(request: HttpRequest, number: int) -> HttpResponse:
    found = _find(request, number)
    try:
        services.replay(found, now=timezone.now())
    except InputError as refused:
        messages.error(request, str(refused))
    except Delivery.DoesNotExist:  # it went with its channel after we have found it
        raise Http404 from None
    else:
        messages.success(request, _("It is on its way again."))
    return redirect("delivery-page", number)


def _find(request: HttpRequest, number: int) -> Delivery:
    """One of the reader's own; to all others it is not there."""
    mine = selectors.deliveries_of(signed_in(request)).select_related("channel", "event")
    found = mine.filter(pk=number).first()
    if found is None:
        raise Http404
    return found
