"""The log of changes of subscriptions, by which matchers follow them.

An entry is a copy of what matchers need of the row. Numbers are given under the lock of the counter, so they
become visible in order. What no matcher needs any more is cut off: it is below the oldest snapshot that is
kept, and a running matcher would have to be very far behind. One that is notices it by `cut_up_to`, which
is written before anything goes.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Min

from matching import failpoints
from matching.models import ChangeCounter, KeptSnapshot, Subscription, SubscriptionChange
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way

State = Subscription.State
# A muted subscription goes on collecting matches; it only tells nobody.
MATCHED_STATES = frozenset({State.ACTIVE, State.MUTED})
CHANGES_AT_ONCE = ROWS_PER_TRANSACTION // 2  # each is a row of its own and an entry here
KEPT_CHANGES = 100_000  # for running matchers, also those without snapshots
# A worker that stopped for good does not say so. Whoever comes back later than this starts from the database.
FORGOTTEN_AFTER = timedelta(days=3)

# Copied inside the database: through Python, writing many would take twice as long.
_COPY = f"""
INSERT INTO {SubscriptionChange._meta.db_table}
       (sequence, subscription_id, is_matched, compiled, schema_version, expires_at)
SELECT %s + row_number() OVER (ORDER BY id), id, state IN ({{states}}),
       CASE WHEN state IN ({{states}}) THEN compiled END, schema_version, expires_at
  FROM {Subscription._meta.db_table}
 WHERE id IN ({{ids}})
"""  # nosec B608  # noqa: S608 - the names are our own


def last_change() -> int:
    """The number of the last change of a subscription that was committed."""
    return ChangeCounter.objects.values_list("last", flat=True).first() or 0


def cut_up_to() -> int:
    """Changes up to this one may be gone from the log."""
    return ChangeCounter.objects.values_list("cut_up_to", flat=True).first() or 0


def log_changes(numbers: Sequence[int]) -> None:
    """Write down how these subscriptions are now. The last step of a transaction: others wait for its end."""
    ChangeCounter.objects.get_or_create(pk=1)
    ChangeCounter.objects.filter(pk=1).update(last=F("last") + len(numbers))
    last = ChangeCounter.objects.values_list("last", flat=True).get(pk=1)
    states = sorted(MATCHED_STATES)
    places = {"states": _places(states), "ids": _places(numbers)}
    with connection.cursor() as cursor:
        cursor.execute(_COPY.format(**places), [last - len(numbers), *states, *states, *numbers])
    failpoints.at_commit("subscriptions")


def cut(*, now: datetime, seconds: float = float("inf")) -> bool:
    """Cut off what nobody needs, in small transactions, for about so many seconds; whether there is more.

    It may be stopped anywhere, and run several times at once.
    """
    deadline = time.monotonic() + seconds
    KeptSnapshot.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()
    oldest = KeptSnapshot.objects.aggregate(oldest=Min("sequence"))["oldest"]
    end = last_change() - KEPT_CHANGES
    end = end if oldest is None else min(end, oldest)
    ChangeCounter.objects.filter(cut_up_to__lt=end).update(cut_up_to=end)
    failpoints.reached("cut-log.announced")
    gone = SubscriptionChange.objects.filter(sequence__lte=cut_up_to()).order_by("sequence")
    while numbers := list(gone.values_list("sequence", flat=True)[:ROWS_PER_TRANSACTION]):
        with transaction.atomic():
            SubscriptionChange.objects.filter(sequence__lte=numbers[-1]).delete()
            failpoints.at_commit("cut-log")
        if time.monotonic() > deadline:
            return True
        give_way()
    return False


def _places(parameters: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(parameters))
