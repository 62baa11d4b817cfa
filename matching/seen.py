"""Which matches their owner has seen."""

from collections.abc import Iterable

from django.db import transaction

from matching.feed import locked
from matching.models import Match
from matching.selectors import matches_of
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from schema_registry.accounts.models import User

MOST_AT_ONCE = ROWS_PER_TRANSACTION
MOST_COUNTED = 10_000


def count_unseen(owner: User) -> int:
    """How many matches a person has not seen yet, up to `MOST_COUNTED`; withdrawn items do not count."""
    return matches_of(owner).filter(seen=False).order_by()[:MOST_COUNTED].count()


def mark(owner: User, numbers: Iterable[int], *, seen: bool = True) -> None:
    """Note of at most `MOST_AT_ONCE` matches that they were seen, or were not; others' are passed over."""
    chosen = list(numbers)
    assert len(chosen) <= MOST_AT_ONCE, "the transaction would be too large"
    with transaction.atomic():
        locked(owner)
        Match.objects.filter(owner=owner, pk__in=chosen).exclude(seen=seen).update(seen=seen)


def mark_up_to(owner: User, number: int) -> None:
    """Note of all matches up to this one that they were seen, in small transactions."""
    unseen = Match.objects.filter(owner=owner, seen=False, pk__lte=number).order_by("pk")
    last = 0
    while numbers := list(unseen.filter(pk__gt=last).values_list("pk", flat=True)[:MOST_AT_ONCE]):
        mark(owner, numbers)
        last = numbers[-1]
        give_way()
