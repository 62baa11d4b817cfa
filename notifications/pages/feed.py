"""The feed: what was found, item by item, newest first; live while it is open."""

from contextlib import suppress
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from matching import feed as numbers
from matching.feed_items import MOST_AT_ONCE, MOST_LOOKED_AT, FeedPage, items_of_matches, page_of
from matching.row_numbers import row_number
from matching.seen import MOST_SAID, count_unseen_items
from matching.selectors import subscriptions_of
from matching.small_transactions import ROWS_PER_TRANSACTION
from notifications.pages.feed_cards import Day, cards_of, days_of
from notifications.pages.feed_filters import choices_of
from notifications.pages.feed_query import FeedQuery
from notifications.pages.pictures import with_pictures
from schema_registry.accounts.models import User
from schema_registry.accounts.requests import signed_in

MOST_PORTIONS_NUMBERED = 4


@require_safe
@never_cache
@login_required
@with_pictures
def feed(request: HttpRequest) -> HttpResponse:
    owner = signed_in(request)
    query = FeedQuery.read(request.GET)
    query.check(owner)
    before = row_number(request.GET.get("before"))
    live_after = _live_after(owner)  # first, so that what comes while we read is streamed
    page = page_of(owner, query.wanted, before=before)
    context = {
        "section": "feed",
        "choices": choices_of(owner, query, page),
        "live_after": live_after,
        "is_top": before is None,
        "hidden": row_number(request.GET.get("hidden")),
        "has_searches": bool(page.items) or subscriptions_of(owner).exists(),
        **page_context(page, query),
    }
    return render(request, "notifications/feed/feed.html", context)


@require_safe
@never_cache
@login_required
def older(request: HttpRequest) -> HttpResponse:
    """The next page as a part to append; `after_day` is the day whose heading is there already."""
    owner = signed_in(request)
    query = FeedQuery.read(request.GET)
    query.check(owner)
    page = page_of(owner, query.wanted, before=row_number(request.GET.get("before")))
    context = {**page_context(page, query), "after_day": _day(request.GET.get("after_day"))}
    return render(request, "notifications/feed/older.html", context)


@require_safe
@never_cache
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """The items of these matches that fit the filters, as a part to put on top."""
    owner = signed_in(request)
    query = FeedQuery.read(request.GET)
    chosen = [each for said in request.GET.getlist("match")[:MOST_AT_ONCE] if (each := row_number(said))]
    items = items_of_matches(owner, chosen, query.wanted)
    context = page_context(FeedPage(items=items), query)
    return with_unseen(render(request, "notifications/feed/days.html", context), owner)


def page_context(page: FeedPage, query: FeedQuery) -> dict[str, Any]:
    now, zone = timezone.now(), timezone.get_current_timezone()
    days: list[Day] = days_of(cards_of(page.items, now=now, zone=zone), now=now, zone=zone)
    return {
        "page": page,
        "query": query,
        "days": days,
        "now": now,
        "older": page.older and query.address(before=page.older),
        "last_day": days[-1].day if days else None,
        "most_looked_at": MOST_LOOKED_AT,
    }


def with_unseen(response: HttpResponse, owner: User) -> HttpResponse:
    """The script puts the count beside the feed's name in the navigation."""
    response["X-Unseen"] = str(count_unseen_items(owner, most=MOST_SAID + 1))
    return response


def _live_after(owner: User) -> int | None:
    """The number after which everything is still to come.

    None where there is more to number than a page has time for, or the database is busy: then it is what
    comes once the stream has done that.
    """
    with suppress(OperationalError):
        for _ in range(MOST_PORTIONS_NUMBERED):
            if numbers.number_new(owner) < ROWS_PER_TRANSACTION:
                return numbers.last_number(owner)
    return None


def _day(said: str | None) -> Any:
    try:
        return parse_date(said or "")
    except ValueError:
        return None
