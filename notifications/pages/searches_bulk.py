"""The same done to many searches: those with a tick, or all that the list shows, up to 10,000.

With htmx a request does a portion and answers how far it is; its answer asks for the next one. So progress is
seen, and no request takes long. The numbers go up, so a portion begins after the last number of the one
before, although what was done may no longer be among what the list shows. Without scripts one request does
it all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from matching import bulk
from matching.models import Subscription
from matching.row_numbers import row_number
from matching.services import TooManySubscriptions
from notifications import search_lists
from notifications.bulk_terms import tell_so_often
from notifications.core.policy import Frequency
from notifications.pages import searches, searches_undo
from notifications.pages.choices import VALIDITIES
from notifications.pages.refusals import no_room
from notifications.pages.requests import is_htmx
from notifications.pages.searches_asked import Asked
from notifications.search_lists import Wanted
from schema_registry.accounts.models import User
from schema_registry.accounts.requests import signed_in
from schema_registry.core.numbers import grouped

State = Subscription.State
PORTION = 1_000
MOST_CHOSEN = 1_000  # ticks of one page
DELETE, RESTORE, ALL = "delete", "restore", "all"
Doing = Callable[[User, Sequence[int], datetime], int]


def _into(state: Subscription.State) -> Doing:
    return lambda owner, numbers, now: bulk.change(owner, numbers, state=state, now=now)


def _renewed(owner: User, numbers: Sequence[int], now: datetime, *, days: int) -> int:
    return bulk.renew(owner, numbers, now=now, valid_days=days)


def _told(owner: User, numbers: Sequence[int], now: datetime, *, frequency: Frequency) -> int:
    return tell_so_often(owner, numbers, frequency)


ACTIONS: dict[str, Doing] = {
    "pause": _into(State.PAUSED),
    "resume": _into(State.ACTIVE),
    "mute": _into(State.MUTED),
    DELETE: lambda owner, numbers, now: bulk.unsubscribe(owner, numbers),
    **{f"renew:{days}": partial(_renewed, days=days) for days in VALIDITIES},
    **{f"tell:{each}": partial(_told, frequency=each) for each in Frequency},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far it is: `after` is the last number that was dealt with, `changed` how many it was done to.

    `total` is what the page said that there are; it is only shown.
    """

    action: str
    after: int = 0
    dealt_with: int = 0
    changed: int = 0
    total: int = 0


@login_required
@require_POST
@never_cache
def actions(request: HttpRequest) -> HttpResponse:
    asked = Asked.read_back(request.POST.get("back", ""))
    standing = _read(request)
    if standing.action not in ACTIONS:
        messages.error(request, _("Choose what to do with them."))
        return _finished(request, asked)
    if request.POST.get("which") != ALL:
        return _with_chosen(request, asked, standing)
    owner, now = signed_in(request), timezone.now()
    while numbers := _next(owner, asked, standing.after, now=now):
        standing = _done(request, standing, numbers, now=now)
        if is_htmx(request) and standing.dealt_with < standing.total:
            return _progress(request, asked, standing)
    _say(request, standing)
    return _finished(request, asked)


@login_required
@require_POST
@never_cache
def undo(request: HttpRequest) -> HttpResponse:
    """Bring back what was deleted last."""
    asked = Asked.read_back(request.POST.get("back", ""))
    standing = _read(request, action=RESTORE)
    owner = signed_in(request)
    standing = replace(standing, total=standing.dealt_with + searches_undo.left(request))
    while numbers := searches_undo.next_ones(request, PORTION):
        try:
            changed = standing.changed + bulk.restore(owner, numbers)
        except TooManySubscriptions:
            messages.error(request, no_room())
            return _finished(request, asked)
        searches_undo.drop(request, numbers)
        standing = replace(standing, dealt_with=standing.dealt_with + len(numbers), changed=changed)
        if is_htmx(request) and searches_undo.left(request):
            return _progress(request, asked, standing)
    _say(request, standing)
    return _finished(request, asked)


def _with_chosen(request: HttpRequest, asked: Asked, standing: Standing) -> HttpResponse:
    owner, now = signed_in(request), timezone.now()
    said = request.POST.getlist("number")[:MOST_CHOSEN]
    ticked = [number for each in said if (number := row_number(each))]
    # Of those only what is there: what was deleted earlier shall not come back with an undo.
    mine = search_lists.found(owner, Wanted(), now=now).filter(pk__in=ticked)
    numbers = sorted(mine.values_list("pk", flat=True))
    if not numbers:
        messages.error(request, _("Tick the searches first that you mean."))
    else:
        _say(request, _done(request, standing, numbers, now=now))
    return _finished(request, asked)


def _next(owner: User, asked: Asked, after: int, *, now: datetime) -> list[int]:
    there = search_lists.found(owner, asked, now=now).filter(pk__gt=after).order_by("pk")
    return list(there.values_list("pk", flat=True)[:PORTION])


def _done(request: HttpRequest, standing: Standing, numbers: Sequence[int], *, now: datetime) -> Standing:
    changed = ACTIONS[standing.action](signed_in(request), numbers, now)
    if standing.action == DELETE:
        searches_undo.keep(request, numbers, now=now, goes_on=bool(standing.dealt_with))
    return replace(
        standing,
        after=numbers[-1],
        dealt_with=standing.dealt_with + len(numbers),
        changed=standing.changed + changed,
    )


def _read(request: HttpRequest, *, action: str = "") -> Standing:
    def number(name: str) -> int:
        return row_number(request.POST.get(name)) or 0

    return Standing(
        action=action or request.POST.get("action", ""),
        after=number("after"),
        dealt_with=number("dealt_with"),
        changed=number("changed"),
        total=number("total"),
    )


def _progress(request: HttpRequest, asked: Asked, standing: Standing) -> HttpResponse:
    context = {"standing": standing, "back": asked.query_string}
    return render(request, "notifications/searches/progress.html", context)


def _finished(request: HttpRequest, asked: Asked) -> HttpResponse:
    if is_htmx(request):
        return HttpResponse(headers={"HX-Redirect": searches.address_of(asked)})
    return searches.back_to(asked)


def _say(request: HttpRequest, standing: Standing) -> None:
    """Of a deletion the list itself tells, with a way back."""
    if standing.action == DELETE:
        return
    verb = standing.action.partition(":")[0]
    said = _DONE[verb](standing.changed) % {"count": grouped(standing.changed)}
    if passed_over := standing.dealt_with - standing.changed:
        words = ngettext(
            "%(count)s was left as it is: it has ended, or was so already.",
            "%(count)s were left as they are: they have ended, or were so already.",
            passed_over,
        )
        said += " " + words % {"count": grouped(passed_over)}
    messages.success(request, said)


_DONE: dict[str, Callable[[int], str]] = {
    "pause": lambda n: ngettext("%(count)s search is paused.", "%(count)s searches are paused.", n),
    "resume": lambda n: ngettext(
        "%(count)s search is active again.", "%(count)s searches are active again.", n
    ),
    "mute": lambda n: ngettext("%(count)s search is muted.", "%(count)s searches are muted.", n),
    "renew": lambda n: ngettext("%(count)s search is renewed.", "%(count)s searches are renewed.", n),
    "tell": lambda n: ngettext(
        "How often we tell you is changed for %(count)s search.",
        "How often we tell you is changed for %(count)s searches.",
        n,
    ),
    RESTORE: lambda n: ngettext("%(count)s search is back.", "%(count)s searches are back.", n),
}
