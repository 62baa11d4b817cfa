"""What is wrong, in sentences: found in the figures alone. Pure; the moment is passed in.

Each rule says what staff should look at, since when, and where on the page it is. Bounds are those at which
people would begin to notice: an event is matched within seconds, and a worker answers a probe every 5 s.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum

from lesubscribe.operations.figures import Failing, Figures, Operator
from notifications.core.wording import one_line, time_left
from schema_registry.core.numbers import grouped
from schema_registry.core.sentences import gettext as _
from schema_registry.core.sentences import ngettext

SILENT_FOR = timedelta(seconds=20)  # as `health` has it
LATE_AFTER, VERY_LATE_AFTER = timedelta(seconds=30), timedelta(minutes=5)
NOT_SAMPLED_FOR = timedelta(minutes=5)
MANY_CHANGES = 10_000
LITTLE_SPACE, NO_SPACE = 0.10, 0.02  # of the disk
LITTLE_BYTES, NO_BYTES = 5 * 2**30, 2**29  # more than that is enough on any disk; less is not


class Severity(IntEnum):
    """The worst first: something is not done at all; something is late or was given up."""

    BROKEN = 0
    WATCH = 1


@dataclass(frozen=True, slots=True)
class Trouble:
    """`place` is the part of the page with what is behind it; `since` is not said by the sentence itself."""

    sentence: str
    severity: Severity
    since: datetime | None
    place: str


Rule = Callable[[Figures, datetime], Iterator[Trouble]]


def found(figures: Figures, *, now: datetime) -> list[Trouble]:
    """The worst first, and of those alike the one that stops the most: the order of the rules."""
    troubles = [trouble for rule in _RULES for trouble in rule(figures, now)]
    return sorted(troubles, key=lambda each: each.severity)


def _redis(figures: Figures, now: datetime) -> Iterator[Trouble]:
    if figures.redis_problem:
        said = _("Redis does not answer: {problem}", problem=one_line(figures.redis_problem))
        yield Trouble(said, Severity.BROKEN, None, "parts")


def _workers(figures: Figures, now: datetime) -> Iterator[Trouble]:
    """One sentence if all are silent: then it is the scheduler, or everything."""
    silent = [each for each in figures.workers if _is_older(each.answered_at, SILENT_FOR, now)]
    if silent and len(silent) == len(figures.workers):
        known = [each.answered_at for each in silent if each.answered_at is not None]
        last = max(known, default=None)
        said = _("No worker answers, on any queue: they are stopped, or the scheduler is.")
        yield Trouble(said, Severity.BROKEN, last, "workers")
        return
    for each in silent:
        if each.answered_at is None:
            said = _("No worker of the queue “{queue}” has answered yet.", queue=each.queue)
        else:
            span = _span(each.answered_at, now)
            said = _("The queue “{queue}” is silent: no worker, for {span}.", queue=each.queue, span=span)
        yield Trouble(said, Severity.BROKEN, None, "workers")


def _halted(figures: Figures, now: datetime) -> Iterator[Trouble]:
    if figures.halt is None:
        return
    halt = figures.halt
    said = _("All sending is halted: no notification goes out.")
    if halt.by:
        said += " " + _("{by} halted it.", by=one_line(halt.by))
    if halt.reason:
        said += " " + _("Why: {reason}", reason=one_line(halt.reason))
    yield Trouble(said, Severity.BROKEN, halt.since, "sending")


def _parked(figures: Figures, now: datetime) -> Iterator[Trouble]:
    """All others are matched meanwhile, and these stay as they are until somebody looks at them."""
    if parked := figures.parked.count:
        said = ngettext(
            "{shown} event is parked: no worker could match it.",
            "{shown} events are parked: no worker could match them.",
            parked.number,
            shown=parked,
        )
        yield Trouble(said, Severity.WATCH, figures.parked.since, "parked")


def _shedding(figures: Figures, now: datetime) -> Iterator[Trouble]:
    if figures.is_shedding:
        said = _("Too many events wait, so publishers are asked to come again later.")
        yield Trouble(said, Severity.BROKEN, figures.waiting.since, "backlog")


def _late(figures: Figures, now: datetime) -> Iterator[Trouble]:
    """Matching, planning, sending: each is late when the first that waits has waited for too long."""
    if (since := figures.waiting.since) and _is_older(since, LATE_AFTER, now):
        said = ngettext(
            "Matching is late: {shown} event waits, for {span}.",
            "Matching is late: {shown} events wait, the first for {span}.",
            figures.waiting.count.number,
            shown=figures.waiting.count,
            span=_span(since, now),
        )
        yield Trouble(said, _how_late(since, now), None, "backlog")
    if (since := figures.planning.since) and _is_older(since, LATE_AFTER, now):
        said = ngettext(
            "Planning is late: of {shown} event, matched {span} ago, nobody has been told.",
            "Planning is late: of {shown} events, the first matched {span} ago, nobody has been told.",
            figures.planning.count.number,
            shown=figures.planning.count,
            span=_span(since, now),
        )
        yield Trouble(said, _how_late(since, now), None, "backlog")
    if figures.halt is None and (since := figures.due.since) and _is_older(since, LATE_AFTER, now):
        said = ngettext(
            "Sending is late: {shown} delivery is due, for {span}.",
            "Sending is late: {shown} deliveries are due, the first for {span}.",
            figures.due.count.number,
            shown=figures.due.count,
            span=_span(since, now),
        )
        yield Trouble(said, _how_late(since, now), None, "backlog")


def _behind(figures: Figures, now: datetime) -> Iterator[Trouble]:
    if figures.changes_behind > MANY_CHANGES:
        said = _(
            "A matcher is {count} changes of searches behind; events wait while it catches up.",
            count=grouped(figures.changes_behind),
        )
        yield Trouble(said, Severity.WATCH, None, "engine")


def _failing(figures: Figures, now: datetime) -> Iterator[Trouble]:
    for each in figures.failing:
        said = _switched_off(each) if each.is_off else _not_reached(each, now)
        yield Trouble(said, Severity.WATCH, None, "failing")


def _not_reached(failing: Failing, now: datetime) -> str:
    count, span = failing.queue.count, _span(failing.queue.since or now, now)
    if failing.kind == "webhook":
        return ngettext(
            "{shown} webhook failing for {span}.",
            "{shown} webhooks failing, the first for {span}.",
            count.number,
            shown=count,
            span=span,
        )
    if failing.kind == "email":
        return ngettext(
            "{shown} mailbox failing for {span}.",
            "{shown} mailboxes failing, the first for {span}.",
            count.number,
            shown=count,
            span=span,
        )
    return ngettext(
        "{shown} channel failing for {span}.",
        "{shown} channels failing, the first for {span}.",
        count.number,
        shown=count,
        span=span,
    )


def _switched_off(failing: Failing) -> str:
    return ngettext(
        "{shown} channel was switched off because nothing arrived there.",
        "{shown} channels were switched off because nothing arrived there.",
        failing.queue.count.number,
        shown=failing.queue.count,
    )


def _operators(figures: Figures, now: datetime) -> Iterator[Trouble]:
    """Searches that call an operator which is left alone find nothing meanwhile."""
    for each in figures.operators:
        if each.since is None:
            continue
        is_off = each.disabled_until is not None and each.disabled_until > now
        severity = Severity.BROKEN if is_off else Severity.WATCH
        yield Trouble(_operator(each, now), severity, None, "operators")
    for sentence in figures.left_out:
        yield Trouble(one_line(sentence), Severity.WATCH, None, "operators")


def _operator(failing: Operator, now: datetime) -> str:
    values = {
        "operator": one_line(failing.name),
        "span": _span(failing.since or now, now),
        "error": one_line(failing.error),
    }
    said = ngettext(
        "The operator {operator} has failed {shown} time within {span}: {error}",
        "The operator {operator} has failed {shown} times within {span}: {error}",
        failing.failures,
        shown=grouped(failing.failures),
        **values,
    )
    if failing.disabled_until is not None and failing.disabled_until > now:
        left = time_left(failing.disabled_until, now=now)
        said += " " + _(
            "It is left alone for {left}; searches that call it find nothing meanwhile.", left=left
        )
    return said


def _given_up(figures: Figures, now: datetime) -> Iterator[Trouble]:
    if given_up := figures.given_up.count:
        said = ngettext(
            "{shown} delivery was given up in the last 24 h.",
            "{shown} deliveries were given up in the last 24 h.",
            given_up.number,
            shown=given_up,
        )
        yield Trouble(said, Severity.WATCH, None, "given-up")


def _nights(figures: Figures, now: datetime) -> Iterator[Trouble]:
    for night in figures.nights:
        values = {"night": one_line(night.name), "said": one_line(night.said)}
        if night.has_failed:
            yield Trouble(
                _("The night of {night} failed: {said}", **values), Severity.BROKEN, night.since, "nights"
            )
        else:
            said = _("The night of {night} was out of the usual range: {said}", **values)
            yield Trouble(said, Severity.WATCH, night.since, "nights")


def _disk(figures: Figures, now: datetime) -> Iterator[Trouble]:
    free, total = figures.disk.free, figures.disk.total
    values = {"free": gigabytes(free), "total": gigabytes(total)}
    if free < NO_BYTES or (free < NO_SPACE * total and free < LITTLE_BYTES):
        said = _("The disk is all but full: {free} of {total} are free. Soon nothing is accepted.", **values)
        yield Trouble(said, Severity.BROKEN, None, "parts")
    elif free < LITTLE_SPACE * total and free < LITTLE_BYTES:
        said = _("The disk is filling up: {free} of {total} are free.", **values)
        yield Trouble(said, Severity.WATCH, None, "parts")


def _not_sampled(figures: Figures, now: datetime) -> Iterator[Trouble]:
    """Said only where workers answer: else that is the trouble, and this follows from it."""
    is_answered = not any(_is_older(each.answered_at, SILENT_FOR, now) for each in figures.workers)
    if figures.sampled_at is not None and is_answered and _is_older(figures.sampled_at, NOT_SAMPLED_FOR, now):
        said = _("No figures were written down for {span}.", span=_span(figures.sampled_at, now))
        yield Trouble(said, Severity.WATCH, None, "plots")


def gigabytes(count: int) -> str:
    return _("{count} GB", count=grouped(count / 2**30, ",.1f"))


def _is_older(moment: datetime | None, span: timedelta, now: datetime) -> bool:
    """What never was is older than anything."""
    return moment is None or now - moment > span


def _how_late(since: datetime, now: datetime) -> Severity:
    return Severity.BROKEN if _is_older(since, VERY_LATE_AFTER, now) else Severity.WATCH


def _span(since: datetime, now: datetime) -> str:
    return time_left(now, now=since)


_RULES: tuple[Rule, ...] = (
    _redis,
    _workers,
    _disk,
    _halted,
    _parked,
    _shedding,
    _late,
    _behind,
    _failing,
    _operators,
    _given_up,
    _nights,
    _not_sampled,
)
