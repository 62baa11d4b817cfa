"""What we found, as a note for a chat or a phone: a title, some lines, a link. Plain text.

Services make something of signs in a text: mentions that wake everybody, tags, links under other words. What
comes from outside must not, so those signs are replaced by ones that look alike.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    ExpiresSoon,
    GivenUp,
    Item,
    MatchFound,
    Test,
    Verify,
)
from notifications.core.wording import (
    LONGEST_TITLE,
    ends_in,
    item_line,
    one_line,
    subject,
    web_link,
)
from schema_registry.core.sentences import gettext as _

MOST_SEARCHES = 3
LONGEST_LINK = 500  # a longer one is left to the feed
_MENTION = re.compile(r"@(?=\w)")
_LOOK_ALIKES = str.maketrans({"<": "\u2039", ">": "\u203a", "`": "\u2032", "[": "(", "]": ")"})


@dataclass(frozen=True, slots=True)
class Note:
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the links of a note lead: `confirm` is for a verification only."""

    feed: str
    channels: str
    confirm: str = ""


def note_of(content: Content, *, places: Places, most: int, now: datetime) -> Note:
    """At most so many characters, title and text together."""
    title = _harmless(_title(content, now=now))
    lines = list(_lines(content, places=places, most=most - len(title), now=now))
    return Note(title, _cut("\n".join(lines), most - len(title) - 1))


def _title(content: Content, *, now: datetime) -> str:
    if isinstance(content, Verify):
        return _("Shall Le Subscribe write here?")
    return subject(content, now=now)


def _lines(content: Content, *, places: Places, most: int, now: datetime) -> Iterator[str]:
    match content:
        case MatchFound(item):
            yield from _facts(item, now=now)
            yield _found_by(item)
            yield _link(item) or places.feed
        case Digest(items=items, more=more):
            yield from _as_many_as_fit(items, more=more, places=places, most=most, now=now)
        case Verify():
            yield _("Follow this link if you want to be told here of what your searches find:")
            yield places.confirm
            yield _("If you did not ask for it, do nothing.")
        case Test():
            yield _("It works: this is how you will be told.")
        case ExpiresSoon(searches=searches, more=more):
            for search in searches[:MOST_SEARCHES]:
                yield _harmless(one_line(search.name))
            rest = len(searches[MOST_SEARCHES:]) + more
            if rest:
                yield _("and {count:,} more", count=rest)
            yield places.feed
        case ChannelDisabled(reason=reason):
            yield _harmless(one_line(reason, most=500))
            yield places.channels
        case GivenUp():
            yield places.channels


def _as_many_as_fit(
    items: tuple[Item, ...], *, more: int, places: Places, most: int, now: datetime
) -> Iterator[str]:
    """The first ones, each with its link, and how many there are beside them."""
    room = most - len(places.feed) - 80  # for the last line, in any language
    told = 0
    for item in items:
        lines = [f"• {_harmless(item_line(item))}", *_facts(item, now=now), _link(item)]
        lines = [line for line in lines if line]
        room -= sum(len(line) + 1 for line in lines)
        if room < 0 and told:
            break
        yield from lines
        told += 1
    rest = len(items) + more - told
    yield _("And {count:,} more: {feed}", count=rest, feed=places.feed) if rest else places.feed


def _facts(item: Item, *, now: datetime) -> Iterable[str]:
    """How long there is time, and where; none or one line."""
    facts = [fact for fact in (ends_in(item.ends_at, now=now), one_line(item.publisher)) if fact]
    return [_harmless(", ".join(facts))] if facts else []


def _found_by(item: Item) -> str:
    names = [f"“{one_line(reason.name, most=LONGEST_TITLE)}”" for reason in item.reasons[:MOST_SEARCHES]]
    rest = len(item.reasons) - len(names)
    found = _harmless(", ".join(names))
    if rest:
        return _("Found by {searches} and {count:,} more", searches=found, count=rest)
    return _("Found by {searches}", searches=found)


def _link(item: Item) -> str:
    """Only of the web, and without what a service might take for a mention or a tag."""
    link = web_link(item.url)
    if len(link) > LONGEST_LINK:
        return ""
    return link.replace("@", "%40").replace("<", "%3C").replace(">", "%3E")


def _harmless(text: str) -> str:
    # A word joiner is invisible; after it no service finds the name that it would wake.
    return _MENTION.sub("@\u2060", text.translate(_LOOK_ALIKES))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
