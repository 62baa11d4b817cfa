"""What can be done with a channel. With htmx an answer is the card, else the page."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from notifications import channels, removal
from notifications.deliveries import TooSoon
from notifications.models import Channel
from notifications.pages import telling
from notifications.pages.requests import is_htmx
from notifications.pages.telling_cards import Card, cards_of, channel_of
from notifications.pages.telling_forms import ChannelForm, NewChannelForm
from notifications.pages.telling_words import Said
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import InputError

Doing = Callable[[HttpRequest, Channel, datetime], Said]
View = Callable[..., HttpResponse]
State = Channel.State


@require_POST
@login_required
def add(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    form = NewChannelForm(request.POST)
    if not form.is_valid():
        return telling.page(request, new=form, now=now)
    kind = Channel.Kind(form.cleaned_data["kind"])
    try:
        made = channels.add(signed_in(request), kind=kind, address=form.cleaned_data["address"], now=now)
    except (channels.TooManyChannels, TooSoon) as refused:
        form.add_error(None, str(refused))
        return telling.page(request, new=form, now=now)
    except InputError as refused:
        form.add_error("address", str(refused))
        return telling.page(request, new=form, now=now)
    said = Said("success", _of_new(made))
    if not is_htmx(request):
        return _answer(request, made.pk, said, now=now)
    card = replace(_card(made, now=now), says=said, secret=_shown_secret(made))
    return telling.page(request, card=card, now=now)


def acting(do: Doing) -> View:
    """A button of a card: it does something with the channel, and the card says what came of it."""

    @require_POST
    @login_required
    @never_cache
    @wraps(do)
    def view(request: HttpRequest, number: int) -> HttpResponse:
        channel, now = channel_of(request, number), timezone.now()
        try:
            said = do(request, channel, now)
        except InputError as refused:
            said = Said("error", str(refused))
        except Channel.DoesNotExist:  # another page of theirs was quicker
            raise Http404 from None
        return _answer(request, number, said, now=now)

    return view


@acting
def switch(request: HttpRequest, channel: Channel, now: datetime) -> Said:
    """On or off."""
    if request.POST.get("to") == "on":
        channels.change(channel.pk, now=now, by_account=True, state=State.ACTIVE)
        return Said("success", _("It is on again. What waited for it is sent now."))
    channels.change(channel.pk, now=now, by_account=True, state=State.DISABLED)
    return Said("success", _("It is off. What is found meanwhile is in your feed."))


@acting
def verify(request: HttpRequest, channel: Channel, now: datetime) -> Said:
    channels.verify_again(channel.pk, now=now)
    if channel.kind == Channel.Kind.EMAIL:
        return Said("success", _("Another mail is on its way. The link in an earlier one does not work now."))
    if channel.kind == Channel.Kind.CHAT:
        return Said(
            "success", _("Another message is on its way. The link in an earlier one does not work now.")
        )
    return Said("success", _("Another challenge is on its way."))


@acting
def restore(request: HttpRequest, channel: Channel, now: datetime) -> Said:
    """Take its removal back. Only one that was used had been switched off for it."""
    state = State.ACTIVE if request.POST.get("was") == State.ACTIVE else None
    channels.change(channel.pk, now=now, by_account=True, state=state)
    return Said("success", _("It is back."))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def change(request: HttpRequest, number: int) -> HttpResponse:
    """What it gets, and how much of it."""
    channel, now = channel_of(request, number), timezone.now()
    form = ChannelForm.of(channel, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            channels.change(channel.pk, now=now, by_account=True, **form.cleaned_data)
        except InputError as refused:
            form.add_error(None, str(refused))
    if form.is_valid():
        said = Said("success", _of_change(channel_of(request, number)))
        return _answer(request, number, said, now=now)
    return _card_page(request, replace(_card(channel, now=now), form=form), now=now)


@require_POST
@login_required
@never_cache
def secret(request: HttpRequest, number: int) -> HttpResponse:
    """Show it. It is a POST so that no program that looks at links ever sees it."""
    channel, now = channel_of(request, number), timezone.now()
    if channel.kind != Channel.Kind.WEBHOOK:
        return _answer(request, number, _no_secret(), now=now)
    return _card_page(request, replace(_card(channel, now=now), secret=_shown_secret(channel)), now=now)


@require_POST
@login_required
@never_cache
def rotate_secret(request: HttpRequest, number: int) -> HttpResponse:
    channel, now = channel_of(request, number), timezone.now()
    if channel.kind != Channel.Kind.WEBHOOK:
        return _answer(request, number, _no_secret(), now=now)
    try:
        channel = channels.rotate_secret(channel.pk, now=now)
    except Channel.DoesNotExist:  # as above
        raise Http404 from None
    said = Said("success", _("This is the new secret. For 24 hours the old one signs along."))
    card = replace(_card(channel, now=now), secret=_shown_secret(channel), says=said)
    return _card_page(request, card, now=now)


@require_POST
@login_required
@never_cache
def remove(request: HttpRequest, number: int) -> HttpResponse:
    """Nothing is sent to it from now on. It goes for good by `erase`, which a script asks for 10 s later, or
    by itself after a minute.
    """
    channel, now = channel_of(request, number), timezone.now()
    removal.set_aside(channel.pk, now=now)
    return _card_page(request, replace(_card(channel, now=now), was=channel.state), now=now)


@require_POST
@login_required
@never_cache
def erase(request: HttpRequest, number: int) -> HttpResponse:
    """Remove it for good, with its log; not one that is used, since undoing it may have been quicker."""
    channel = channel_of(request, number)
    if channel.state == State.ACTIVE:
        said = Said("error", _("It is in use. Remove it first."))
        return _answer(request, number, said, now=timezone.now())
    channels.remove(channel.pk)
    if is_htmx(request):
        return HttpResponse("")
    messages.success(request, _("%(address)s is removed for good.") % {"address": channel.address})
    return redirect("telling")


def _answer(request: HttpRequest, number: int, said: Said, *, now: datetime) -> HttpResponse:
    if is_htmx(request):
        card = replace(_card(channel_of(request, number), now=now), says=said)
        return _card_page(request, card, now=now)
    level = messages.ERROR if said.level == "error" else messages.SUCCESS
    messages.add_message(request, level, said.text)
    return redirect(f"{reverse('telling')}#channel-{number}")


def _card_page(request: HttpRequest, card: Card, *, now: datetime) -> HttpResponse:
    if not is_htmx(request):
        return telling.page(request, card=card, now=now)
    return render(request, "notifications/telling/card.html", {"card": card, "now": now})


def _card(channel: Channel, *, now: datetime) -> Card:
    (card,) = cards_of([channel], now=now)
    return card


def _no_secret() -> Said:
    return Said("error", _("Only a webhook has a secret: other messages are not signed."))


def _shown_secret(channel: Channel) -> str:
    return channel.secret if channel.kind == Channel.Kind.WEBHOOK else ""


def _of_new(channel: Channel) -> str:
    if channel.state == State.ACTIVE:
        return _("Added. It is an address of your account, so it is used at once.")
    if channel.kind == Channel.Kind.EMAIL:
        return _("Added. Follow the link in the mail that we have sent there, and it is used.")
    return _("Added. It is used once it has answered our challenge, which is on its way.")


def _of_change(channel: Channel) -> str:
    if channel.state == State.PENDING:
        return _("Saved. This address had asked for nothing, so it has to confirm that it wants more.")
    return _("Saved.")
