"""Putting what was published before a subscription began into its owner's feed."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from matching import failpoints, match_rows
from matching.feed_wakeups import wake_feeds
from matching.models import Subscription
from matching.selectors import looked_back
from matching.small_transactions import ROWS_PER_TRANSACTION
from schema_registry.known_operators import OPERATORS
from schema_registry.language import STORED, parse
from schema_registry.selectors import schema_at

DEFAULT_DAYS = 30
MOST_ITEMS = ROWS_PER_TRANSACTION


def add_existing(
    subscription: Subscription, *, now: datetime, clock: Callable[[], float], days: int = DEFAULT_DAYS
) -> int:
    """Match it with the items of the last days as they are now, the newest `MOST_ITEMS`; how many were new.

    Nobody is told of them: an item is announced when it is matched for the first time. Only one that is just
    about to be announced is told of as if it had come a moment later. A removed subscription gets nothing.
    """
    schema = schema_at(subscription.schema_version)
    parsed = parse(subscription.canonical, schema, operators=OPERATORS, limits=STORED)
    found = looked_back(parsed, days=days, now=now, clock=clock, most_samples=MOST_ITEMS)
    # The oldest first, so that a feed has the newest on top.
    pairs = [(sample.number, subscription.pk) for sample in reversed(found.samples)]
    with transaction.atomic():
        there = Subscription.objects.exclude(state=Subscription.State.REMOVED).filter(pk=subscription.pk)
        if not there.select_for_update(no_key=True).values_list("pk").first():
            return 0
        owners = match_rows.insert(pairs, now=now)
        failpoints.at_commit("existing")
    wake_feeds(owners)
    return len(owners)
