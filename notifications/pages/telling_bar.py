"""A day as a bar: quiet hours, the time of digests, what time it is. Pure; places are percent of a day."""

from dataclasses import dataclass
from datetime import datetime, time

from django.utils.translation import gettext as _

from notifications.core.policy import Frequency, Hours, is_quiet, next_slot
from notifications.core.wording import exact_moment

_MINUTES_OF_A_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Span:
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What is drawn, and the same in words."""

    quiet: tuple[Span, ...]
    digest: float
    now: float
    clock: str
    quiet_words: str
    digest_words: str
    next_daily: str
    next_weekly: str
    is_delayed: bool


def bar_of(hours: Hours, *, now: datetime) -> Bar:
    local = now.astimezone(hours.zone)
    return Bar(
        quiet=_quiet(hours),
        digest=_place(hours.digest_at),
        now=_place(local.time()),
        clock=f"{local:%H:%M}",
        quiet_words=_quiet_words(hours),
        digest_words=_("Digests at %(time)s.") % {"time": f"{hours.digest_at:%H:%M}"},
        next_daily=exact_moment(next_slot(Frequency.DAILY, after=now, hours=hours), hours.zone),
        next_weekly=exact_moment(next_slot(Frequency.WEEKLY, after=now, hours=hours), hours.zone),
        is_delayed=is_quiet(datetime.combine(local.date(), hours.digest_at, hours.zone), hours),
    )


def _quiet(hours: Hours) -> tuple[Span, ...]:
    begin, end = hours.quiet_from, hours.quiet_until
    if begin is None or end is None or begin == end:
        return ()
    x, until = _place(begin), _place(end)
    if x < until:
        return (Span(x, round(until - x, 3)),)
    spans = Span(0.0, until), Span(x, round(100 - x, 3))
    return tuple(span for span in spans if span.width)


def _quiet_words(hours: Hours) -> str:
    begin, end = hours.quiet_from, hours.quiet_until
    if begin is None or end is None or begin == end:
        return _("No quiet hours: you are told at any time.")
    return _("Quiet from %(begin)s to %(end)s.") % {"begin": f"{begin:%H:%M}", "end": f"{end:%H:%M}"}


def _place(at: time) -> float:
    return round((at.hour * 60 + at.minute) * 100 / _MINUTES_OF_A_DAY, 3)
