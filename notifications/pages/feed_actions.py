"""What a reader does with items of the feed: hides one, shows it again, has seen some, wants no more such.

Each works as a plain form or link, and then leads back to the feed; a script gets only what has changed.
"""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from matching import hiding, seen
from matching.feed_items import FoundItem, item_of_event
from matching.models import Subscription
from matching.operators import of_process
from matching.row_numbers import LARGEST_NUMBER, row_number
from notifications.core.narrowing import Narrowing, narrowings
from notifications.pages.feed import with_unseen
from notifications.pages.feed_cards import Card, Why, cards_of
from notifications.pages.feed_query import FeedQuery
from notifications.pages.requests import is_htmx
from schema_registry.accounts.models import User
from schema_registry.accounts.requests import signed_in
from schema_registry.core.errors import SubscriptionError
from schema_registry.known_operators import OPERATORS
from schema_registry.selectors import current_schema, schema_at


@dataclass(frozen=True, slots=True)
class Proposals:
    """How a search could leave out what is like this item; none where it is not that simple."""

    search: Why
    narrowings: list[Narrowing]


@require_POST
@login_required
def hide(request: HttpRequest, event: int) -> HttpResponse:
    owner = signed_in(request)
    card = _card(owner, event)
    hiding.hide(owner, event)
    if not is_htmx(request):
        return _back(request, hidden=event)
    return with_unseen(render(request, "notifications/feed/hidden.html", {"card": card}), owner)


@require_POST
@login_required
def show(request: HttpRequest, event: int) -> HttpResponse:
    owner = signed_in(request)
    if event <= LARGEST_NUMBER:
        hiding.show_again(owner, event)
    card = _card(owner, event)
    if not is_htmx(request):
        return _back(request)
    context = {"card": card, "query": _query(request)}
    return with_unseen(render(request, "notifications/feed/card.html", context), owner)


@require_POST
@login_required
def mark_seen(request: HttpRequest) -> HttpResponse:
    """Of the items that were in view, or of everything up to the newest match that the page knew."""
    owner = signed_in(request)
    if newest := row_number(request.POST.get("up_to")):
        seen.mark_up_to(owner, newest)
    else:
        said = request.POST.getlist("item")[: seen.MOST_ITEMS_AT_ONCE]
        seen.mark_items(owner, {each for text in said if (each := row_number(text))})
    if request.POST.get("quietly"):
        return with_unseen(HttpResponse(status=204), owner)
    return _back(request)


@require_safe
@never_cache
@login_required
def less(request: HttpRequest, event: int) -> HttpResponse:
    """The searches that found an item, and how each could be changed so that it would not have."""
    owner = signed_in(request)
    found = _found(owner, event)
    (card,) = _cards(found)
    context = {"section": "feed", "card": card, "proposals": _proposals(found, card)}
    template = "less_part" if is_htmx(request) else "less"
    return render(request, f"notifications/feed/{template}.html", context)


def _proposals(found: FoundItem, card: Card) -> list[Proposals]:
    stored = found.matches[0].event
    event = schema_at(stored.schema_version).validate(stored.document)
    schema = current_schema()
    searches: dict[int, Subscription] = {match.subscription_id: match.subscription for match in found.matches}
    proposals = []
    for why in card.whys:
        if not why.is_there:
            continue
        search = searches[why.search]
        try:
            narrower = narrowings(
                search.text,
                search.canonical,
                event,
                schema,
                operators=OPERATORS,
                evaluate=of_process.evaluate,
            )
            proposals.append(Proposals(why, narrower))
        except SubscriptionError:  # its text needs the schema, or the operators, of its time
            proposals.append(Proposals(why, []))
    return proposals


def _found(owner: User, event: int) -> FoundItem:
    """Raises Http404 for what is not in this feed, whoever else's it may be in."""
    found = item_of_event(owner, event) if event <= LARGEST_NUMBER else None
    if found is None:
        raise Http404
    return found


def _cards(found: FoundItem) -> list[Card]:
    return cards_of([found], now=timezone.now(), zone=timezone.get_current_timezone())


def _card(owner: User, event: int) -> Card:
    return _cards(_found(owner, event))[0]


def _query(request: HttpRequest) -> FeedQuery:
    """The filters of the page that the form was on."""
    return FeedQuery.read(QueryDict(request.POST.get("back", "")[:1_000]))


def _back(request: HttpRequest, **more: int) -> HttpResponse:
    query = _query(request).address(**more)
    return HttpResponseRedirect(reverse("feed") + (f"?{query}" if query else ""))
