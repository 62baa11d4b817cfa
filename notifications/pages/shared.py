"""What the link of a shared search leads to: the search in words, and what it would have found.

Nobody needs to sign in, and nothing here tells whose search it is, nor what it found for them. What it would
have found is asked for by itself, after the page is there: it may take a second, and visitors must not cost
more than a few of those. So it is kept for some minutes, and a process makes few at a time.
"""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from matching.models import Subscription
from notifications import links, sharing
from notifications.core.reasons import search_in_words
from notifications.core.wording import LONGEST_TITLE, one_line
from notifications.items import name_of, words_of
from notifications.pages.requests import is_htmx
from notifications.pages.search_preview import DAYS, Shown, previewed
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.known_operators import OPERATORS
from schema_registry.language import parse
from schema_registry.selectors import current_schema, schema_at

SECONDS_KEPT = 300
LONGEST_WORDS = 2_000
MOST_AT_ONCE = 2  # of a process
_places = BoundedSemaphore(MOST_AT_ONCE)
Page = Callable[[HttpRequest, str], HttpResponse]


def by_link(page: Page) -> Page:
    """A link that is no good gets a page that says so; none of them is for search engines."""

    @wraps(page)
    def guarded(request: HttpRequest, token: str) -> HttpResponse:
        try:
            response = page(request, token)
        except links.BadLink:
            response = render(request, "notifications/sharing/ended.html", status=404)
        response["X-Robots-Tag"] = "noindex"
        response["Referrer-Policy"] = "no-referrer"
        return response

    return never_cache(guarded)


@require_safe
@by_link
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """`?found` also tells what it would have found, which htmx asks for and gets alone."""
    search = sharing.shared_by(token)
    schema = current_schema()
    is_asked = "found" in request.GET
    context: dict[str, Any] = {
        "token": token,
        "days": DAYS,
        "preview": kept_preview(search, schema) or (_made_preview(search, schema) if is_asked else None),
    }
    if is_asked and is_htmx(request):
        return render(request, "notifications/search/preview.html", context)
    called = name_of(search, most=LONGEST_TITLE)
    words, error = _said(search, schema)
    context |= {
        "called": called,
        "words": "" if words == called else words,
        "error": error,
        "next": reverse("shared-search-copy", args=[token]),
    }
    return render(request, "notifications/sharing/shared.html", context)


@require_safe
@by_link
@login_required
def copy(request: HttpRequest, token: str) -> HttpResponse:
    """A new search of whoever asks, that begins as this one is; it is saved by their button only."""
    search = sharing.shared_by(token)
    query = urlencode({"text": search.text, "name": search.name})
    return redirect(f"{reverse('search-new')}?{query}")


def kept_preview(search: Subscription, schema: Schema) -> Shown | None:
    """What was found for whoever asked lately; None if nobody has."""
    kept: Shown | None = cache.get(_key(search, schema))
    return kept


def _made_preview(search: Subscription, schema: Schema) -> Shown:
    if not _places.acquire(blocking=False):
        return Shown(error=_("Many people are looking at this moment. Reload the page in a while."))
    try:
        found = previewed(search.text, schema, now=timezone.now())
    finally:
        _places.release()
    cache.set(_key(search, schema), found, timeout=SECONDS_KEPT)
    return found


def _key(search: Subscription, schema: Schema) -> str:
    """Another text, schema or language finds, or says, something else."""
    text = sha256(search.text.encode()).hexdigest()
    return f"shared-search:{search.pk}:{schema.version}:{get_language()}:{text}"


def _words(text: str, schema: Schema) -> str:
    expression = parse(text, schema, operators=OPERATORS).expression
    return search_in_words(expression, schema.domain_of, OPERATORS)


def _said(search: Subscription, schema: Schema) -> tuple[str, str]:
    """The search as a sentence, and why it could not be saved today; empty if it could."""
    try:
        words, error = _words(search.text, schema), ""
    except SubscriptionError as refused:
        words, error = words_of(search.canonical, schema_at(search.schema_version)), refused.message
    return one_line(words, most=LONGEST_WORDS), error
