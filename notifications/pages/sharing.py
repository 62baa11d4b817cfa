"""The page on which the owner of a search shares it by a link, or stops that."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from matching.models import Subscription
from matching.selectors import subscriptions_of
from notifications import sharing
from notifications.core.wording import LONGEST_TITLE
from notifications.items import name_of
from notifications.pages.searches_shown import in_words
from schema_registry.accounts.requests import signed_in
from schema_registry.selectors import current_schema


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest, number: int) -> HttpResponse:
    search = _search(request, number)
    if request.method == "POST":
        sharing.share(search, now=timezone.now())
        return redirect("search-share", number)
    words = in_words(search, current_schema())
    called = name_of(search, most=LONGEST_TITLE)
    context = {
        "section": "searches",
        "search": search,
        "called": called,
        "words": "" if words == called else words,
        "link": sharing.link_of(search),
    }
    return render(request, "notifications/sharing/share.html", context)


@login_required
@never_cache
@require_POST
def stop(request: HttpRequest, number: int) -> HttpResponse:
    search = _search(request, number)
    if sharing.stop(search):
        messages.success(
            request, _("The link leads nowhere from now on. Copies that others made stay theirs.")
        )
    return redirect("search-share", number)


def _search(request: HttpRequest, number: int) -> Subscription:
    search = subscriptions_of(signed_in(request)).filter(pk=number).first()
    if search is None:
        raise Http404
    return search
