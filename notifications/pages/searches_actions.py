"""What can be done with one search from the list: each a POST, answered with its row or the list again."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from matching import services
from matching.models import Subscription
from matching.selectors import subscriptions_of
from notifications.items import name_of
from notifications.pages import searches, searches_undo
from notifications.pages.choices import VALIDITIES, usual_validity
from notifications.pages.refusals import no_room
from notifications.pages.requests import is_htmx
from notifications.pages.searches_asked import Asked
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import InputError

State = Subscription.State
LONGEST_COPY = 200
Doing = Callable[[Subscription, datetime], str]
Page = Callable[[HttpRequest, int], HttpResponse]


def an_action(do: Doing) -> Page:
    """A page that does this to a search of whoever asks, and shows the row again, or the whole list."""

    @wraps(do)
    def page(request: HttpRequest, number: int) -> HttpResponse:
        asked, now = Asked.read_back(request.POST.get("back", "")), timezone.now()
        search = _search(request, number)
        try:
            said, level = do(search, now), messages.SUCCESS
        except Subscription.DoesNotExist:
            raise Http404 from None
        except InputError:  # it has ended meanwhile
            said = _("“%(name)s” has ended. Renew it first.") % {"name": name_of(search)}
            level = messages.ERROR
        return _answer(request, number, asked, said, level, now=now)

    return login_required(require_POST(never_cache(page)))


@an_action
def pause(search: Subscription, now: datetime) -> str:
    services.change(search, state=State.PAUSED, now=now)
    return _("“%(name)s” is paused. We do not look until you resume it.") % {"name": name_of(search)}


@an_action
def mute(search: Subscription, now: datetime) -> str:
    services.change(search, state=State.MUTED, now=now)
    return _("“%(name)s” is muted. What it finds is only in your feed.") % {"name": name_of(search)}


@an_action
def resume(search: Subscription, now: datetime) -> str:
    services.change(search, state=State.ACTIVE, now=now)
    return _("“%(name)s” is active again.") % {"name": name_of(search)}


@an_action
def renew(search: Subscription, now: datetime) -> str:
    days = usual_validity(search)
    services.renew(search, now=now, valid_days=days)
    words = {"name": name_of(search), "span": VALIDITIES[days]}
    return _("“%(name)s” is renewed for %(span)s.") % words


@login_required
@require_POST
@never_cache
def delete(request: HttpRequest, number: int) -> HttpResponse:
    asked, now = Asked.read_back(request.POST.get("back", "")), timezone.now()
    search = _search(request, number)
    try:
        services.unsubscribe(search)
    except Subscription.DoesNotExist:
        raise Http404 from None
    searches_undo.keep(request, [number], now=now)  # the list offers to take it back
    if is_htmx(request):
        said = _("“%(name)s” is deleted.") % {"name": name_of(search)}
        return searches.row_deleted(request, number, asked, said=said, now=now)
    return searches.back_to(asked)


@login_required
@require_POST
@never_cache
def restore(request: HttpRequest, number: int) -> HttpResponse:
    asked = Asked.read_back(request.POST.get("back", ""))
    try:
        search = services.restore(number, owner=signed_in(request))
    except Subscription.DoesNotExist:
        raise Http404 from None
    except services.TooManySubscriptions:
        messages.error(request, no_room())
        return _whole_list(request, asked)
    searches_undo.drop(request, [number])
    said = _("“%(name)s” is back.") % {"name": name_of(search)}
    return _answer(request, number, asked, said, messages.SUCCESS, now=timezone.now())


@login_required
@require_safe
def duplicate(request: HttpRequest, number: int) -> HttpResponse:
    """A new search that begins as this one is."""
    search = _search(request, number)
    name = _("Copy of %(name)s") % {"name": name_of(search)}
    query = urlencode({"text": search.text, "name": name[:LONGEST_COPY]})
    return redirect(f"{reverse('search-new')}?{query}")


def _search(request: HttpRequest, number: int) -> Subscription:
    search = subscriptions_of(signed_in(request)).filter(pk=number).first()
    if search is None:
        raise Http404
    return search


def _answer(
    request: HttpRequest, number: int, asked: Asked, said: str, level: int, *, now: datetime
) -> HttpResponse:
    if is_htmx(request):
        is_error = level == messages.ERROR
        return searches.one_row(request, number, asked, said=said, is_error=is_error, now=now)
    messages.add_message(request, level, said)
    return searches.back_to(asked)


def _whole_list(request: HttpRequest, asked: Asked) -> HttpResponse:
    """The page anew, with its messages, also for htmx."""
    if is_htmx(request):
        return HttpResponse(headers={"HX-Redirect": searches.address_of(asked)})
    return searches.back_to(asked)
