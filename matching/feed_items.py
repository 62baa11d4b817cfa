"""A feed read item by item: an item that several searches found is one, and stands where its newest match is.

Matches are read newest first by index, a few columns of each, until there are enough items. Which of a page's
items have a newer match, and so stood on an earlier page, is asked for all of them at once. However few fit,
no more than `MOST_LOOKED_AT` matches are looked at; the next page goes on from there.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from matching.models import Match, PublishedEvent
from matching.selectors import matches_of, shown_to
from schema_registry.accounts.models import User

ITEMS_PER_PAGE = 30
SEARCHES_PER_ITEM = 4  # that come with an item; the others are counted
MOST_LOOKED_AT = 2_000
MOST_AT_ONCE = 100
_PORTIONS = (100, 500, MOST_LOOKED_AT - 600)
_COLUMNS = ("pk", "event_id", "matched_at", "event__publisher_id", "event__title")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which items: of a search (the owner's own), of a publisher, unseen, with these words in the title.

    The words are casefolded.
    """

    search: int | None = None
    publisher: int | None = None
    unseen: bool = False
    words: tuple[str, ...] = ()

    def fits(self, publisher: int, title: str) -> bool:
        """What no index helps with is asked here, so that it is known how many matches were looked at."""
        if self.publisher not in (None, publisher):
            return False
        folded = title.casefold() if self.words else ""
        return all(word in folded for word in self.words)


EVERYTHING = Wanted()


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the feed an item stands: at this match."""

    match: int
    found_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundItem:
    """An item, the newest of its `count` matches with all that they name, and whether one is unseen."""

    place: Place
    matches: Sequence[Match]
    count: int
    is_unseen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    """`older` is where the next page goes on; None at the end of the feed.

    `looked_back_to` says how far this page got when there was more to look at than it may.
    """

    items: Sequence[FoundItem]
    older: int | None = None
    looked_back_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Which search found a match, and from which publisher it is."""

    match: int
    search: int
    publisher: int


def page_of(
    owner: User, wanted: Wanted = EVERYTHING, *, before: int | None = None, size: int = ITEMS_PER_PAGE
) -> FeedPage:
    """The items below the match `before`, newest first. At most five queries, by index."""
    rows = _fitting(owner, wanted)
    places: dict[int, Place] = {}
    last, moment = before, None
    for portion in _PORTIONS:
        # An item may have thousands of matches: of those that we have, the database passes over the others.
        rest = rows.exclude(event__in=list(places)) if places else rows
        if last is not None:
            rest = rest.filter(pk__lt=last)
        read = list(rest.values_list(*_COLUMNS)[:portion])
        for number, event, found_at, publisher, title in read:
            if event not in places and wanted.fits(publisher, title):
                if len(places) == size:
                    return FeedPage(items=_not_above(owner, places, wanted), older=last)
                places[event] = Place(number, found_at)
            last, moment = number, found_at
        if len(read) < portion:
            return FeedPage(items=_not_above(owner, places, wanted))
    return FeedPage(items=_not_above(owner, places, wanted), older=last, looked_back_to=moment)


def items_of_matches(owner: User, numbers: Collection[int], wanted: Wanted = EVERYTHING) -> list[FoundItem]:
    """The items of these matches that fit, newest first; at most `MOST_AT_ONCE` are looked at."""
    chosen = _fitting(owner, wanted).filter(pk__in=list(numbers)[:MOST_AT_ONCE])
    places: dict[int, Place] = {}
    for number, event, found_at, publisher, title in chosen.values_list(*_COLUMNS):
        if wanted.fits(publisher, title):
            places.setdefault(event, Place(number, found_at))
    return [item for item, _ in _items(owner, places)]


def item_of_event(owner: User, event: int) -> FoundItem | None:
    """The item of this event, if it is in the owner's feed."""
    newest = matches_of_events(owner, [event]).aggregate(newest=Max("pk"))["newest"]
    return next(iter(items_of_matches(owner, [] if newest is None else [newest])), None)


def matches_of_events(owner: User, events: Iterable[int]) -> QuerySet[Match]:
    """The owner's matches of these events, hidden ones too.

    Their numbers come from the key of event and owner, in a query of their own: else SQLite would go through
    everything that the owner has, to get them in order.
    """
    of_events = Match.objects.filter(event__in=list(events), owner=owner)
    return Match.objects.filter(pk__in=of_events.values("pk"))


def newest_origins(owner: User, *, most: int) -> list[Origin]:
    """Of so many of the newest matches. By index."""
    found = Match.objects.filter(owner=owner).order_by("-pk")
    return [Origin(*row) for row in found.values_list("pk", "subscription_id", "event__publisher_id")[:most]]


def documents_before(events: Iterable[PublishedEvent]) -> dict[int, Any]:
    """By event what its item said one revision before. One query by key, and none if no item was revised."""
    revised = {
        (event.publisher_id, event.external_id, event.revision - 1): event.pk
        for event in events
        if event.revision > 1
    }
    if not revised:
        return {}
    wanted = Q()
    for publisher, name, revision in revised:
        wanted |= Q(publisher=publisher, external_id=name, revision=revision)
    rows = PublishedEvent.objects.filter(wanted)
    return {
        revised[publisher, name, revision]: document
        for publisher, name, revision, document in rows.values_list(
            "publisher", "external_id", "revision", "document"
        )
    }


def _fitting(owner: User, wanted: Wanted) -> QuerySet[Match]:
    """The matches that fit but for publisher and words, newest first."""
    found = shown_to(owner)
    if wanted.search is not None:
        found = found.filter(subscription=wanted.search)
    return found.filter(seen=False) if wanted.unseen else found


def _not_above(owner: User, places: Mapping[int, Place], wanted: Wanted) -> list[FoundItem]:
    """The items but those that stood on an earlier page, since a newer match of theirs fits too."""
    items = _items(owner, places, fits=Q(seen=False) if wanted.unseen else None)
    # Of one search an item has one match.
    return [item for item, newest in items if wanted.search is not None or newest == item.place.match]


def _items(
    owner: User, places: Mapping[int, Place], *, fits: Q | None = None
) -> list[tuple[FoundItem, int | None]]:
    """The items at these places, in order, each with the newest of all its matches that fits.

    O(m log m) in all the matches that the owner has of these events. Whole rows are read of
    `SEARCHES_PER_ITEM` matches of each.
    """
    event = F("event_id")
    rows = (
        matches_of_events(owner, places)
        .annotate(
            position=Window(RowNumber(), partition_by=event, order_by=F("pk").desc()),
            count=Window(Count("pk"), partition_by=event),
            unseen=Window(Count("pk", filter=Q(seen=False)), partition_by=event),
            newest=Window(Max("pk", filter=fits), partition_by=event),
        )
        .filter(position__lte=SEARCHES_PER_ITEM)
        .order_by("event_id", "position")
        .values_list("pk", "event_id", "count", "unseen", "newest", named=True)
    )
    shown = {number: list(group) for number, group in groupby(rows, key=attrgetter("event_id"))}
    chosen = [row.pk for group in shown.values() for row in group]
    whole = matches_of(owner).select_related("event__publisher").in_bulk(chosen)
    items = []
    for number, place in places.items():
        group = shown.get(number, [])
        if matches := [whole[row.pk] for row in group if row.pk in whole]:
            first = group[0]
            item = FoundItem(place=place, matches=matches, count=first.count, is_unseen=first.unseen > 0)
            items.append((item, first.newest))
    return items
