"""What a subscription would have found lately: a count for each day, and the newest samples. Pure.

The events come in pages, newest first, so that work can stop between two pages, and whoever reads them may
read them in another way.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from schema_registry.core.events import Event
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
                if len(samples) < MOST_SAMPLES:
                    samples.append(Sample(past.number, tuple(subscription.explain(past.event))))
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


def _cut(looked_at: int, oldest: datetime | None) -> str:
    back_to = "" if oldest is None else f", back to {oldest.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"There are too many events to look at all of them; these are the newest {looked_at:,}{back_to}."
