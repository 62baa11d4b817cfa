"""Sending a span of time again: choose it, see how many messages that are, send them, see how far it is."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from notifications import replays
from notifications.core.wording import exact_moment
from notifications.models import Channel
from notifications.pages.telling_cards import channel_of
from notifications.pages.telling_forms import SpanForm
from schema_registry.core.errors import InputError


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def replay(request: HttpRequest, number: int) -> HttpResponse:
    """A GET with a span counts, a POST sends."""
    channel, now = channel_of(request, number), timezone.now()
    asked = request.POST if request.method == "POST" else request.GET
    form = SpanForm(asked) if "from" in asked or "until" in asked else SpanForm.usual(now=now)
    found = None
    if form.is_valid():
        try:
            span = replays.span_of(form.cleaned_data["from"], form.cleaned_data["until"])
            if request.method == "POST":
                replays.begin(channel, span, now=now)
                return redirect("channel-replay-page", number)
            found = replays.find(channel, span)
        except InputError as refused:
            form.add_error(None, str(refused))
        except Channel.DoesNotExist:  # another page of theirs was quicker
            raise Http404 from None
    context = {
        "section": "telling",
        "channel": channel,
        "form": form,
        "found": found,
        "is_too_much": found is not None and found.total > replays.MOST,
        "most": replays.MOST,
        **_progress(channel),
    }
    return render(request, "notifications/telling/replay.html", context)


def _progress(channel: Channel) -> dict[str, Any]:
    """Of the last replay, if there was one."""
    latest = replays.latest(channel)
    if latest is None:
        return {}
    zone = timezone.get_current_timezone()
    ends = {"since": exact_moment(latest.since, zone), "until": exact_moment(latest.until, zone)}
    return {"latest": latest, **ends}


@require_POST
@login_required
def stop(request: HttpRequest, number: int) -> HttpResponse:
    if replays.stop(channel_of(request, number), now=timezone.now()):
        messages.success(request, _("Stopped. What is on its way already still arrives."))
    return redirect("channel-replay-page", number)
