"""Sending a test, and what came of it. A page with scripts asks every second, for half a minute at most."""

from datetime import datetime, timedelta

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from notifications import channels, selectors
from notifications.models import Channel, Delivery
from notifications.pages.requests import is_htmx
from notifications.pages.telling_cards import channel_of
from notifications.pages.telling_words import Said, test_result
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import InputError

PATIENCE = timedelta(seconds=30)


@require_POST
@login_required
@never_cache
def send(request: HttpRequest, number: int) -> HttpResponse:
    channel, now = channel_of(request, number), timezone.now()
    try:
        delivery = channels.send_test(channel, now=now)
    except InputError as refused:
        return _refused(request, channel, Said("error", str(refused)))
    except Channel.DoesNotExist:  # another page of theirs was quicker
        raise Http404 from None
    if not is_htmx(request):
        return redirect("delivery-page", delivery.pk)
    delivery.channel = channel
    return _result(request, delivery, now=now)


@require_safe
@login_required
@never_cache
def result(request: HttpRequest, number: int) -> HttpResponse:
    mine = selectors.deliveries_of(signed_in(request)).filter(kind=Delivery.Kind.TEST)
    delivery = mine.select_related("channel").filter(pk=number).first()
    if delivery is None:
        raise Http404
    return _result(request, delivery, now=timezone.now())


def _result(request: HttpRequest, delivery: Delivery, *, now: datetime) -> HttpResponse:
    last = delivery.log.order_by("-pk").first()
    is_done = delivery.state != Delivery.State.WAITING
    is_late = now - delivery.planned_at > PATIENCE
    context = {
        "delivery": delivery,
        "said": test_result(delivery, last, is_halted=selectors.is_sending_halted(), now=now),
        "asks_again": not is_done and not is_late,
        "is_late": is_late and not is_done,
    }
    return render(request, "notifications/telling/test_result.html", context)


def _refused(request: HttpRequest, channel: Channel, said: Said) -> HttpResponse:
    if is_htmx(request):
        return render(request, "notifications/telling/test_result.html", {"said": said})
    messages.error(request, said.text)
    return redirect(f"{reverse('telling')}#channel-{channel.pk}")
