"""What a subscription would have found lately: a count for each day, and the newest samples. Pure.

The events come in pages, newest first, so that work can stop between two pages. Most of them may be looked at
in columns instead (see `recent`), and the two results be joined.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from matching.recent.searching import Found
from schema_registry.core.events import Event
from schema_registry.core.operator_meaning import Evaluate
from schema_registry.core.sentences import gettext as _
from schema_registry.language import Subscription
from schema_registry.language.subscription import Held

MOST_EVENTS = 20_000
MOST_SECONDS = 3.0
MOST_SAMPLES = 10
MOST_CANDIDATES = 2_000  # for whom operators are asked


@dataclass(frozen=True, slots=True)
class PastEvent:
    number: int
    accepted_at: datetime
    event: Event


@dataclass(frozen=True, slots=True)
class Sample:
    """An event that matches, and why."""

    number: int
    why: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """`days` has every day of the range, oldest first. It is complete when every event was looked at."""

    count: int
    days: tuple[tuple[date, int], ...]
    samples: tuple[Sample, ...]
    looked_at: int
    complete: bool
    warnings: tuple[str, ...]


def days_until(now: datetime, count: int) -> list[date]:
    """So many days of UTC, the last of them today."""
    today = now.astimezone(UTC).date()
    return [today - timedelta(days=ago) for ago in reversed(range(count))]


def start_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def preview(
    subscription: Subscription,
    pages: Iterable[Sequence[PastEvent]],
    *,
    days: Sequence[date],
    clock: Callable[[], float],
    most_events: int = MOST_EVENTS,
    most_samples: int = MOST_SAMPLES,
    evaluate: Evaluate | None = None,
) -> Preview:
    """Judge the events of these days. O(events * predicates); ends a page after the time is over.

    `clock` gives seconds, `evaluate` what calls of operators give; a search with such calls ends at once when
    the time is over. The pages have the newest events first.
    """
    is_costly = calls_operators(subscription)
    deadline = clock() + MOST_SECONDS
    matching: Counter[date] = Counter()
    samples: list[Sample] = []
    looked_at, is_cut = 0, False
    oldest: datetime | None = None
    for page in pages:
        if looked_at and clock() > deadline:
            is_cut = True
            break
        judged = 0
        for past in page[: most_events - looked_at]:
            if is_costly and looked_at + judged and clock() > deadline:
                break
            if subscription.matches(past.event, evaluate=evaluate):
                matching[past.accepted_at.astimezone(UTC).date()] += 1
                if len(samples) < most_samples:
                    samples.append(_sample(subscription, past, evaluate))
            oldest = past.accepted_at
            judged += 1
        looked_at += judged
        if judged < len(page):
            is_cut = True
            break
    cut = _at_least(looked_at) if is_costly else _cut(looked_at, oldest)
    return Preview(
        count=matching.total(),
        days=tuple((day, matching[day]) for day in days),
        samples=tuple(samples),
        looked_at=looked_at,
        complete=not is_cut,
        warnings=(*subscription.warnings, cut) if is_cut else subscription.warnings,
    )


def calls_operators(subscription: Subscription) -> bool:
    return any(conjunction.operators for conjunction in subscription.conjunctions)


def sampled(
    subscription: Subscription, events: Iterable[PastEvent], *, most: int = MOST_SAMPLES
) -> tuple[Sample, ...]:
    """The first of these that match, of a subscription without operators."""
    matching = (_sample(subscription, past) for past in events if subscription.matches(past.event))
    return tuple(islice(matching, most))


def confirmed(latest: Preview, candidates: Preview, found: Found, *, most_samples: int) -> Preview:
    """What was found among the latest events, all of them looked at, and what operators left of the newest
    candidates that were `found` in the columns of the others by plain predicates."""
    complete = candidates.complete and len(found.newest) == found.days.total() and not found.is_cut
    older = dict(candidates.days)
    return Preview(
        count=latest.count + candidates.count,
        days=tuple((day, count + older[day]) for day, count in latest.days),
        samples=(latest.samples + candidates.samples)[:most_samples],
        looked_at=latest.looked_at + found.looked_at,
        complete=complete,
        warnings=latest.warnings if complete else (*latest.warnings, _at_least(candidates.looked_at)),
    )


def joined(latest: Preview, found: Found, samples: tuple[Sample, ...]) -> Preview:
    """What was found among the latest events, all of them looked at, and in the columns of the others."""
    looked_at = latest.looked_at + found.looked_at
    cut = (_cut(looked_at, found.oldest),) if found.is_cut else ()
    return Preview(
        count=latest.count + found.days.total(),
        days=tuple((day, count + found.days[day]) for day, count in latest.days),
        samples=samples,
        looked_at=looked_at,
        complete=not found.is_cut,
        warnings=latest.warnings + cut,
    )


def _sample(subscription: Subscription, past: PastEvent, evaluate: Evaluate | None = None) -> Sample:
    return Sample(past.number, tuple(subscription.explain(past.event, evaluate=evaluate)))


def _at_least(judged: int) -> str:
    return _(
        "Finding this out takes long for so many items: there are at least as many as counted here,"
        " among the newest {count:,} that could be meant.",
        count=judged,
    )


def _cut(looked_at: int, oldest: datetime | None) -> str:
    message = _(
        "There are too many events to look at all of them; these are the newest {count:,}.", count=looked_at
    )
    if oldest is not None:
        message = _(
            "There are too many events to look at all of them;"
            " these are the newest {count:,}, back to {moment} UTC.",
            count=looked_at,
            moment=f"{oldest.astimezone(UTC):%Y-%m-%d %H:%M}",
        )
    return message
