"""Forgetting what is older than anybody is shown, in small transactions."""

import time
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from matching.models import Refusal, RefusalCount, RefusalReason, Traffic
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from matching.traffic.adding import MINUTES_KEPT_FOR, counting
from matching.traffic.counting import KEPT_DAYS, begin

_WITH_LINKS = ROWS_PER_TRANSACTION // 5


def forget(*, now: datetime, seconds: float = float("inf")) -> int:
    """Delete what is old, for about so many seconds; how many rows that were."""
    deadline = time.monotonic() + seconds
    # The first of the days that are shown is shown from its beginning.
    moment = now - timedelta(days=KEPT_DAYS + 1)
    old: list[tuple[QuerySet[Any], int]] = [
        (Refusal.objects.filter(refused_at__lt=now - timedelta(days=KEPT_DAYS)), _WITH_LINKS),
        (RefusalCount.objects.filter(begins_at__lt=moment), ROWS_PER_TRANSACTION),
        (
            Traffic.objects.filter(span=Traffic.Span.MINUTE, begins_at__lt=now - MINUTES_KEPT_FOR),
            ROWS_PER_TRANSACTION,
        ),
        (Traffic.objects.filter(span=Traffic.Span.HOUR, begins_at__lt=moment), ROWS_PER_TRANSACTION),
    ]
    forgotten = 0
    for rows, at_once in old:
        while numbers := list(rows.values_list("pk", flat=True)[:at_once]):
            with transaction.atomic():
                rows.model._default_manager.filter(pk__in=numbers).delete()
            forgotten += len(numbers)
            if time.monotonic() > deadline:
                return forgotten
            give_way()
    return forgotten + _forget_reasons(now)


def _forget_reasons(now: datetime) -> int:
    """Those that nothing is left of. Under the lock, lest one is used anew meanwhile."""
    begin(now=now)
    counts = RefusalCount.objects.filter(reason=OuterRef("pk"))
    samples = Refusal.reasons.through.objects.filter(refusalreason=OuterRef("pk"))
    with counting():
        unused = RefusalReason.objects.filter(~Exists(counts), ~Exists(samples))
        numbers = list(unused.values_list("pk", flat=True)[:ROWS_PER_TRANSACTION])
        RefusalReason.objects.filter(pk__in=numbers).delete()
    return len(numbers)
