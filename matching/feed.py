"""A person's feed: their matches, numbered in the order in which they became visible.

Matching gives no numbers, so that it waits for nobody. Whoever reads a feed first numbers what has come since
the last reading, under the lock of the owner's `Feed` row. A match that is committed later has a higher
number, so a reader who has everything up to a number misses nothing by asking for what comes after it.
"""

from dataclasses import dataclass

from django.db import connection, transaction

from matching.models import Feed, Match
from matching.selectors import shown_to
from matching.small_transactions import ROWS_PER_TRANSACTION
from schema_registry.accounts.models import User

# One statement for all: through the ORM, 500 rows would keep the lock twenty times as long.
_NUMBER = """
    UPDATE matching_match SET number = new.number
    FROM (
        SELECT id, %s + row_number() OVER (ORDER BY id) AS number FROM matching_match
        WHERE owner_id = %s AND number IS NULL ORDER BY id LIMIT %s
    ) AS new
    WHERE matching_match.id = new.id
    RETURNING matching_match.number"""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a feed: what there is to show, and the number up to which nothing was left out."""

    matches: list[Match]
    up_to: int


def number_new(owner: User) -> int:
    """Number the matches that have come since, at most `ROWS_PER_TRANSACTION` of them; how many there were.

    When there are none it is one read by index and no write. After a full portion there may be more.
    """
    if not Match.objects.filter(owner=owner, number=None).exists():
        return 0
    with transaction.atomic(), connection.cursor() as cursor:
        feed = locked(owner)
        cursor.execute(_NUMBER, [feed.last_number, owner.pk, ROWS_PER_TRANSACTION])
        numbers = [number for (number,) in cursor.fetchall()]
        # Not their count: one that was deleted meanwhile leaves a gap, and no number may be given twice.
        feed.last_number = max(numbers, default=feed.last_number)
        feed.save(update_fields=["last_number"])
    return len(numbers)


def after(owner: User, number: int, *, limit: int) -> Stretch:
    """The numbered matches that come after this number, in order; withdrawn and hidden items are left out.

    After a number that was never given comes what comes from now on.
    """
    last = last_number(owner)
    if last <= number:
        return Stretch([], last)
    following = shown_to(owner).filter(number__gt=number, number__lte=last).order_by("number")
    matches = list(following[:limit])
    # A full stretch ends with its last match, and any other where the feed does.
    return Stretch(matches, matches[-1].number or last if len(matches) == limit else last)


def last_number(owner: User) -> int:
    return Feed.objects.filter(owner=owner).values_list("last_number", flat=True).first() or 0


def locked(owner: User) -> Feed:
    """The owner's row: whoever changes several of their matches holds it until the commit."""
    Feed.objects.get_or_create(owner=owner)
    return Feed.objects.select_for_update().get(owner=owner)
