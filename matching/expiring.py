"""Letting matchers drop what has expired, as soon as no event can match it any more.

Nothing depends on when this happens: matching goes by the expiry itself, and so does what people are shown.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import BooleanField, Min, OuterRef, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from matching.change_log import CHANGES_AT_ONCE, log_changes
from matching.models import MatchWork, PublishedEvent, Subscription
from matching.small_transactions import give_way
from matching.validity import State, expiry_cutoff

# As the index by expiry has it, with the states written out: SQLite does not see that parameters fit.
IS_ALIVE = RawSQL(
    "NOT (matching_subscription.state IN ('expired', 'removed'))", [], output_field=BooleanField()
)


def expire(*, now: datetime) -> int:
    """Mark as expired what may be dropped, in small transactions; how many there were.

    It may be stopped anywhere, and run several times at once. Who renews at the same time wins.
    """
    cutoff = expiry_cutoff(now=now, oldest_waiting=_oldest_waiting())
    due = Subscription.objects.filter(IS_ALIVE, expires_at__lte=cutoff)
    numbers = list(due.order_by("pk").values_list("pk", flat=True))
    expired = 0
    for first in range(0, len(numbers), CHANGES_AT_ONCE):
        expired += _mark(due.filter(pk__in=numbers[first : first + CHANGES_AT_ONCE]))
        give_way()
    return expired


def _oldest_waiting() -> datetime | None:
    """When the oldest event that waits was accepted. O(events that wait)."""
    # A join would be read along the index of all events there are.
    accepted_at = PublishedEvent.objects.filter(pk=OuterRef("event")).values("accepted_at")
    oldest: datetime | None = MatchWork.objects.aggregate(oldest=Min(Subquery(accepted_at)))["oldest"]
    return oldest


def _mark(due: QuerySet[Subscription]) -> int:
    """Those that are still due when we hold their lock."""
    with transaction.atomic():
        numbers = list(due.order_by("pk").select_for_update().values_list("pk", flat=True))
        if numbers:
            Subscription.objects.filter(pk__in=numbers).update(state=State.EXPIRED)
            log_changes(numbers)
    return len(numbers)
