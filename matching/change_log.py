"""The log of changes of subscriptions, by which matchers follow them.

An entry is a copy of what matchers need of the row. Numbers are given under the lock of the counter, so they
become visible in order and without gaps.
"""

from collections.abc import Sequence

from django.db import connection
from django.db.models import F

from matching.models import ChangeCounter, Subscription, SubscriptionChange
from matching.small_transactions import ROWS_PER_TRANSACTION

State = Subscription.State
# A muted subscription goes on collecting matches; it only tells nobody.
MATCHED_STATES = frozenset({State.ACTIVE, State.MUTED})
CHANGES_AT_ONCE = ROWS_PER_TRANSACTION // 2  # each is a row of its own and an entry here

# Copied inside the database: through Python, writing many would take twice as long.
_COPY = f"""
INSERT INTO {SubscriptionChange._meta.db_table}
       (sequence, subscription_id, is_matched, compiled, schema_version, expires_at)
SELECT %s + row_number() OVER (ORDER BY id), id, state IN ({{states}}),
       CASE WHEN state IN ({{states}}) THEN compiled END, schema_version, expires_at
  FROM {Subscription._meta.db_table}
 WHERE id IN ({{ids}})
"""  # noqa: S608 - the names are our own


def log_changes(numbers: Sequence[int]) -> None:
    """Write down how these subscriptions are now. The last step of a transaction: others wait for its end."""
    ChangeCounter.objects.get_or_create(pk=1)
    ChangeCounter.objects.filter(pk=1).update(last=F("last") + len(numbers))
    last = ChangeCounter.objects.values_list("last", flat=True).get(pk=1)
    states = sorted(MATCHED_STATES)
    places = {"states": _places(states), "ids": _places(numbers)}
    with connection.cursor() as cursor:
        cursor.execute(_COPY.format(**places), [last - len(numbers), *states, *states, *numbers])


def _places(parameters: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(parameters))
