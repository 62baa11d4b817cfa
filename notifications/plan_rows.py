"""Writing a plan: deliveries, their entries and what they take of the day's allowance, in small transactions.

Rows are locked in one order: allowances, digests, new deliveries; each kind by its keys.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime

from django.db import transaction

from matching import failpoints
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from notifications import allowances, delivery_rows, metrics, wakeups
from notifications.core.planning import Key, Late, Planned, Telling, deliveries, needs, portions, within_caps
from notifications.delivery_rows import Row
from notifications.models import Delivery


class _BegunMeanwhile(Exception):  # noqa: N818 - named for what happened
    """A digest that another planner had just made was begun before we could add to it."""


def write(
    wanted: Sequence[Telling],
    *,
    now: datetime,
    late: Sequence[Late] = (),
    then: Callable[[], None] | None = None,
) -> int:
    """Write them all, and in the last transaction do `then`; how many deliveries are new.

    Those that are late are few, and come with the first: whoever looks finds all of an item in one delivery.
    """
    written = 0
    parts = list(portions(wanted, rows=ROWS_PER_TRANSACTION)) or [[]]
    for number, portion in enumerate(parts, start=1):
        if number > 1:
            failpoints.reached("plan.between-commits")
        written += _commit(portion, now, late if number == 1 else (), then if number == len(parts) else None)
        give_way()
    return written


def _commit(
    portion: Sequence[Telling], now: datetime, late: Sequence[Late], then: Callable[[], None] | None
) -> int:
    new = _tried_again(portion, now, late, then)
    failpoints.reached("plan.after-commit")
    digests = sum(each.is_digest for each in new)
    metrics.PLANNED.labels(Delivery.Kind.DIGEST).inc(digests)
    metrics.PLANNED.labels(Delivery.Kind.MATCH).inc(len(new) - digests)
    if any(each.due <= now for each in new):
        wakeups.SENDERS.send()
    return len(new)


def _tried_again(
    portion: Sequence[Telling], now: datetime, late: Sequence[Late], then: Callable[[], None] | None
) -> list[Planned]:
    while True:
        try:
            with transaction.atomic():
                new = _written(portion, now) if portion else []
                delivery_rows.join(late)
                if then is not None:
                    then()
                failpoints.reached("plan.before-commit")
            return new
        except _BegunMeanwhile:
            continue  # it is not new to us any more, so the next digest is used


def _written(wanted: Sequence[Telling], now: datetime) -> list[Planned]:
    """The deliveries that are new. Matches of an event that was told of join its delivery."""
    counted = _open(_find_counted_digests(wanted))
    taken = needs(wanted, there=counted)
    allowed = within_caps(wanted, now=now, used=allowances.take(taken), there=counted)
    allowed, numbers = _in_open_digests(allowed)
    planned = deliveries(allowed)
    new = delivery_rows.insert([each for each in planned if each.key not in numbers], now=now)
    numbers |= new
    numbers |= _of_others(planned, numbers)
    if not delivery_rows.insert_entries(planned, numbers):
        for empty in delivery_rows.delete_empty(new.values()):
            del new[empty]
    written = [each for each in planned if each.key in new]
    allowances.give_back(taken - Counter(day for each in written if (day := each.day) is not None))
    return written


def _find_counted_digests(wanted: Sequence[Telling]) -> dict[Key, Row]:
    return delivery_rows.find({each.key for each in wanted if each.is_digest and each.day}, lock=False)


def _open(rows: Mapping[Key, Row]) -> dict[Key, int]:
    return {key: row.number for key, row in rows.items() if row.is_open}


def _in_open_digests(allowed: list[Telling]) -> tuple[list[Telling], dict[Key, int]]:
    """Each in a digest that nobody has begun to send, and the numbers of those that are there."""
    there = delivery_rows.find({each.key for each in allowed if each.is_digest}, lock=True)
    numbers = _open(there)
    if len(numbers) == len(there):
        return allowed, numbers
    closed = there.keys() - numbers.keys()
    return _in_open_digests([each.in_the_next_digest() if each.key in closed else each for each in allowed])


def _of_others(planned: Sequence[Planned], known: Collection[Key]) -> dict[Key, int]:
    """Those of the planned deliveries that somebody else has made. Raises _BegunMeanwhile."""
    digests = {each.key: each.is_digest for each in planned if each.key not in known}
    rows = delivery_rows.find(digests, lock=True)
    if any(digests[key] and not row.is_open for key, row in rows.items()):
        raise _BegunMeanwhile
    return {key: row.number for key, row in rows.items()}
