"""When and how often a person is told. Pure: the clock and the zone are passed in.

Times of day are those of a person's clock, which in most zones jumps twice a year. A time that the clock
jumps over is taken by the offset before the jump, as calendars do (RFC 5545, section 3.3.5), so half past two
becomes half past three; of a time that comes twice a digest takes the first.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum


class Frequency(StrEnum):
    AT_ONCE = "at_once"
    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"


class Revisions(StrEnum):
    """Whether to tell again of an item that was told before and has changed."""

    ONCE = "once"
    PRICE_DROP = "price_drop"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """A person's time zone, quiet hours and time of digests. Quiet hours may go over midnight.

    Without both of their ends, or with two that are equal, there are none.
    """

    zone: tzinfo = UTC
    quiet_from: time | None = None
    quiet_until: time | None = None
    digest_at: time = time(8)
    digest_weekday: int = 0  # 0 is Monday

    def day_of(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()


_QUICKEST_FIRST = {frequency: place for place, frequency in enumerate(Frequency)}
_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)


def quickest(frequencies: Iterable[Frequency]) -> Frequency:
    return min(frequencies, key=_QUICKEST_FIRST.__getitem__)


def is_told_again(revisions: Revisions, *, price: float | None, price_told: float | None) -> bool:
    """Whether a changed item is told again. `price_told` is what it cost when it was last told."""
    if revisions is Revisions.PRICE_DROP:
        return price is not None and price_told is not None and price < price_told
    return revisions is Revisions.ALWAYS


def is_quiet(moment: datetime, hours: Hours) -> bool:
    begin, end = hours.quiet_from, hours.quiet_until
    if begin is None or end is None or begin == end:
        return False
    now = moment.astimezone(hours.zone).time()
    return begin <= now < end if begin < end else now >= begin or now < end


def not_quiet(moment: datetime, hours: Hours) -> datetime:
    """The moment itself, or the end of the quiet hours it lies in."""
    while is_quiet(moment, hours):
        moment = min(end for end in _ends_of_quiet(moment, hours) if end > moment)
    return moment


def next_slot(frequency: Frequency, *, after: datetime, hours: Hours) -> datetime:
    """When the next digest is due: strictly after the moment, and not in quiet hours, which delay it.

    All digests that quiet hours delay are due at their end, so they are one.
    """
    slots = _full_hours(after, hours) if frequency is Frequency.HOURLY else _days(frequency, after, hours)
    return next(due for slot in slots if (due := not_quiet(slot, hours)) > after)


def _ends_of_quiet(moment: datetime, hours: Hours) -> Iterator[datetime]:
    """Of today and tomorrow; twice, should the clock show that time twice."""
    assert hours.quiet_until is not None
    today = hours.day_of(moment)
    for day in (today, today + _DAY):
        for fold in (0, 1):
            yield _moment(day, hours.quiet_until.replace(fold=fold), hours)


def _full_hours(after: datetime, hours: Hours) -> Iterator[datetime]:
    """Those of the person's clock, which some zones put back or forward by half an hour."""
    moment = after.astimezone(UTC)
    while True:
        local = moment.astimezone(hours.zone)
        begun = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        moment += _HOUR - begun
        if moment.astimezone(hours.zone).minute == 0:
            yield moment


def _days(frequency: Frequency, after: datetime, hours: Hours) -> Iterator[datetime]:
    """From the last one on that may still lie ahead, delayed by quiet hours."""
    day = hours.day_of(after) - 2 * _DAY
    while True:
        if frequency is Frequency.DAILY or day.weekday() == hours.digest_weekday:
            yield _moment(day, hours.digest_at, hours)
        day += _DAY


def _moment(day: date, at: time, hours: Hours) -> datetime:
    return datetime.combine(day, at, hours.zone).astimezone(UTC)
