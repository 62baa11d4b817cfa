"""What a message says, before any transport gives it a form."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Held:
    """A predicate that held, and the value it held for; `words` says both to people."""

    predicate: str
    attribute: str
    value: Any
    words: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """A subscription that an item matched, and why."""

    subscription: int
    name: str
    why: tuple[Held, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An item somebody looks for, with every subscription of theirs that it matched on this channel."""

    event: int
    external_id: str
    revision: int
    title: str
    url: str
    image_url: str
    publisher: str
    attributes: Mapping[str, Any]
    price: str  # with its unit, as people read it; empty when there is none
    price_before: str  # as it was when it was last told; empty unless it has dropped since
    ends_at: datetime | None
    accepted_at: datetime
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class MatchFound:
    item: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """`items` best first. `overflow` of them are here because the channel had its most for the day.

    Beyond the first hundreds items are only counted: there are so many `more`.
    """

    items: tuple[Item, ...]
    overflow: int
    most_per_day: int | None
    more: int = 0


@dataclass(frozen=True, slots=True)
class Verify:
    """To prove that the address is its owner's: a link in a mail, a challenge for a webhook."""

    challenge: str


@dataclass(frozen=True, slots=True)
class Test:
    """Somebody pressed the button that says whether it works."""

    __test__ = False  # not a test case, whatever pytest makes of the name


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A search with its end; `words` say to people what its text says."""

    subscription: int
    name: str
    expires_at: datetime
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiresSoon:
    """Searches that end on the same day, in UTC, soonest first; there are so many `more`."""

    day: date
    searches: tuple[Ending, ...]
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelDisabled:
    channel: int
    address: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    """Deliveries to a channel that did not arrive after all attempts."""

    channel: int
    address: str
    deliveries: int


Content = MatchFound | Digest | Verify | Test | ExpiresSoon | ChannelDisabled | GivenUp
