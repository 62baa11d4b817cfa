"""What came of a load: rates and percentiles."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from lesubscribe.loadtest.sending import Sent


@dataclass(frozen=True, slots=True)
class Outcome:
    """When an event was accepted and matched, and how many subscriptions it matched."""

    accepted_at: datetime
    matched_at: datetime | None
    match_count: int


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Of some durations, in seconds."""

    p50: float
    p95: float
    p99: float
    most: float

    @classmethod
    def of(cls, durations: Iterable[float]) -> "Percentiles | None":
        """None of none; each is the smallest duration that so many are not above."""
        ordered = sorted(durations)
        if not ordered:
            return None
        p50, p95, p99 = (ordered[int(len(ordered) * share)] for share in (0.50, 0.95, 0.99))
        return cls(p50, p95, p99, ordered[-1])


@dataclass(frozen=True, slots=True)
class Figures:
    seconds: float
    statuses: dict[str, int]
    accepted: int
    accepted_per_second: float
    matched_meanwhile: int
    matched_per_second: float
    left_at_the_end: int
    unmatched: int
    matches_per_event: float
    answer: Percentiles | None
    publish_to_match: Percentiles | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def figures(
    sent: Sequence[Sent], outcomes: Sequence[Outcome], *, began: datetime, ended: datetime
) -> Figures:
    """`ended` is when the last request was answered: what was matched later does not count as meanwhile."""
    seconds = (ended - began).total_seconds()
    meanwhile = sum(1 for each in outcomes if each.matched_at is not None and each.matched_at <= ended)
    matched = [each for each in outcomes if each.matched_at is not None]
    durations = [
        (each.matched_at - each.accepted_at).total_seconds()
        for each in matched
        if each.matched_at is not None
    ]
    return Figures(
        seconds=seconds,
        statuses={
            str(status): count for status, count in sorted(Counter(each.status for each in sent).items())
        },
        accepted=len(outcomes),
        accepted_per_second=len(outcomes) / seconds,
        matched_meanwhile=meanwhile,
        matched_per_second=meanwhile / seconds,
        left_at_the_end=len(outcomes) - meanwhile,
        unmatched=len(outcomes) - len(matched),
        matches_per_event=sum(each.match_count for each in matched) / max(1, len(matched)),
        answer=Percentiles.of(each.seconds for each in sent),
        publish_to_match=Percentiles.of(durations),
    )
