"""Searches as the rows of a list: in words, with how much they find."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from matching import daily_counts
from matching.models import Subscription
from matching.validity import state_at
from notifications import search_lists
from notifications.core.policy import Frequency
from notifications.core.wording import LONGEST_NAME, one_line
from notifications.items import words_of
from notifications.pages.choices import HOW_OFTEN, VALIDITIES, usual_validity
from notifications.selectors import terms_of
from schema_registry.accounts.models import User
from schema_registry.core.errors import SubscriptionError
from schema_registry.core.schema import Schema
from schema_registry.selectors import current_schema

State = Subscription.State
DAYS = 30
LONGEST_WORDS = 240
LONGEST_PARSED = 1_500  # characters; longer ones take several ms each, and nobody reads them in a list
STATE_NAMES = {
    State.ACTIVE: pgettext_lazy("search", "active"),
    State.PAUSED: _("paused"),
    State.MUTED: _("muted"),
    State.EXPIRED: pgettext_lazy("search", "ended"),
}
_BAR, _HEIGHT = 4, 24  # of a sparkline, in its own units


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """`words` are empty when the search has no name and is called by them."""

    number: int
    name: str
    words: str
    state: Subscription.State
    how_often: object
    expires_at: datetime | None
    renewal: int
    last_match: datetime | None
    found: int
    sparkline: str
    is_shared: bool

    @property
    def state_name(self) -> object:
        return STATE_NAMES[self.state]

    @property
    def renewal_in_words(self) -> object:
        return VALIDITIES[self.renewal]


def rows(owner: User, numbers: Sequence[int], *, now: datetime) -> list[Row]:
    """In the order of the numbers; those that are not the owner's, or gone, are left out. Three queries."""
    by_number = search_lists.of_numbers(owner, numbers)
    per_day = daily_counts.per_day(list(by_number), days=DAYS, now=now)
    schema = current_schema()
    return [_row(by_number[each], per_day[each], schema, now) for each in numbers if each in by_number]


def _row(search: Subscription, per_day: Sequence[int], schema: Schema, now: datetime) -> Row:
    words = in_words(search, schema)
    last_match = getattr(search, "last_match", None)
    # Days are counted up to a minute later; "none" beside a find of just now would be false.
    is_recent = last_match is not None and now - last_match < timedelta(days=DAYS)
    return Row(
        number=search.pk,
        name=one_line(search.name) or one_line(words, most=LONGEST_NAME),
        words=words if search.name or len(words) > LONGEST_NAME else "",
        state=state_at(search.state, search.expires_at, now=now),
        how_often=HOW_OFTEN[Frequency(terms_of(search).frequency)],
        expires_at=search.expires_at,
        renewal=usual_validity(search),
        last_match=last_match,
        found=max(sum(per_day), int(is_recent)),
        sparkline=sparkline(per_day),
        is_shared=hasattr(search, "shared"),
    )


def in_words(search: Subscription, schema: Schema) -> str:
    """As it reads today: a schema only grows, so what was a search once still is, with today's labels."""
    return _in_words(search.canonical, schema, get_language())


@lru_cache(maxsize=20_000)  # half a ms each, and people come back to the same page
def _in_words(canonical: str, schema: Schema, language: str | None) -> str:
    """In the language that is active, which is named only for the cache to keep them apart."""
    if len(canonical) > LONGEST_PARSED:
        return one_line(canonical, most=LONGEST_WORDS)
    try:
        words = words_of(canonical, schema)
    except SubscriptionError:  # the page must not fail for one that an older version of us has stored
        words = canonical
    return one_line(words, most=LONGEST_WORDS)


def sparkline(per_day: Sequence[int]) -> str:
    """The path of an SVG: a bar a day, the highest as high as the line. Empty when nothing was found."""
    highest = max(per_day, default=0)
    bars = []
    for place, count in enumerate(per_day):
        if count:
            height = max(2, round(_HEIGHT * count / highest))
            bars.append(f"M{place * _BAR} {_HEIGHT}v-{height}h{_BAR - 1}v{height}z")
    return "".join(bars)
