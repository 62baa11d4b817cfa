"""Splitting anew: what was accepted for another number of shards and waits is done by those there are now.

Work says of how many shards its own is one, and only workers of that very split take it, so nothing is ever
matched against a part of the subscriptions and taken for done. Work of another split is replaced as a whole
by work of this one. What was matched already is matched again; that finds the same rows there.
"""

import time

from django.db import transaction

from matching import event_rows, failpoints, leases
from matching.models import MatchWork
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way


def split_anew(shards: int, *, seconds: float = float("inf")) -> bool:
    """In small transactions, for about so many seconds; whether there is more.

    It may be stopped anywhere, run several times at once, and beside workers of the other split.
    """
    deadline = time.monotonic() + seconds
    while events := _of_another_split(shards, most=ROWS_PER_TRANSACTION // (2 * shards)):
        with transaction.atomic():
            leases.lock(events)  # they may have been finished since we looked
            work = MatchWork.objects.filter(event__in=events)
            waiting = sorted(set(work.exclude(shards=shards).values_list("event", flat=True)))
            work.filter(event__in=waiting).delete()
            event_rows.insert_work(waiting, shards=shards)
            failpoints.at_commit("split")
        if time.monotonic() > deadline:
            return True
        give_way()
    return False


def _of_another_split(shards: int, *, most: int) -> list[int]:
    """Some events that have such work. In the order of an index: when there is none, this costs nothing."""
    for others in (MatchWork.objects.filter(shards__lt=shards), MatchWork.objects.filter(shards__gt=shards)):
        work = others.order_by("shards", "shard", "attempts", "pk")
        if events := sorted(set(work.values_list("event", flat=True)[:most])):
            return events
    return []
