"""Which matches their owner has seen; others' are passed over."""

from collections.abc import Collection, Iterable

from django.db import transaction

from matching.feed import locked
from matching.feed_items import matches_of_events
from matching.models import Match
from matching.selectors import shown_to
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from schema_registry.accounts.models import User

MOST_AT_ONCE = ROWS_PER_TRANSACTION
MOST_COUNTED = 10_000
MOST_SAID = 99  # beside the feed's name; of more people are told 99+
MOST_ITEMS_AT_ONCE = 100


def count_unseen(owner: User, *, most: int = MOST_COUNTED) -> int:
    """How many matches a person has not seen yet, up to `most`; withdrawn and hidden items do not count."""
    return shown_to(owner).filter(seen=False).order_by()[:most].count()


def count_unseen_items(owner: User, *, most: int) -> int:
    """How many items: one that several searches found counts once, as the feed shows it."""
    return shown_to(owner).filter(seen=False).order_by().values("event").distinct()[:most].count()


def mark(owner: User, numbers: Iterable[int], *, seen: bool = True) -> None:
    """Note of at most `MOST_AT_ONCE` matches that they were seen, or were not."""
    chosen = list(numbers)
    assert len(chosen) <= MOST_AT_ONCE, "the transaction would be too large"
    with transaction.atomic():
        locked(owner)
        Match.objects.filter(owner=owner, pk__in=chosen).exclude(seen=seen).update(seen=seen)


def mark_items(owner: User, events: Collection[int]) -> None:
    """Note of at most `MOST_ITEMS_AT_ONCE` items, so of all the matches that the owner has of them."""
    assert len(events) <= MOST_ITEMS_AT_ONCE, "a request would take too long"
    unseen = matches_of_events(owner, events).filter(seen=False).order_by("pk").values_list("pk", flat=True)
    while numbers := list(unseen[:MOST_AT_ONCE]):
        mark(owner, numbers)
        give_way()


def mark_up_to(owner: User, number: int) -> None:
    """Note of all matches up to this one that they were seen, in small transactions."""
    unseen = Match.objects.filter(owner=owner, seen=False, pk__lte=number).order_by("pk")
    last = 0
    while numbers := list(unseen.filter(pk__gt=last).values_list("pk", flat=True)[:MOST_AT_ONCE]):
        mark(owner, numbers)
        last = numbers[-1]
        give_way()
