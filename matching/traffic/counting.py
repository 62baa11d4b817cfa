"""Counting what was accepted, and how long it waited for its match: from the rows of events, each once.

Neither intake nor matching writes anything for it. A task goes through the events by their numbers, up to the
one below which all are visible (see `recent.settling`), and notes how far it came with what it adds. It reads
them before it takes the lock, as publishers wait for whoever writes.

An event is counted when it is there, and its wait when it is matched. So there are two positions, and the
second stays behind an event that still waits, `histogram.LONGEST` at most: then it counts as one that took
that long. Parked and withdrawn ones took no time at all, and do not count.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Max, Min

from matching import failpoints
from matching.models import PublishedEvent, TrafficPosition
from matching.recent.settling import Settling
from matching.small_transactions import give_way
from matching.traffic import histogram
from matching.traffic.adding import Additions, counting

EVENTS_AT_ONCE = 4_000
KEPT_DAYS = 14
_PATIENCE = timedelta(seconds=histogram.LONGEST)
_FIELDS = ("pk", "publisher_id", "state", "accepted_at", "matched_at")


class _Event(NamedTuple):
    number: int
    publisher: int
    state: str
    accepted_at: datetime
    matched_at: datetime | None


def count(
    settling: Settling, *, now: datetime, clock: Callable[[], float], seconds: float = float("inf")
) -> bool:
    """Add what has come since the last time; whether that was all.

    Goes on for about so many seconds, in small transactions. It may be stopped anywhere.
    """
    deadline = clock() + seconds
    begin(now=now)
    settled = settling.settled()
    for step in (_count_accepted, _count_waits):
        while step(settled, now):
            if clock() > deadline:
                return False
            give_way()
    return True


def begin(*, now: datetime) -> None:
    """The very first time what nobody would see is left out, in O(events of 14 days); else one query."""
    if TrafficPosition.objects.filter(pk=1).exists():
        return
    recent = PublishedEvent.objects.filter(accepted_at__gte=now - timedelta(days=KEPT_DAYS))
    first = recent.aggregate(first=Min("pk"))["first"]
    newest = PublishedEvent.objects.aggregate(newest=Max("pk"))["newest"]
    up_to = (newest or 0) if first is None else first - 1
    TrafficPosition.objects.get_or_create(pk=1, defaults={"accepted_up_to": up_to, "matched_up_to": up_to})


def _count_accepted(settled: int, now: datetime) -> bool:
    """Add a portion; whether there may be more."""
    before = TrafficPosition.objects.get(pk=1).accepted_up_to
    if before >= settled:
        return False
    events = _events(before, settled)
    additions = Additions(now=now)
    for event in events:
        for more in additions.at(event.publisher, event.accepted_at):
            more.accepted += 1
    with counting() as position:
        if position.accepted_up_to != before:
            return True  # others have been here meanwhile
        additions.store()
        position.accepted_up_to = events[-1].number if events else settled
        failpoints.reached("traffic.before-commit")
    failpoints.reached("traffic.after-commit")
    return len(events) == EVENTS_AT_ONCE


def _count_waits(settled: int, now: datetime) -> bool:
    """Add those of a portion, up to the first that may still be matched; whether there may be more."""
    before = TrafficPosition.objects.get(pk=1).matched_up_to
    if before >= settled:
        return False
    events = _events(before, settled)
    done = list(_until_one_waits(events, now))
    if events and not done:
        return False
    additions = Additions(now=now)
    for event in done:
        seconds = _seconds(event)
        if seconds is not None:
            for more in additions.at(event.publisher, event.accepted_at):
                more.waits[histogram.bucket_of(seconds)] += 1
    with counting() as position:
        if position.matched_up_to != before:
            return True
        additions.store()
        position.matched_up_to = done[-1].number if done else settled
        failpoints.at_commit("traffic-waits")
    return len(done) == EVENTS_AT_ONCE


def _events(above: int, up_to: int) -> list[_Event]:
    rows = PublishedEvent.objects.filter(pk__gt=above, pk__lte=up_to).order_by("pk")
    return [_Event(*row) for row in rows.values_list(*_FIELDS)[:EVENTS_AT_ONCE]]


def _until_one_waits(events: Iterable[_Event], now: datetime) -> Iterable[_Event]:
    for event in events:
        if event.state == PublishedEvent.State.ACCEPTED and event.accepted_at > now - _PATIENCE:
            return
        yield event


def _seconds(event: _Event) -> float | None:
    if event.matched_at is not None:
        return (event.matched_at - event.accepted_at).total_seconds()
    return histogram.LONGEST if event.state == PublishedEvent.State.ACCEPTED else None
