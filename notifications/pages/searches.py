"""The list of a person's searches: what they look for, how much it finds, and what can be done with it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from matching.models import Subscription
from notifications import search_lists
from notifications.pages import searches_shown, searches_undo
from notifications.pages.choices import HOW_OFTEN, VALIDITIES
from notifications.pages.search_examples import examples
from notifications.pages.searches_asked import Asked
from notifications.pages.searches_shown import STATE_NAMES
from notifications.search_lists import PER_PAGE, STATES, Sort
from schema_registry.accounts.requests import signed_in
from schema_registry.selectors import current_schema

SORTS = {
    Sort.NEWEST: _("newest first"),
    Sort.NAME: _("by name"),
    Sort.LAST_MATCH: _("last match first"),
    Sort.ENDS_SOONEST: _("ending soonest"),
}
TAB_NAMES = {  # of several
    **STATE_NAMES,
    Subscription.State.ACTIVE: pgettext_lazy("searches", "active"),
    Subscription.State.EXPIRED: pgettext_lazy("searches", "ended"),
}


@dataclass(frozen=True, slots=True)
class Tab:
    name: object
    address: str
    count: int
    is_current: bool


@login_required
@require_safe
@never_cache
def searches(request: HttpRequest) -> HttpResponse:
    owner, now = signed_in(request), timezone.now()
    asked = Asked.read(request.GET)
    counts = search_lists.counts(owner, asked, now=now)
    total = sum(counts.values()) if asked.state is None else counts[asked.state]
    pages = Paginator(range(total), PER_PAGE)
    asked = asked.but(page=min(asked.page, pages.num_pages))
    numbers = search_lists.numbers_on_page(owner, asked, page=asked.page, now=now) if total else []
    has_any = bool(sum(counts.values())) or bool(asked.words)
    context = {
        "section": "searches",
        "asked": asked,
        "back": asked.query_string,
        "tabs": tabs(asked, counts),
        "total": total,
        "page": pages.page(asked.page),
        "newer": asked.but(page=asked.page - 1).query_string,
        "older": asked.but(page=asked.page + 1).query_string,
        "rows": searches_shown.rows(owner, numbers, now=now),
        "now": now,
        "sorts": SORTS,
        "validities": VALIDITIES,
        "frequencies": HOW_OFTEN,
        "deleted": searches_undo.recently_deleted(request, now=now),
        "examples": [] if has_any else examples(current_schema()),
        "has_any": has_any,
    }
    return render(request, "notifications/searches/list.html", context)


def tabs(asked: Asked, counts: dict[Subscription.State, int]) -> list[Tab]:
    first = asked.but(page=1, state=None)
    everything = Tab(_("All"), first.query_string, sum(counts.values()), asked.state is None)
    return [
        everything,
        *(
            Tab(
                TAB_NAMES[state],
                first.but(state=state).query_string,
                counts[state],
                asked.state == state,
            )
            for state in STATES
        ),
    ]


def one_row(
    request: HttpRequest, number: int, asked: Asked, *, said: str, is_error: bool = False, now: datetime
) -> HttpResponse:
    """The row as it is now, for htmx, with the counts beside it and a word for those who hear the page.

    An error is not only heard: it stands in the row.
    """
    words = {"error": said} if is_error else {"said": said}
    return _part(request, "row", number, asked, **words, now=now)


def row_deleted(request: HttpRequest, number: int, asked: Asked, *, said: str, now: datetime) -> HttpResponse:
    """What stands in its place: a word, and a way back."""
    return _part(request, "row_deleted", number, asked, said=said, now=now)


def _part(
    request: HttpRequest,
    part: str,
    number: int,
    asked: Asked,
    *,
    said: str = "",
    error: str = "",
    now: datetime,
) -> HttpResponse:
    owner = signed_in(request)
    shown = searches_shown.rows(owner, [number], now=now)
    context: dict[str, Any] = {
        "part": f"notifications/searches/{part}.html",
        "number": number,
        "row": shown[0] if shown else None,
        "asked": asked,
        "back": asked.query_string,
        "tabs": tabs(asked, search_lists.counts(owner, asked, now=now)),
        "said": said,
        "error": error,
        "now": now,
    }
    return render(request, "notifications/searches/part.html", context)


def back_to(asked: Asked) -> HttpResponse:
    return redirect(address_of(asked))


def address_of(asked: Asked) -> str:
    query = asked.query_string
    return reverse("searches") + (f"?{query}" if query else "")
