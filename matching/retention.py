"""Forgetting what is old: events that were accepted long ago, with their matches; and counts of old days.

What still waits to be matched stays, however old it is.
"""

import time
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.db.models import QuerySet

from matching import failpoints
from matching.models import DailyCount, Match, PublishedEvent
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way

_EVENTS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many; and whether there is more, for which there was no time."""

    events: int
    matches: int
    is_more: bool = False


def forget_before(moment: datetime, *, seconds: float = float("inf")) -> Forgotten:
    """Delete what was accepted before this moment, in small transactions, for about so many seconds.

    It may be stopped anywhere.
    """
    deadline = time.monotonic() + seconds
    events = matches = 0
    old = PublishedEvent.objects.filter(accepted_at__lt=moment).exclude(state=PublishedEvent.State.ACCEPTED)
    while numbers := list(old.order_by("accepted_at").values_list("pk", flat=True)[:_EVENTS_AT_ONCE]):
        matches += _forget_matches(numbers)
        events += _forget_events(old.filter(pk__in=numbers))
        if time.monotonic() > deadline:
            return Forgotten(events, matches, is_more=True)
        give_way()
    return Forgotten(events, matches)


def forget_counts_before(day: date, *, seconds: float = float("inf")) -> int:
    """Delete the daily counts of the days before this one, in the same way; how many there were."""
    deadline = time.monotonic() + seconds
    forgotten = 0
    old = DailyCount.objects.filter(day__lt=day)
    while numbers := list(old.values_list("pk", flat=True)[:ROWS_PER_TRANSACTION]):
        with transaction.atomic():
            DailyCount.objects.filter(pk__in=numbers).delete()
            failpoints.at_commit("forget-counts")
        forgotten += len(numbers)
        if time.monotonic() > deadline:
            break
        give_way()
    return forgotten


def _forget_events(old: QuerySet[PublishedEvent]) -> int:
    """Those that are still old and done: one that was parked may just have been given another chance."""
    with transaction.atomic():
        numbers = list(old.select_for_update().order_by("pk").values_list("pk", flat=True))
        PublishedEvent.objects.filter(pk__in=numbers).delete()
        failpoints.at_commit("forget-events")
    return len(numbers)


def _forget_matches(events: list[int]) -> int:
    """The matches apart from their events: one event may have a great many."""
    forgotten = 0
    old = Match.objects.filter(event__in=events)
    while numbers := list(old.order_by("pk").values_list("pk", flat=True)[:ROWS_PER_TRANSACTION]):
        with transaction.atomic():
            Match.objects.filter(pk__in=numbers).delete()
            failpoints.at_commit("forget-matches")
        forgotten += len(numbers)
        give_way()
    return forgotten
