"""The secret addresses of the Atom feeds: of all searches, and of each."""

from dataclasses import dataclass
from functools import cache

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from matching.row_numbers import row_number
from matching.selectors import subscriptions_of
from notifications import links
from notifications.core.wording import LONGEST_TITLE
from notifications.items import name_of
from schema_registry.accounts.requests import signed_in
from schema_registry.selectors import schema_at

PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class FeedOfSearch:
    number: int
    name: str
    address: str


@require_safe
@login_required
@never_cache
def feeds(request: HttpRequest) -> HttpResponse:
    me = signed_in(request)
    wanted = request.GET.get("q", "").replace("\0", "").strip()[:200]  # PostgreSQL refuses NUL
    mine = subscriptions_of(me)
    if wanted:
        mine = mine.filter(name__icontains=wanted)
    if before := row_number(request.GET.get("before")):
        mine = mine.filter(pk__lt=before)
    found = list(mine[: PER_PAGE + 1])
    shown = found[:PER_PAGE]
    addresses = links.atom_addresses(me.pk, [search.pk for search in shown])
    schema = cache(schema_at)  # most searches were written under the same few versions
    context = {
        "section": "telling",
        "address": links.atom_address(me.pk),
        "searches": [
            FeedOfSearch(each.pk, name_of(each, most=LONGEST_TITLE, schema=schema), addresses[each.pk])
            for each in shown
        ],
        "wanted": wanted,
        "is_first": not before,
        "next": shown[-1].pk if len(found) > PER_PAGE else None,
    }
    return render(request, "notifications/telling/feeds.html", context)


@require_POST
@login_required
def renew(request: HttpRequest) -> HttpResponse:
    links.revoke_atom_addresses(signed_in(request).pk)
    messages.success(request, _("Your feeds have new addresses. The old ones lead nowhere now."))
    return redirect("telling-feeds")
