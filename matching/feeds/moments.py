"""Dates of a feed: by formats of `strptime`, ISO 8601 or Unix seconds, in the site's time zone.

A format that has no zone is read in the mapping's. An hour that a clock shows twice is the first of the two.
The usual directives are read by a regular expression, five times as quick as `strptime` and the same.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from matching.feeds.amounts import UnreadableError
from matching.feeds.faults import Part
from schema_registry.core.nearest import nearest
from schema_registry.core.sentences import gettext as _
from schema_registry.core.wording import did_you_mean, shown

ISO, UNIX = "iso", "unix"
GIVES = ("moment", "day", "year")
_MANY_SPACES = re.compile(r"\s\s|[^\S ]")
_EXAMPLE = datetime(2001, 12, 13, 18, 10, 40, tzinfo=UTC)


def zone(part: Part, name: str, default: str) -> str:
    """The name of a time zone, checked."""
    given = part.text(name, default)
    try:
        ZoneInfo(given)
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        message = _("There is no time zone {name}; an example is Europe/Berlin.", name=shown(given))
        part.note(name, message)
        return default
    return given


def formats(part: Part, name: str) -> tuple[str, ...]:
    """The formats, each of which must read what it writes."""
    given = part.texts(name, (ISO,))
    for each in given:
        if each not in (ISO, UNIX) and not _reads_what_it_writes(each):
            message = _(
                "{format} is not a format: write '{iso}', '{unix}', or one such as '%Y-%m-%d %H:%M:%S'.",
                format=shown(each),
                iso=ISO,
                unix=UNIX,
            )
            part.note(name, message + did_you_mean(nearest(each, (ISO, UNIX))))
    return given


def moment_reader(formats: tuple[str, ...], zone_name: str) -> Callable[[str], datetime]:
    """A function that gives the moment of a text, in UTC, or raises UnreadableError."""
    own_zone = ZoneInfo(zone_name)
    readers = [_READERS.get(each) or _by_format(each) for each in formats]

    def read(text: str) -> datetime:
        for reader in readers:
            try:
                moment = reader(text)
                if moment.tzinfo is None:
                    moment = moment.replace(tzinfo=own_zone)
                return moment.astimezone(UTC)
            except (ValueError, OverflowError, OSError):
                continue
        raise UnreadableError(
            _("{value} is not a date as in {formats}.", value=shown(text), formats=", ".join(formats))
        )

    return read


def value_of(moment: datetime, gives: str, zone_name: str) -> Any:
    """What an attribute gets: the moment in UTC, or the day or the year where the site is.

    Raises UnreadableError where that would lie before the year 1 or after 9999.
    """
    if gives == "moment":
        return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}Z"
    try:
        there = moment.astimezone(ZoneInfo(zone_name))
    except OverflowError:
        raise UnreadableError(
            _("{value} is a day that the calendar of {zone} lacks.", value=moment.isoformat(), zone=zone_name)
        ) from None
    return there.year if gives == "year" else there.date().isoformat()


def _by_format(form: str) -> Callable[[str], datetime]:
    def read(text: str) -> datetime:
        return datetime.strptime(text, form)  # noqa: DTZ007 - the caller gives it the mapping's zone

    return _by_pattern(form) or read


def _by_pattern(form: str) -> Callable[[str], datetime] | None:
    """As `strptime` reads, for formats with a year, a month, a day and nothing but usual directives."""
    directives = re.findall("%(.)", form)
    parts = [_DIRECTIVES[each][0] for each in directives if each in _DIRECTIVES]
    wanted = set(_PARTS[: len(directives)])  # a minute with its hour only, and so on
    if len(parts) < len(directives) or set(parts) != wanted or len(parts) < 3 or _MANY_SPACES.search(form):
        return None
    steps = re.split("(%.)", form)
    pattern = re.compile(
        "".join(
            _DIRECTIVES[step[1]][1] if step.startswith("%") else re.escape(step).replace(r"\ ", r"\s+")
            for step in steps
        ),
        re.IGNORECASE | re.ASCII,
    )
    places = [
        directives.index(each) for part in _PARTS for each in directives if _DIRECTIVES[each][0] == part
    ]
    numbers = [_DIRECTIVES[directives[place]][2] for place in places]

    def read(text: str) -> datetime:
        if (found := pattern.fullmatch(text)) is None:
            raise ValueError(text)
        groups = found.groups()
        given = [number(groups[place]) for place, number in zip(places, numbers, strict=True)]
        year, month, day, hour, minute, second = (*given, *_MIDNIGHT[len(given) - 3 :])
        return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - as above

    return read


def _short_year(text: str) -> int:
    return int(text) + (2000 if int(text) < 69 else 1900)


def _month(text: str) -> int:
    return _MONTHS[text[:3].lower()]


def _by_unix(text: str) -> datetime:
    return datetime.fromtimestamp(float(text), UTC)


def _reads_what_it_writes(form: str) -> bool:
    try:
        read = _by_format(form)(_EXAMPLE.strftime(form))
    except ValueError:
        return False
    return date(read.year, read.month, read.day) == _EXAMPLE.date()


_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_MIDNIGHT = (0, 0, 0)
_PARTS = ("year", "month", "day", "hour", "minute", "second")
_DIRECTIVES: dict[str, tuple[str, str, Callable[[str], int]]] = {
    "Y": ("year", r"(\d{4})", int),
    "y": ("year", r"(\d\d)", _short_year),
    "m": ("month", r"(1[0-2]|0[1-9]|[1-9])", int),
    "b": ("month", f"({'|'.join(_NAMES)})", _month),
    "d": ("day", r"(3[01]|[12]\d|0[1-9]|[1-9]| [1-9])", int),
    "H": ("hour", r"(2[0-3]|[01]\d|\d)", int),
    "M": ("minute", r"([0-5]\d|\d)", int),
    "S": ("second", r"(6[01]|[0-5]\d|\d)", int),
}
_READERS: dict[str, Callable[[str], datetime]] = {ISO: datetime.fromisoformat, UNIX: _by_unix}
