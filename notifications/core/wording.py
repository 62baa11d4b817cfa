"""How what we found is said to people: on one line, with units, and with nothing in it that could mislead.

Titles, names and values come from outside. `one_line` takes from them what has no business in a sentence:
line breaks, which would begin a new header or paragraph, and invisible characters, which turn text around.
"""

import re
import unicodedata
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

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
from schema_registry.core.decimals import number_text
from schema_registry.core.domains import Domain, NumericDomain
from schema_registry.core.numbers import separated
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import ngettext

LONGEST_LINE = 200
LONGEST_TITLE = 100
LONGEST_NAME = 60
LONGEST_ADDRESS = 2_000
_NO_BREAK = "\u00a0\u202f"  # inside of numbers, and before signs in French
_GAP = re.compile(r"\s+")
_JOINERS = "\u200c\u200d"  # invisible too, but some scripts and most emoji cannot be written without them
_DAY = timedelta(days=1)


def one_line(text: str, *, most: int = LONGEST_LINE) -> str:
    """The text without line breaks and invisible characters, cut when it is long. O(most)."""
    # Twice as much is looked at as may stay: what is left out must not make room for nothing.
    visible = "".join(_visible(character) for character in text[: 2 * most + 1])
    line = _GAP.sub(lambda gap: gap[0] if gap[0] in _NO_BREAK else " ", visible).strip()
    return line if len(line) <= most and len(text) <= 2 * most + 1 else f"{line[: most - 1].rstrip()}…"


def _visible(character: str) -> str:
    if character in _NO_BREAK:
        return character
    if character.isspace() or unicodedata.category(character) == "Cc":
        return " "
    if character in _JOINERS:
        return character
    is_invisible = unicodedata.category(character) in ("Cf", "Cs", "Zl", "Zp")
    code = ord(character)
    is_no_character = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # XML refuses them
    return "" if is_invisible or is_no_character else character


def web_link(address: str) -> str:
    """The address if it is one of the web; empty for any other, `javascript:` for one."""
    if len(address) > LONGEST_ADDRESS or not address.isprintable() or " " in address:
        return ""
    try:
        parts = urlsplit(address)
        return address if parts.scheme in ("http", "https") and parts.hostname else ""
    except ValueError:
        return ""


def number_with_unit(value: float, unit: str | None) -> str:
    """As people read it: 1,250 EUR, 12.5 cm. Money has no or two decimals; 1890 may be a year."""
    text = number_text(float(value))
    if "e" not in text and (unit or abs(value) >= 10_000):
        number = Decimal(text)
        exponent = number.as_tuple().exponent
        is_money = unit is not None and len(unit) == 3 and unit.isupper()
        text = f"{number:,.2f}" if is_money and exponent == -1 else f"{number:,f}"
    shown = separated(text)
    return f"{shown} {one_line(unit, most=20)}" if unit else shown


def price_in_words(raw: Any, domain: Domain | None) -> str:
    """The price of an event as it carries it; of several the lowest. Empty for what is no number."""
    lowest = lowest_price(raw)
    if lowest is None or not isinstance(domain, NumericDomain):
        return ""
    price = number_with_unit(lowest, domain.unit)
    return _("from {price}", price=price) if isinstance(raw, list) and len(raw) > 1 else price


def lowest_price(raw: Any) -> float | None:
    values = raw if isinstance(raw, list) else [raw]
    numbers = [each for each in values if isinstance(each, int | float) and not isinstance(each, bool)]
    return min(numbers, default=None)


def time_left(until: datetime, *, now: datetime) -> str:
    """How long it is until then, rounded down so that nobody comes too late: 3 h, 2 days."""
    left = until - now
    minutes = left // timedelta(minutes=1)
    if minutes < 1:
        return _("less than a minute")
    if minutes < 60:
        return _("{minutes} min", minutes=minutes)
    if left < 2 * _DAY:
        return _("{hours} h", hours=minutes // 60)
    return ngettext("{count} day", "{count} days", left // _DAY)


def ends_in(ends_at: datetime | None, *, now: datetime) -> str:
    """Empty for what has no end."""
    if ends_at is None:
        return ""
    return _("ends in {span}", span=time_left(ends_at, now=now)) if ends_at > now else _("has ended")


def exact_moment(moment: datetime, zone: tzinfo) -> str:
    """Thursday 19 November 2026, 15:00 CET."""
    local = moment.astimezone(zone)
    return f"{day_in_words(local)} {local.year}, {local:%H:%M %Z}"


def day_in_words(day: date) -> str:
    """Thursday 19 November."""
    # Django's own catalogues have the names of days and months.
    weekday, month = _(day.strftime("%A")), _(day.strftime("%B"))
    return _("{weekday} {day} {month}", weekday=weekday, day=day.day, month=month)


def title_of(item: Item, *, most: int = LONGEST_LINE) -> str:
    """What an item is called; one without a title by what its publisher numbers it."""
    return one_line(item.title, most=most) or one_line(item.external_id, most=most)


def subject(content: Content, *, now: datetime) -> str:
    """The subject of a mail that says this, safe for a header."""
    return _said(content, now=now).replace("=?", "= ?")  # what begins an encoded word (RFC 2047)


def _said(content: Content, *, now: datetime) -> str:
    match content:
        case MatchFound(item):
            return item_line(item)
        case Digest(items=items, more=more):
            rest = len(items) + more - 1
            first = item_line(items[0])
            if not rest:
                return first
            finds = ngettext("{count:,} find", "{count:,} finds", rest + 1)
            return _("{finds}: {first}, and {rest:,} more", finds=finds, first=first, rest=rest)
        case Verify():
            return _("Do you want mails from Le Subscribe?")
        case Test():
            return _("A test from Le Subscribe")
        case ExpiresSoon(searches=(search,), more=0):
            called = one_line(search.name, most=LONGEST_NAME)
            return _("Your search “{name}” {ends}", name=called, ends=ends_in(search.expires_at, now=now))
        case ExpiresSoon(day=day, searches=searches, more=more):
            count, on = len(searches) + more, day_in_words(day)
            if not more and searches[-1].expires_at <= now:
                return _("{count:,} of your searches ended on {day}", count=count, day=on)
            return _("{count:,} of your searches end on {day}", count=count, day=on)
        case ChannelDisabled(address=address):
            return _("We stopped sending to {address}", address=one_line(address, most=LONGEST_TITLE))
        case GivenUp(address=address, deliveries=deliveries):
            return ngettext(
                "{count:,} message did not reach {address}",
                "{count:,} messages did not reach {address}",
                deliveries,
                address=one_line(address, most=LONGEST_TITLE),
            )


def item_line(item: Item) -> str:
    """Oak dining table - 180 EUR (was 220 EUR)."""
    line = title_of(item, most=LONGEST_TITLE)
    if item.price:
        line += f" - {item.price}"
    return _("{item} (was {price})", item=line, price=item.price_before) if item.price_before else line
