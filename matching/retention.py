"""Forgetting what is old: events that were accepted long ago, with their matches.

What still waits to be matched stays, however old it is.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from matching.models import Match, PublishedEvent
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way

_EVENTS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Forgotten:
    events: int
    matches: int


def forget_before(moment: datetime) -> Forgotten:
    """Delete what was accepted before this moment, in small transactions. It may be stopped anywhere."""
    events = matches = 0
    old = PublishedEvent.objects.filter(accepted_at__lt=moment).exclude(state=PublishedEvent.State.ACCEPTED)
    while numbers := list(old.order_by("accepted_at").values_list("pk", flat=True)[:_EVENTS_AT_ONCE]):
        matches += _forget_matches(numbers)
        with transaction.atomic():
            PublishedEvent.objects.filter(pk__in=numbers).delete()
        events += len(numbers)
        give_way()
    return Forgotten(events, matches)


def _forget_matches(events: list[int]) -> int:
    """The matches apart from their events: one event may have a great many."""
    forgotten = 0
    old = Match.objects.filter(event__in=events)
    # In order of their numbers, as all who lock several: so nobody waits for us while we wait for them.
    while numbers := list(old.order_by("pk").values_list("pk", flat=True)[:ROWS_PER_TRANSACTION]):
        with transaction.atomic():
            Match.objects.filter(pk__in=numbers).delete()
        forgotten += len(numbers)
        give_way()
    return forgotten
