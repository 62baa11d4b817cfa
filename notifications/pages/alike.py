"""More like an item of the feed: the form of a new search begins with one of several proposals.

The page shows them from narrow to wide. How many each would have found is asked for once the page is there,
since that takes longer than the page may.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from matching.feed_items import item_of_event
from matching.row_numbers import LARGEST_NUMBER, row_number
from matching.selectors import looked_back
from notifications.core.reasons import search_in_words
from notifications.core.wording import one_line
from notifications.pages.search_preview import DAYS
from schema_registry.accounts.models import User
from schema_registry.accounts.requests import signed_in
from schema_registry.core.schema import Schema
from schema_registry.language import Subscription
from schema_registry.language.suggesting import Suggestion, suggestions
from schema_registry.selectors import current_schema, schema_at

SECONDS_KEPT = 300
LONGEST_WORDS = 240


@dataclass(frozen=True, slots=True)
class Alternative:
    """`count` is None until it is asked for, and `is_least` when there may be more."""

    text: str
    words: str
    address: str
    is_chosen: bool
    count: int | None = None
    is_least: bool = False


@dataclass(frozen=True, slots=True)
class Alike:
    event: int
    title: str
    chosen: str
    alternatives: Sequence[Alternative]


@login_required
@never_cache
@require_safe
def more(request: HttpRequest, event: int) -> HttpResponse:
    """The form of a new search, filled with the middle one of the proposals."""
    _title, found = _suggested(signed_in(request), event, current_schema())
    return redirect(_address(event, found[len(found) // 2].text))


@login_required
@never_cache
@require_safe
def counts(request: HttpRequest, event: int) -> HttpResponse:
    """The proposals as a part of the page, with how many each would have found; `text` is the chosen one."""
    schema, now = current_schema(), timezone.now()
    title, found = _suggested(signed_in(request), event, schema)
    chosen = request.GET.get("text", "")
    shown = [_counted(_shown(event, each, schema, chosen), each.subscription, now=now) for each in found]
    context = {"alike": Alike(event, title, chosen, shown), "days": DAYS, "is_part": True}
    return render(request, "notifications/search/alike.html", context)


def begun_with(request: HttpRequest, schema: Schema) -> Alike | None:
    """What the form was begun with: `?like=` an item of the reader's feed; None for whatever else."""
    event = row_number(request.GET.get("like"))
    if event is None:
        return None
    try:
        title, found = _suggested(signed_in(request), event, schema)
    except Http404:
        return None
    chosen = request.GET.get("text", "")
    return Alike(event, title, chosen, [_shown(event, each, schema, chosen) for each in found])


def _suggested(owner: User, number: int, schema: Schema) -> tuple[str, list[Suggestion]]:
    """Raises Http404 for what is not in this feed, whoever else's it may be in."""
    found = item_of_event(owner, number) if number <= LARGEST_NUMBER else None
    if found is None:
        raise Http404
    stored = found.matches[0].event
    event = schema_at(stored.schema_version).validate(stored.document)
    return one_line(stored.title), suggestions(event, schema)


def _shown(event: int, suggestion: Suggestion, schema: Schema, chosen: str) -> Alternative:
    words = search_in_words(suggestion.subscription.expression, schema.domain_of)
    return Alternative(
        text=suggestion.text,
        words=one_line(words, most=LONGEST_WORDS),
        address=_address(event, suggestion.text),
        is_chosen=suggestion.text == chosen,
    )


def _counted(shown: Alternative, subscription: Subscription, *, now: datetime) -> Alternative:
    """The count is kept for some minutes: people go back and forth, and many get the same items."""
    text = sha256(subscription.canonical.encode()).hexdigest()
    key = f"alike:{subscription.schema.version}:{text}"
    kept: tuple[int, bool] | None = cache.get(key)
    if kept is None:
        found = looked_back(subscription, days=DAYS, now=now, clock=time.monotonic, most_samples=1)
        kept = (found.count, not found.complete)
        cache.set(key, kept, timeout=SECONDS_KEPT)
    return replace(shown, count=kept[0], is_least=kept[1])


def _address(event: int, text: str) -> str:
    return f"{reverse('search-new')}?{urlencode({'like': event, 'text': text})}"
