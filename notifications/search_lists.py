"""Reading the searches of a person as a list: filtered, counted by state, sorted, a page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Case, CharField, Count, F, OuterRef, Q, QuerySet, Subquery, Value, When

from matching.models import Match, Subscription
from matching.selectors import in_state, subscriptions_of
from schema_registry.accounts.models import User

State = Subscription.State
STATES = (State.ACTIVE, State.PAUSED, State.MUTED, State.EXPIRED)
PER_PAGE = 50
_NEWEST_MATCH = Match.objects.filter(subscription=OuterRef("pk")).order_by("-pk")
_LAST_MATCH = Subquery(_NEWEST_MATCH.values("pk")[:1])


class Sort(StrEnum):
    NEWEST = "newest"
    NAME = "name"
    LAST_MATCH = "last-match"
    ENDS_SOONEST = "ends"


_ORDERS: dict[Sort, tuple[Any, ...]] = {
    Sort.NEWEST: ("-pk",),
    # Those without a name are called by what they say, and come last.
    Sort.NAME: (Case(When(name="", then=1), default=0), "name", "-pk"),
    Sort.LAST_MATCH: (F("last_match").desc(nulls_last=True), "-pk"),
    Sort.ENDS_SOONEST: (F("expires_at").asc(nulls_last=True), "-pk"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """`state` None means all; `words` are looked for in names and texts."""

    state: Subscription.State | None = None
    words: str = ""
    sort: Sort = Sort.NEWEST


def found(owner: User, wanted: Wanted, *, now: datetime) -> QuerySet[Subscription]:
    """Those that are wanted, in no order."""
    mine = _with_words(owner, wanted)
    return mine if wanted.state is None else in_state(mine, wanted.state, now=now)


def counts(owner: User, wanted: Wanted, *, now: datetime) -> dict[Subscription.State, int]:
    """How many there are in each state, of those with the words that are wanted. One query."""
    is_over = Q(state=State.EXPIRED) | Q(expires_at__lte=now)
    state = Case(When(is_over, then=Value(State.EXPIRED.value)), default=F("state"), output_field=CharField())
    grouped = _with_words(owner, wanted).values(now=state).annotate(count=Count("pk")).order_by()
    known = {row["now"]: row["count"] for row in grouped}
    return {each: known.get(each, 0) for each in STATES}


def numbers_on_page(owner: User, wanted: Wanted, *, page: int, now: datetime) -> list[int]:
    """In their order. Only numbers: what a row shows is then read for these few.

    O(s log s) in the searches that are found; by last match each costs a look-up by index besides.
    """
    searches = found(owner, wanted, now=now)
    if wanted.sort is Sort.LAST_MATCH:
        searches = searches.annotate(last_match=_LAST_MATCH)
    ordered = searches.order_by(*_ORDERS[wanted.sort]).values_list("pk", flat=True)
    return list(ordered[(page - 1) * PER_PAGE : page * PER_PAGE])


def of_numbers(owner: User, numbers: Sequence[int]) -> dict[int, Subscription]:
    """Those that are there, by number, with their terms, their sharing and the moment of the `last_match`.

    One query.
    """
    last = Subquery(_NEWEST_MATCH.values("matched_at")[:1])
    mine = subscriptions_of(owner).filter(pk__in=numbers).select_related("terms", "shared")
    return {row.pk: row for row in mine.annotate(last_match=last)}


def _with_words(owner: User, wanted: Wanted) -> QuerySet[Subscription]:
    mine = subscriptions_of(owner).order_by()
    for word in wanted.words.split():
        mine = mine.filter(Q(name__icontains=word) | Q(text__icontains=word))
    return mine
