"""Work to be done, held under a lease by whoever does it.

A worker that dies leaves its lease to run out, and the work is taken again. Attempts count up before the
work. From its second attempt an event is taken alone, so that one which kills its worker parks only itself,
after `MOST_ATTEMPTS`. Leases go by the database's time: clocks of machines differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from matching import metrics
from matching.models import MatchWork, PublishedEvent

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


def take(shard: int = 0) -> list[Leased]:
    """Work that is ours for a while: one event that was tried before, or else some fresh ones."""
    with transaction.atomic():
        keys = _unlocked(_tried(shard), most=1) or _unlocked(_fresh(shard), most=BATCH)
        work = MatchWork.objects.filter(pk__in=keys)
        work.update(attempts=F("attempts") + 1, leased_until=Now() + LEASE)
    fields = ("pk", "event_id", "event__document", "event__schema_version", "event__accepted_at")
    return [Leased(*row) for row in work.order_by("pk").values_list(*fields)]


def renew(work: Sequence[Leased]) -> None:
    MatchWork.objects.filter(pk__in=[each.number for each in work]).update(leased_until=Now() + LEASE)


def is_any_free(shard: int = 0) -> bool:
    """Whether there is work that nobody holds."""
    return _fresh(shard).exists() or _tried(shard).exists() or _hopeless(shard).exists()


def waiting() -> int:
    """How much work there is in all."""
    return MatchWork.objects.count()


def park_hopeless(shard: int = 0) -> int:
    """Set aside events that were tried often enough; how many."""
    parked = 0
    for work in _hopeless(shard).select_related("event"):
        said = work.event.reason or f"No worker survived matching it {work.attempts} times."
        with transaction.atomic():
            if not _hopeless(shard).filter(pk=work.pk).delete()[0]:
                continue  # others have parked it, or it was finished at last
            PublishedEvent.objects.filter(pk=work.event_id, state=PublishedEvent.State.ACCEPTED).update(
                state=PublishedEvent.State.PARKED, reason=said
            )
            MatchWork.objects.filter(event=work.event_id).delete()
        parked += 1
        metrics.PARKED.inc()
    return parked


def _fresh(shard: int) -> QuerySet[MatchWork]:
    """What nobody has tried, and so nobody holds."""
    return MatchWork.objects.filter(shard=shard, attempts=0)


def _tried(shard: int) -> QuerySet[MatchWork]:
    """What somebody tried and did not finish before his lease ran out."""
    tried = MatchWork.objects.filter(shard=shard, attempts__gt=0, attempts__lt=MOST_ATTEMPTS)
    return tried.filter(leased_until__lt=Now())


def _hopeless(shard: int) -> QuerySet[MatchWork]:
    return MatchWork.objects.filter(shard=shard, attempts__gte=MOST_ATTEMPTS, leased_until__lt=Now())


def _unlocked(work: QuerySet[MatchWork], *, most: int) -> list[int]:
    """The oldest of these that no other worker is just taking."""
    if connection.features.has_select_for_update_skip_locked:
        work = work.select_for_update(skip_locked=True)
    return list(work.order_by("pk").values_list("pk", flat=True)[:most])
