"""Work to be done, held under a lease by whoever does it.

A worker that dies leaves its lease to run out, and the work is taken again. Attempts count up before the
work. From its second attempt an event is taken alone, so that one which kills its worker parks only itself,
after `MOST_ATTEMPTS`. Leases go by the database's time: clocks of machines differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from matching import failpoints, metrics, stored_reasons
from matching.models import MatchWork, PublishedEvent
from matching.shards import WHOLE, Shard

BATCH = 100
LEASE = timedelta(seconds=10)
MOST_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Leased:
    """Work that is ours until its lease runs out, and what is needed of its event."""

    number: int
    event: int
    document: dict[str, Any]
    schema_version: int
    accepted_at: datetime


def take(shard: Shard = WHOLE) -> list[Leased]:
    """Work that is ours for a while: one event that was tried before, or else some fresh ones."""
    with transaction.atomic():
        keys = _unlocked(_tried(shard), most=1) or _unlocked(_fresh(shard), most=BATCH)
        work = MatchWork.objects.filter(pk__in=keys)
        work.update(attempts=F("attempts") + 1, leased_until=Now() + LEASE)
        failpoints.reached("match.before-lease")
    fields = ("pk", "event_id", "event__document", "event__schema_version", "event__accepted_at")
    return [Leased(*row) for row in work.order_by("pk").values_list(*fields)]


def take_new(events: Sequence[int], *, schema_versions: Sequence[int], accepted_at: datetime) -> list[Leased]:
    """The work of events that were inserted in this transaction, on all shards: nobody else ever saw it free.

    By event, then by shard. Documents are left out: whoever has just inserted the events has these.
    """
    work = MatchWork.objects.filter(event__in=events)
    work.update(attempts=1, leased_until=Now() + LEASE)
    versions = dict(zip(events, schema_versions, strict=True))
    numbers = work.order_by("event", "shard").values_list("pk", "event")
    return [Leased(number, event, {}, versions[event], accepted_at) for number, event in numbers]


def give_back(work: Sequence[Leased]) -> None:
    """As if nobody had taken it."""
    MatchWork.objects.filter(pk__in=[each.number for each in work]).update(attempts=0, leased_until=None)


def renew(work: Sequence[Leased]) -> None:
    MatchWork.objects.filter(pk__in=[each.number for each in work]).update(leased_until=Now() + LEASE)


def is_any_free(shard: Shard = WHOLE) -> bool:
    """Whether there is work that nobody holds."""
    return _fresh(shard).exists() or _tried(shard).exists() or _hopeless(shard).exists()


def waiting(*, most: int | None = None) -> int:
    """How many events wait, on whichever shards; not counted further than `most`.

    Where there is one shard each has one row, and PostgreSQL counts rows ten times as fast.
    """
    work = MatchWork.objects.order_by()
    events = work if settings.MATCHING_SHARDS == 1 else work.values("event").distinct()
    return events[:most].count()


def park_hopeless(shard: Shard = WHOLE) -> int:
    """Set aside events that were tried often enough; how many. Other shards need not go on with them."""
    parked = 0
    for work in _hopeless(shard).select_related("event"):
        said = work.event.reason or stored_reasons.NOBODY_SURVIVED(count=work.attempts)
        with transaction.atomic():
            lock([work.event_id])
            if not _hopeless(shard).filter(pk=work.pk).delete()[0]:
                continue  # others have parked it, or it was finished at last
            PublishedEvent.objects.filter(pk=work.event_id, state=PublishedEvent.State.ACCEPTED).update(
                state=PublishedEvent.State.PARKED, reason=said, state_changed_at=Now()
            )
            MatchWork.objects.filter(event=work.event_id).delete()
            failpoints.at_commit("park")
        parked += 1
        metrics.PARKED.inc()
    return parked


def lock(events: Sequence[int]) -> None:
    """Nobody else finishes, parks, withdraws or splits these events until we commit.

    It comes before their work is touched, else two who do so in another order would wait for each other.
    """
    rows = PublishedEvent.objects.filter(pk__in=events).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def run_out(lease: timedelta) -> Q:
    """Leases of this length whose time is over, or lies so far ahead that the clock was put back meanwhile.

    Twice as far as any lease goes, since two who look at once may differ a little about the time.
    """
    return Q(leased_until__lt=Now()) | Q(leased_until__gt=Now() + 2 * lease)


def _fresh(shard: Shard) -> QuerySet[MatchWork]:
    """What nobody has tried, and so nobody holds."""
    return _of(shard).filter(attempts=0)


def _tried(shard: Shard) -> QuerySet[MatchWork]:
    """What somebody tried and did not finish before his lease ran out."""
    return _of(shard).filter(run_out(LEASE), attempts__gt=0, attempts__lt=MOST_ATTEMPTS)


def _hopeless(shard: Shard) -> QuerySet[MatchWork]:
    return _of(shard).filter(run_out(LEASE), attempts__gte=MOST_ATTEMPTS)


def _of(shard: Shard) -> QuerySet[MatchWork]:
    return MatchWork.objects.filter(shards=shard.of, shard=shard.number)


def _unlocked(work: QuerySet[MatchWork], *, most: int) -> list[int]:
    """The oldest of these that no other worker is just taking."""
    if connection.features.has_select_for_update_skip_locked:
        work = work.select_for_update(skip_locked=True)
    return list(work.order_by("pk").values_list("pk", flat=True)[:most])
