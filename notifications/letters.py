"""A message as a letter: its subject, and what it says as text and as HTML.

All that comes from outside is on one line by then, and links lead to the web only; templates escape the rest.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import cache
from typing import Any

import css_inline
from django.conf import settings
from django.template.loader import render_to_string

from notifications import links
from notifications.core.messages import (
    ChannelDisabled,
    Content,
    Digest,
    Ending,
    ExpiresSoon,
    GivenUp,
    Item,
    MatchFound,
    Reason,
    Test,
    Verify,
)
from notifications.core.wording import (
    ends_in,
    exact_moment,
    one_line,
    subject,
    time_left,
    title_of,
    web_link,
)
from schema_registry.core.numbers import grouped
from schema_registry.core.sentences import ngettext

MOST_LOTS = 20
MOST_SEARCHES = 10
MOST_REASONS = 6
_TAG = re.compile(r"""<([a-zA-Z](?:[^<>"]|"[^"]*")*)>""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """`unsubscribe` is the address that does it in one click; empty where that would make no sense."""

    subject: str
    text: str
    html: str
    unsubscribe: str


@dataclass(frozen=True, slots=True)
class FoundBy:
    """A search that found an item."""

    name: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search that a mail is for, with the links that change what it does."""

    name: str
    change: str
    mute: str
    unsubscribe: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """An item as a catalogue prints it."""

    title: str
    link: str
    picture: str
    price: str
    price_before: str
    ends: str
    ends_exactly: str
    publisher: str
    found_by: tuple[FoundBy, ...]
    more_searches: str


def written(content: Content, *, channel: int, address: str, zone: tzinfo, now: datetime) -> Letter:
    """The letter that says this to the owner of a channel, with the times of their zone."""
    template, context, unsubscribe = _described(content, channel=channel, zone=zone, now=now)
    says = {
        "subject": subject(content, now=now),
        "site": settings.BASE_URL,
        "address": one_line(address),
        **context,
    }
    html = render_to_string(f"notifications/email/{template}.html", says)
    return Letter(
        subject=says["subject"],
        text=_without_gaps(render_to_string(f"notifications/email/{template}.txt", says)),
        html=_with_escaped_attributes(_inliner().inline(html)),
        unsubscribe=unsubscribe,
    )


def _described(
    content: Content, *, channel: int, zone: tzinfo, now: datetime
) -> tuple[str, dict[str, Any], str]:
    """The template, what it needs, and the address that unsubscribes in one click."""
    everything = {"stop": links.unsubscribe_address(channel)}
    match content:
        case MatchFound(item):
            searches = [reason.subscription for reason in item.reasons]
            context = _finds([item], channel=channel, zone=zone, now=now)
            return "finds", context, links.unsubscribe_address(channel, searches)
        case Digest(items=items):
            context = _finds(items[:MOST_LOTS], channel=channel, zone=zone, now=now) | _digest(content)
            return "finds", context, links.unsubscribe_address(channel)
        case Verify(challenge):
            return "verify", {"confirm": links.confirm_address(channel, challenge)}, ""
        case Test():
            return "test", everything, ""
        case ExpiresSoon(searches=(search,), more=0):
            return "expires_soon", _ending(search, channel=channel, zone=zone, now=now) | everything, ""
        case ExpiresSoon(searches=searches, more=more):
            endings = [_ending(search, channel=channel, zone=zone, now=now) for search in searches]
            named = {"searches": endings, "more": grouped(more) if more else ""}
            return "several_expire", named | everything, ""
        case ChannelDisabled(address=address, reason=reason):
            named = {"where": one_line(address), "reason": one_line(reason, most=500)}
            return "channel_disabled", named | everything, ""
        case GivenUp(address=address, deliveries=deliveries):
            named = {
                "where": one_line(address),
                "messages": ngettext("{count:,} message", "{count:,} messages", deliveries),
            }
            return "given_up", named | everything, ""


def _finds(items: Sequence[Item], *, channel: int, zone: tzinfo, now: datetime) -> dict[str, Any]:
    reasons = {reason.subscription: reason for item in items for reason in item.reasons}
    return {
        "lots": [lot_of(item, zone=zone, now=now) for item in items],
        "searches": [_search(reason, channel=channel) for reason in list(reasons.values())[:MOST_SEARCHES]],
        "more_searches": _more_searches(len(reasons)),
        "stop": links.unsubscribe_address(channel, list(reasons)),
    }


def _search(reason: Reason, *, channel: int) -> Search:
    return Search(
        name=one_line(reason.name),
        change=links.change_address(channel, reason.subscription),
        mute=links.mute_address(channel, reason.subscription),
        unsubscribe=links.unsubscribe_address(channel, [reason.subscription]),
    )


def _more_searches(count: int) -> str:
    """How many are not named; empty when all are."""
    rest = count - MOST_SEARCHES
    return ngettext("{count:,} more search", "{count:,} more searches", rest) if rest > 0 else ""


def _digest(digest: Digest) -> dict[str, Any]:
    count, overflow = len(digest.items) + digest.more, digest.overflow
    return {
        "heading": new_finds(count),
        "more": count - len(digest.items[:MOST_LOTS]),
        "overflow": ngettext("{count:,} of them is", "{count:,} of them are", overflow) if overflow else "",
        "most_per_day": digest.most_per_day,
    }


def new_finds(count: int) -> str:
    return ngettext("{count:,} new find", "{count:,} new finds", count)


def _ending(search: Ending, *, channel: int, zone: tzinfo, now: datetime) -> dict[str, Any]:
    return {
        "name": one_line(search.name),
        "words": one_line(search.words, most=1_000),
        "left": time_left(search.expires_at, now=now) if search.expires_at > now else "",
        "ends_exactly": exact_moment(search.expires_at, zone),
        "renew": links.renew_address(channel, search.subscription),
    }


def lot_of(item: Item, *, zone: tzinfo, now: datetime) -> Lot:
    """With all that a mail says of it; the preview of a digest says the same."""
    return Lot(
        title=title_of(item),
        link=web_link(item.url),
        picture=web_link(item.image_url),
        price=item.price,
        price_before=item.price_before,
        ends=ends_in(item.ends_at, now=now),
        ends_exactly=exact_moment(item.ends_at, zone) if item.ends_at else "",
        publisher=one_line(item.publisher),
        found_by=tuple(
            FoundBy(one_line(reason.name), tuple(held.words for held in reason.why[:MOST_REASONS]))
            for reason in item.reasons[:MOST_SEARCHES]
        ),
        more_searches=_more_searches(len(item.reasons)),
    )


@cache
def _inliner() -> css_inline.CSSInliner:
    """What stands in the mail's own style sheet goes to where it applies; what cannot, such as the dark
    colours, stays. Nothing is loaded from anywhere."""
    return css_inline.CSSInliner(load_remote_stylesheets=False, keep_at_rules=True)


def _with_escaped_attributes(html: str) -> str:
    """The inliner writes < and > into attributes as they are: HTML allows it, but not every program that
    reads mails knows. Outside of attributes it escapes them, so each < that is left begins a tag."""
    return _TAG.sub(lambda tag: f"<{tag[1].replace('<', '&lt;').replace('>', '&gt;')}>", html)


def _without_gaps(text: str) -> str:
    """At most one empty line between two, however many the template's tags have left."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return "\n".join(line for line, before in zip(lines, ["", *lines], strict=False) if line or before) + "\n"
