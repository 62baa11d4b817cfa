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
from schema_registry.core.sentences import gettext as _
from schema_registry.language import Subscription
from schema_registry.language.subscription import Held

MOST_EVENTS = 20_000
MOST_SECONDS = 3.0
MOST_SAMPLES = 10


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
    most_seconds: float = MOST_SECONDS,
    most_samples: int = MOST_SAMPLES,
) -> Preview:
    """Judge the events of these days. O(events * predicates); ends a page after the time is over.

    `clock` gives seconds. The pages have the newest events first.
    """
    deadline = clock() + most_seconds
    matching: Counter[date] = Counter()
    samples: list[Sample] = []
    looked_at, is_cut = 0, False
    oldest: datetime | None = None
    for page in pages:
        if looked_at and clock() > deadline:
            is_cut = True
            break
        judged = page[: most_events - looked_at]
        for past in judged:
            if subscription.matches(past.event):
                matching[past.accepted_at.astimezone(UTC).date()] += 1
                if len(samples) < most_samples:
                    samples.append(_sample(subscription, past))
            oldest = past.accepted_at
        looked_at += len(judged)
        if len(judged) < len(page):
            is_cut = True
            break
    return Preview(
        count=matching.total(),
        days=tuple((day, matching[day]) for day in days),
        samples=tuple(samples),
        looked_at=looked_at,
        complete=not is_cut,
        warnings=(*subscription.warnings, _cut(looked_at, oldest)) if is_cut else subscription.warnings,
    )


def sampled(
    subscription: Subscription, events: Iterable[PastEvent], *, most: int = MOST_SAMPLES
) -> tuple[Sample, ...]:
    """The first of these that match."""
    matching = (_sample(subscription, past) for past in events if subscription.matches(past.event))
    return tuple(islice(matching, most))


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


def _sample(subscription: Subscription, past: PastEvent) -> Sample:
    return Sample(past.number, tuple(subscription.explain(past.event)))


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
