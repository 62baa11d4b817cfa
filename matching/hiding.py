"""Hiding an item of one's feed, and taking that back.

All the matches that the owner has of it are marked. Of an item with such a match nothing is shown, nor is
what another search finds later.
"""

from typing import Any

from django.db import transaction

from matching.feed import locked
from matching.feed_items import matches_of_events
from matching.models import Match
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from schema_registry.accounts.models import User


def hide(owner: User, event_id: int) -> None:
    """The item is gone from the feed, and does not count as unseen."""
    _set(owner, event_id, hidden=True)


def show_again(owner: User, event_id: int) -> None:
    _set(owner, event_id, hidden=False)


def _set(owner: User, event_id: int, **flag: Any) -> None:
    """In small transactions: somebody may have thousands of searches that found it."""
    others = matches_of_events(owner, [event_id]).exclude(**flag).order_by("pk").values_list("pk", flat=True)
    while numbers := list(others[:ROWS_PER_TRANSACTION]):
        with transaction.atomic():
            locked(owner)
            Match.objects.filter(pk__in=numbers).update(**flag)
        give_way()
