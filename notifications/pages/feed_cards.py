"""Items of the feed as cards, and cards by day."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from matching.feed_items import FoundItem, documents_before
from matching.models import PublishedEvent, Subscription
from notifications.core.wording import (
    LONGEST_NAME,
    ends_in,
    exact_moment,
    lowest_price,
    one_line,
    title_of,
    web_link,
)
from notifications.items import PRICE, items_of


@dataclass(frozen=True, slots=True)
class Why:
    """A search that found it, and what held; `is_there` unless the search was deleted since."""

    search: int
    name: str
    held: Sequence[str]
    is_there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    event: int
    match: int
    title: str
    link: str
    picture: str
    price: str
    price_before: str
    ends_at: datetime | None
    ends: str
    ends_exactly: str
    site: str
    site_number: int
    found_at: datetime
    is_new: bool
    whys: Sequence[Why]
    more: int  # searches that found it too


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    name: str
    cards: Sequence[Card]


def cards_of(found: Sequence[FoundItem], *, now: datetime, zone: tzinfo) -> list[Card]:
    """One query, and none if no item was revised; the rest of what it costs is explaining the matches."""
    events = [item.matches[0].event for item in found]
    matches = (match for item in found for match in item.matches)
    items = items_of(matches, prices_told=_prices_before(events))
    cards = []
    for each, item in zip(found, items, strict=True):
        searches = {match.subscription_id: match.subscription for match in each.matches}
        cards.append(
            Card(
                event=item.event,
                match=each.place.match,
                title=title_of(item),
                link=web_link(item.url),
                picture=web_link(item.image_url),
                price=item.price,
                price_before=item.price_before,
                ends_at=item.ends_at,
                ends=ends_in(item.ends_at, now=now),
                ends_exactly=exact_moment(item.ends_at, zone) if item.ends_at else "",
                site=one_line(item.publisher, most=LONGEST_NAME),
                site_number=each.matches[0].event.publisher_id,
                found_at=each.place.found_at,
                is_new=each.is_unseen,
                whys=[
                    Why(
                        reason.subscription,
                        one_line(reason.name, most=LONGEST_NAME),
                        [held.words for held in reason.why],
                        searches[reason.subscription].state != Subscription.State.REMOVED,
                    )
                    for reason in item.reasons
                ],
                more=each.count - len(each.matches),
            )
        )
    return cards


def days_of(cards: Iterable[Card], *, now: datetime, zone: tzinfo) -> list[Day]:
    """In the order of the cards, by the days of the reader.

    Round midnight a card may be later than the one above by a moment; it stays below, on the same day.
    """
    today = now.astimezone(zone).date()
    days: dict[date, list[Card]] = {}
    current = date.max
    for card in cards:
        current = min(current, card.found_at.astimezone(zone).date())
        days.setdefault(current, []).append(card)
    return [Day(day, day_name(day, today=today), group) for day, group in days.items()]


def day_name(day: date, *, today: date) -> str:
    """Today, Yesterday, Thursday 12 November; with the year where it is another."""
    if day == today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    return capfirst(date_format(day, "l j F" if day.year == today.year else "l j F Y"))


def _prices_before(events: Iterable[PublishedEvent]) -> dict[int, float | None]:
    """By event what its item cost one revision before."""
    return {event: lowest_price(said.get(PRICE)) for event, said in documents_before(events).items()}
