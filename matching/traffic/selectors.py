"""Reading the counts: a publisher's traffic over time, and what was refused by reason. Never the events."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import F, Q, Sum, Window
from django.db.models.functions import RowNumber

from matching.models import Refusal, RefusalCount, RefusalReason, Traffic
from matching.traffic import histogram
from matching.traffic.adding import begin_of
from matching.traffic.advice import Advice, advice, wrong
from matching.traffic.reasons import Reason
from schema_registry.accounts.models import Publisher
from schema_registry.core.schema import Schema

MOST_GROUPS = 20
_HOURS_OF_A_WEEK = 7 * 24


@dataclass(frozen=True, slots=True)
class Range:
    """A time that is shown: so many points, so far apart, made of minutes or hours."""

    points: int
    apart: timedelta
    span: Traffic.Span

    def begins(self, now: datetime) -> list[datetime]:
        """Of all points, the oldest first; the last one is still going on."""
        last = begin_of(self.span, now)
        if self.apart == timedelta(days=1):
            last = last.replace(hour=0)
        return [last - ago * self.apart for ago in reversed(range(self.points))]


RANGES = {
    "hour": Range(60, timedelta(minutes=1), Traffic.Span.MINUTE),
    "day": Range(24, timedelta(hours=1), Traffic.Span.HOUR),
    "fortnight": Range(14, timedelta(days=1), Traffic.Span.HOUR),
}


@dataclass(frozen=True, slots=True)
class Point:
    """`half` and `most` are the seconds within which half, and 95 %, of what came in was matched."""

    begins_at: datetime
    accepted: int
    refused: int
    half: float | None
    most: float | None


@dataclass(frozen=True, slots=True)
class Shown:
    """The points of a time, and all of them as one."""

    points: tuple[Point, ...]
    total: Point


@dataclass(frozen=True, slots=True)
class Group:
    """What was refused for one reason: how often of late, the newest samples, and how to mend it."""

    number: int
    advice: Advice
    attribute: str  # that the schema has; empty where it is about none
    last_day: int
    last_week: int
    refusals: tuple[Refusal, ...]


def traffic(publisher: Publisher, shown: Range, *, now: datetime) -> Shown:
    """One query of some hundred rows at most. The newest seconds are missing until the task has run."""
    begins = shown.begins(now)
    rows = Traffic.objects.filter(publisher=publisher, span=shown.span, begins_at__gte=begins[0])
    of_point: dict[datetime, list[Traffic]] = defaultdict(list)
    for row in rows:
        of_point[begins[min((row.begins_at - begins[0]) // shown.apart, len(begins) - 1)]].append(row)
    every = [row for some in of_point.values() for row in some]
    return Shown(tuple(_point(each, of_point[each]) for each in begins), _point(begins[0], every))


def reasons_of(publisher: Publisher) -> list[tuple[int, str]]:
    """All that are known, by their words."""
    rows = RefusalReason.objects.filter(publisher=publisher)
    return sorted(((row.pk, wrong(_reason(row))) for row in rows), key=lambda each: each[1].casefold())


def groups(
    publisher: Publisher, schema: Schema, *, now: datetime, samples: int, only: int | None = None
) -> list[Group]:
    """Those of the last seven days, the most frequent first; or this one only. Three queries."""
    rows = {row.pk: row for row in RefusalReason.objects.filter(publisher=publisher)}
    if only is not None:
        rows = {number: row for number, row in rows.items() if number == only}
    counts = _counts(rows, now)
    wanted = [number for number in counts if counts[number][1] or number == only]
    wanted.sort(key=lambda number: (*counts[number], number), reverse=True)
    newest = _newest_refusals(wanted[:MOST_GROUPS], samples)
    return [
        Group(
            number,
            advice(_reason(rows[number]), schema),
            rows[number].about if rows[number].about in schema.attributes else "",
            *counts[number],
            tuple(newest[number]),
        )
        for number in wanted[:MOST_GROUPS]
    ]


def _counts(reasons: Collection[int], now: datetime) -> dict[int, tuple[int, int]]:
    """Of the last 24 hours and of the last seven days, each with the hour that is going on."""
    hour = begin_of(Traffic.Span.HOUR, now)
    day, week = (hour - timedelta(hours=hours - 1) for hours in (24, _HOURS_OF_A_WEEK))
    rows = (
        RefusalCount.objects.filter(reason__in=reasons, begins_at__gte=week)
        .values("reason")
        .annotate(in_week=Sum("count"), in_day=Sum("count", filter=Q(begins_at__gte=day), default=0))
    )
    found = {row["reason"]: (row["in_day"], row["in_week"]) for row in rows}
    return {number: found.get(number, (0, 0)) for number in reasons}


def _newest_refusals(reasons: Collection[int], most: int) -> Mapping[int, list[Refusal]]:
    place = Window(RowNumber(), partition_by="refusalreason", order_by=F("refusal_id").desc())
    links = Refusal.reasons.through.objects.filter(refusalreason__in=reasons).annotate(place=place)
    first = links.filter(place__lte=most)  # type: ignore[misc] # it does not see what was annotated
    pairs = list(first.values_list("refusalreason_id", "refusal_id"))
    refusals = Refusal.objects.in_bulk({refusal for _reason, refusal in pairs})
    found: dict[int, list[Refusal]] = defaultdict(list)
    for reason, refusal in sorted(pairs, reverse=True):
        if refusal in refusals:
            found[reason].append(refusals[refusal])
    return found


def _reason(row: RefusalReason) -> Reason:
    return Reason(row.fault, row.about)


def _point(begins_at: datetime, rows: Collection[Traffic]) -> Point:
    waits = histogram.added({int(bucket): count for bucket, count in row.waits.items()} for row in rows)
    return Point(
        begins_at.astimezone(UTC),
        sum(row.accepted for row in rows),
        sum(row.refused for row in rows),
        histogram.quantile(waits, 0.5),
        histogram.quantile(waits, 0.95),
    )
