"""Matched events of which people have still to be told: written by matching, taken by whoever tells them.

They are taken under a lease, which goes by the database's time. Moving one on needs the lease under which it
was taken: an event that is announced anew meanwhile, with matches we have not seen, stays to be taken again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from matching import failpoints
from matching.leases import run_out
from matching.models import Announcement, PublishedEvent

LEASE = timedelta(seconds=10)
_WINDOW = 1_000  # of the oldest: looking through all of a long backlog for a big one would take too long
# One statement: it is in every transaction that finishes events. An event may be finished twice, by a worker
# that was taken for dead; its matches are told once all the same.
_ANNOUNCE = """
    INSERT INTO matching_announcement (event_id, told_up_to)
    SELECT id, 0 FROM matching_publishedevent
    WHERE id IN ({places}) AND state = %s AND match_count > 0
    ON CONFLICT (event_id) DO UPDATE SET told_up_to = 0, leased_until = NULL"""


@dataclass(frozen=True, slots=True)
class Taken:
    """An announcement that is ours until its lease runs out, and what is needed of its event."""

    event: int
    told_up_to: int
    leased_until: datetime
    matches: int
    revision: int
    accepted_at: datetime


def announce(events: Sequence[int]) -> None:
    """Those of the events that are matched now, and match somebody, are to be told of."""
    if not events:
        return
    places = ", ".join(["%s"] * len(events))
    with connection.cursor() as cursor:
        cursor.execute(_ANNOUNCE.format(places=places), [*events, PublishedEvent.State.MATCHED])


def take_small(*, most_events: int, most_matches: int) -> list[Taken]:
    """The oldest events that have no more matches than that, as many as have no more together."""
    small = _free().filter(event__match_count__lte=most_matches)
    with transaction.atomic():
        return _lease(_that_fit(_unlocked(small, most=most_events), most_matches))


def take_big(*, above: int) -> Taken | None:
    """The oldest event that has more matches than that."""
    big = _free().filter(pk__in=_free().order_by("pk").values("pk")[:_WINDOW], event__match_count__gt=above)
    with transaction.atomic():
        taken = _lease([event for event, _ in _unlocked(big, most=1)])
    return taken[0] if taken else None


def is_any_free() -> bool:
    """Whether there is one that nobody holds."""
    return _free().exists()


def advance(taken: Taken, *, told_up_to: int) -> None:
    """The owners up to this one are dealt with. Whoever takes it next goes on from there."""
    _held([taken]).update(told_up_to=told_up_to, leased_until=None)


def finish(taken: Sequence[Taken]) -> None:
    """All owners are dealt with."""
    _held(taken).delete()


def _free() -> QuerySet[Announcement]:
    return Announcement.objects.filter(Q(leased_until=None) | run_out(LEASE))


def _held(taken: Sequence[Taken]) -> QuerySet[Announcement]:
    """Those that are still ours; what is taken together has one lease."""
    leases = {each.leased_until for each in taken}
    return Announcement.objects.filter(pk__in=[each.event for each in taken], leased_until__in=leases)


def _unlocked(announcements: QuerySet[Announcement], *, most: int) -> list[tuple[int, int]]:
    """The oldest that nobody else is just taking, each with the number of its matches."""
    mine = announcements.select_for_update(skip_locked=True, of=("self",)).order_by("pk")
    return list(mine.values_list("pk", "event__match_count")[:most])


def _that_fit(sizes: Sequence[tuple[int, int]], most_matches: int) -> list[int]:
    up_to_each = accumulate(matches for _, matches in sizes)
    return [event for (event, _), total in zip(sizes, up_to_each, strict=True) if total <= most_matches]


def _lease(events: Sequence[int]) -> list[Taken]:
    if not events:
        return []
    mine = Announcement.objects.filter(pk__in=events)
    mine.update(leased_until=Now() + LEASE)
    failpoints.reached("plan.before-lease")
    fields = ("pk", "told_up_to", "leased_until")
    of_the_event = ("event__match_count", "event__revision", "event__accepted_at")
    return [Taken(*row) for row in mine.order_by("pk").values_list(*fields, *of_the_event)]
