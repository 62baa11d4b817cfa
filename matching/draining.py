"""Matching what waits: take work under a lease, match it, write the matches, and let the work go.

A worker that dies leaves its lease to run out, and the work is taken again; the unique key of a match makes
doing it twice the same as doing it once. Attempts count up before the work. From its second attempt an event
is matched alone, so that one which kills its worker parks only itself, after `MOST_ATTEMPTS`.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from matching import metrics
from matching.live import LiveMatcher
from matching.models import Match, MatchWork, PublishedEvent, Subscription
from schema_registry.selectors import schema_at

BATCH = 100
LEASE = timedelta(seconds=30)
MOST_ATTEMPTS = 5
ROWS_PER_TRANSACTION = 500


def drain(live: LiveMatcher) -> int:
    """Match until nothing waits; how many events were matched."""
    done = 0
    park_hopeless()
    while work := _lease():
        metrics.LAG.set(live.catch_up())
        metrics.SUBSCRIPTIONS.set(len(live))
        for each in work:
            _match(live, each)
        done += len(work)
    return done


def waiting() -> int:
    """How many events wait to be matched."""
    return MatchWork.objects.count()


def park_hopeless() -> int:
    """Set aside events that were tried often enough; how many."""
    tried = MatchWork.objects.filter(attempts__gte=MOST_ATTEMPTS).filter(_free(timezone.now()))
    parked = 0
    for work in tried:
        with transaction.atomic():
            PublishedEvent.objects.filter(pk=work.event_id).update(
                state=PublishedEvent.State.PARKED,
                reason=f"No worker survived matching it {work.attempts} times.",
            )
            work.delete()
        parked += 1
        metrics.PARKED.inc()
    return parked


def _lease() -> Sequence[MatchWork]:
    """Some work that nobody holds, ours for a while: a batch of fresh events, or one tried before."""
    now = timezone.now()
    with transaction.atomic():
        free = MatchWork.objects.filter(_free(now), attempts__lt=MOST_ATTEMPTS)
        if connection.features.has_select_for_update_skip_locked:
            free = free.select_for_update(skip_locked=True)
        keys = list(free.filter(attempts=0).order_by("pk").values_list("pk", flat=True)[:BATCH])
        keys = keys or list(free.order_by("attempts", "pk").values_list("pk", flat=True)[:1])
        MatchWork.objects.filter(pk__in=keys).update(attempts=F("attempts") + 1, leased_until=now + LEASE)
    return list(MatchWork.objects.select_related("event").filter(pk__in=keys).order_by("pk"))


def _free(now: datetime) -> Q:
    return Q(leased_until=None) | Q(leased_until__lt=now)


def _match(live: LiveMatcher, work: MatchWork) -> None:
    event = work.event
    valid = schema_at(event.schema_version).validate(event.document)
    found = live.match(valid, accepted_at=event.accepted_at)
    _write(event, found)
    metrics.MATCHED.inc()
    metrics.MATCHES.inc(len(found))
    metrics.LATENCY.observe((timezone.now() - event.accepted_at).total_seconds())


def _write(event: PublishedEvent, subscriptions: list[int]) -> None:
    """The matches in small transactions, and with the last of them the event's new state."""
    now = timezone.now()
    chunks = [
        subscriptions[first : first + ROWS_PER_TRANSACTION]
        for first in range(0, len(subscriptions), ROWS_PER_TRANSACTION)
    ] or [[]]
    for number, chunk in enumerate(chunks, start=1):
        with transaction.atomic():
            # Those deleted for good since we caught up have no row to refer to any more.
            there = Subscription.objects.filter(pk__in=chunk).values_list("pk", "owner_id")
            Match.objects.bulk_create(
                (
                    Match(event=event, subscription_id=key, owner_id=owner, matched_at=now)
                    for key, owner in there
                ),
                ignore_conflicts=True,
            )
            if number == len(chunks):
                PublishedEvent.objects.filter(pk=event.pk, state=PublishedEvent.State.ACCEPTED).update(
                    state=PublishedEvent.State.MATCHED,
                    matched_at=now,
                    match_count=Match.objects.filter(event=event).count(),
                )
                MatchWork.objects.filter(event=event).delete()
