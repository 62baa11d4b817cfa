"""The pages that links in mails lead to. Nobody needs to sign in: the link says who may do what.

Looking at a page changes nothing, since mail programs and their guards follow every link; a button does. No
cookie has a part in it, so there is nothing that another site could make a browser do: whoever knows the link
may press the button.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from matching import services
from matching.models import Subscription
from matching.row_numbers import row_number
from notifications import channels, links, selectors, unsubscribing
from notifications.core.policy import Frequency
from notifications.core.wording import LONGEST_TITLE, exact_moment, one_line
from notifications.hours import hours_of
from notifications.items import name_of, words_of
from notifications.models import Channel
from notifications.pages.choices import HOW_OFTEN, VALIDITIES, usual_validity
from notifications.unsubscribing import Scope
from schema_registry.selectors import schema_at

Page = Callable[[HttpRequest, str], HttpResponse]

ONE_CLICK = "One-Click"
_called = partial(name_of, most=LONGEST_TITLE)


def from_a_mail(page: Page) -> Page:
    """A link that is no good, or whose subject is gone, gets a page that says so."""

    @wraps(page)
    def guarded(request: HttpRequest, token: str) -> HttpResponse:
        try:
            response = page(request, token)
        except links.BadLink:
            response = render(request, "notifications/pages/bad_link.html", status=404)
        except (Channel.DoesNotExist, Subscription.DoesNotExist):
            response = render(request, "notifications/pages/gone.html", status=404)
        except services.AlreadyExpired:
            response = render(request, "notifications/pages/expired.html", status=409)
        response["X-Robots-Tag"] = "noindex"
        return response

    return csrf_exempt(never_cache(guarded))


@require_http_methods(["GET", "HEAD", "POST"])
@from_a_mail
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    number, challenge = links.read_confirm(token)
    channel = Channel.objects.get(pk=number)
    if channel.challenge != challenge or channel.state == Channel.State.DISABLED:
        raise links.BadLink
    if request.method == "POST":
        channels.activate(channel.pk, now=timezone.now())
        channel.refresh_from_db()
    stop = links.unsubscribe_address(channel.pk)
    return render(request, "notifications/pages/confirm.html", {"channel": channel, "stop": stop})


@require_http_methods(["GET", "HEAD", "POST"])
@from_a_mail
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    asked = links.read_unsubscribe(token)
    if request.POST.get("List-Unsubscribe") == ONE_CLICK:
        return _unsubscribed_in_one_click(asked)
    channel = Channel.objects.get(pk=asked.channel)
    mine = list(unsubscribing.searches().filter(pk__in=asked.searches, owner=channel.owner_id))
    context: dict[str, Any] = {"channel": channel, "names": [_called(search) for search in mine]}
    if request.method != "POST":
        return render(request, "notifications/pages/unsubscribe.html", context)
    scopes = [scope for scope in Scope if mine or scope is not Scope.SEARCHES]
    if (chosen := request.POST.get("scope", "")) not in scopes:
        context["error"] = _("Choose one of these.")
        return render(request, "notifications/pages/unsubscribe.html", context, status=400)
    undo = unsubscribing.unsubscribe(asked, scope=Scope(chosen), now=timezone.now())
    return _done(request, f"stopped_{chosen}", undo, **context)


@require_http_methods(["GET", "HEAD", "POST"])
@from_a_mail
def change(request: HttpRequest, token: str) -> HttpResponse:
    search = _search("change-search", token)
    context = {"search": _called(search), "choices": HOW_OFTEN, "now": selectors.terms_of(search).frequency}
    if request.method != "POST":
        return render(request, "notifications/pages/change.html", context)
    if (chosen := request.POST.get("frequency", "")) not in HOW_OFTEN:
        context["error"] = _("Choose one of these.")
        return render(request, "notifications/pages/change.html", context, status=400)
    undo = unsubscribing.tell_so_often(search, Frequency(chosen))
    return _done(request, "changed", undo, how_often=HOW_OFTEN[Frequency(chosen)], **context)


@require_http_methods(["GET", "HEAD", "POST"])
@from_a_mail
def mute(request: HttpRequest, token: str) -> HttpResponse:
    search = _search("mute-search", token)
    if request.method != "POST":
        return render(request, "notifications/pages/mute.html", {"search": _called(search)})
    undo = unsubscribing.mute(search, now=timezone.now())
    return _done(request, "muted", undo, search=_called(search))


@require_http_methods(["GET", "HEAD", "POST"])
@from_a_mail
def renew(request: HttpRequest, token: str) -> HttpResponse:
    search, now = _search("renew-search", token), timezone.now()
    context = {
        "search": _called(search),
        "words": one_line(words_of(search.canonical, schema_at(search.schema_version)), most=1_000),
        "choices": VALIDITIES,
        "usual": usual_validity(search),
    }
    if request.method == "POST":
        days = row_number(request.POST.get("days"))
        if days not in VALIDITIES:
            context["error"] = _("Choose one of these.")
            return render(request, "notifications/pages/renew.html", context, status=400)
        search.expires_at = services.renew(search, now=now, valid_days=days)
        context["is_renewed"] = True
    if search.expires_at is not None:
        context["ends"] = exact_moment(search.expires_at, hours_of(search.owner_id).zone)
        context["is_over"] = search.expires_at <= now
    return render(request, "notifications/pages/renew.html", context)


@require_POST
@from_a_mail
def undo(request: HttpRequest, token: str) -> HttpResponse:
    unsubscribing.undo(links.read_undo(token), now=timezone.now())
    return render(request, "notifications/pages/undone.html")


def _unsubscribed_in_one_click(asked: links.Unsubscribing) -> HttpResponse:
    """RFC 8058: a mail program asks, so there is nobody to choose."""
    with suppress(Channel.DoesNotExist):  # nothing comes from one that is gone
        scope = Scope.SEARCHES if asked.searches else Scope.ALL
        unsubscribing.unsubscribe(asked, scope=scope, now=timezone.now())
    return HttpResponse("Unsubscribed.\n", content_type="text/plain")


def _search(purpose: str, token: str) -> Subscription:
    return unsubscribing.search_of(links.read_search(purpose, token))


def _done(request: HttpRequest, what: str, facts: unsubscribing.Facts, **context: Any) -> HttpResponse:
    """Says what was done, and offers to take it back."""
    says = {"what": what, "undo": links.undo_address(facts), **context}
    return render(request, "notifications/pages/done.html", says)
