"""How many matches each subscription had on each day of UTC, so that nobody has to count millions of rows.

Matching writes no counts; a task adds what has come since. `CountedMatches` says up to which row that is, and
is locked while rows are added, so that two who do it at once add no row twice.

Row ids may become visible out of order, and a row that becomes visible late is passed over. So a day that is
over is counted anew, once, and what differs is mended.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta

from django.db import connection, transaction
from django.db.models import Max

from matching import failpoints
from matching.models import CountedMatches, DailyCount, Match
from matching.previews import days_until, start_of
from matching.small_transactions import give_way, portions

MATCHES_AT_ONCE = 4_000
MOST_DAYS = 90
# By so much may the order of ids differ from that of the moments, and a commit be late.
SETTLED_AFTER = timedelta(minutes=10)
_DAY = timedelta(days=1)

_DAY_OF_MATCH = {"sqlite": "date(matched_at)", "postgresql": "(matched_at AT TIME ZONE 'UTC')::date"}
_ADD = """
    INSERT INTO matching_dailycount (subscription_id, day, count)
    SELECT subscription_id, {day}, count(*) FROM matching_match WHERE id > %s AND id <= %s GROUP BY 1, 2
    ON CONFLICT (subscription_id, day) DO UPDATE SET count = matching_dailycount.count + excluded.count"""
_COUNT_ANEW = """
    SELECT subscription_id, count(*) FROM matching_match
    WHERE id > %s AND id <= %s AND matched_at >= %s AND matched_at < %s GROUP BY 1"""


def per_day(subscriptions: Sequence[int], *, days: int, now: datetime) -> dict[int, tuple[int, ...]]:
    """The counts of each of these for the last days, oldest first and today last. One query.

    The newest matches are missing until the task has run, which it does every minute.
    """
    dates = days_until(now, days)
    rows = DailyCount.objects.filter(subscription__in=subscriptions, day__gte=dates[0])
    known = {(number, day): count for number, day, count in rows.values_list("subscription", "day", "count")}
    return {number: tuple(known.get((number, day), 0) for day in dates) for number in subscriptions}


def count(*, now: datetime, clock: Callable[[], float], seconds: float = float("inf")) -> bool:
    """Add what has come since the last time, and close the days that are over; whether that was all.

    Goes on for about so many seconds, in small transactions. It may be stopped anywhere.
    """
    deadline = clock() + seconds
    CountedMatches.objects.get_or_create(pk=1, defaults={"open_since": _date(now)})
    while _add_some():
        if clock() > deadline:
            return False
        give_way()
    counted = CountedMatches.objects.get(pk=1)
    settled = _date(now - SETTLED_AFTER)
    oldest = settled - MOST_DAYS * _DAY
    day = max(counted.open_since or settled, oldest)
    while day < settled and _close(day, up_to=counted.up_to):
        day += _DAY
    return True


def _add_some() -> bool:
    """Add a portion; whether there may be more."""
    with transaction.atomic():
        counted = CountedMatches.objects.select_for_update().get(pk=1)
        following = Match.objects.filter(pk__gt=counted.up_to).order_by("pk")
        some = list(following.values_list("pk", flat=True)[:MATCHES_AT_ONCE])
        if some:
            with connection.cursor() as cursor:
                cursor.execute(_ADD.format(day=_DAY_OF_MATCH[connection.vendor]), [counted.up_to, some[-1]])
            counted.up_to = some[-1]
            counted.save(update_fields=["up_to"])
        failpoints.at_commit("daily-counts")
    return len(some) == MATCHES_AT_ONCE


def _close(day: date, *, up_to: int) -> bool:
    """Mend the counts of a day that is over; False if others count meanwhile, so it is left for next time.

    O(matches of the day + subscriptions that had any), once a day; it writes only the counts that differ.
    """
    counted = _counted_anew(day, up_to=up_to)
    stored = dict(DailyCount.objects.filter(day=day).values_list("subscription", "count"))
    wrong = [number for number in counted.keys() | stored.keys() if counted[number] != stored.get(number, 0)]
    for some in portions(wrong):
        with transaction.atomic():
            if not _is_still(up_to):
                return False
            _store(day, {number: counted[number] for number in some})
            failpoints.at_commit("day-mended")
    with transaction.atomic():
        if not _is_still(up_to):
            return False
        CountedMatches.objects.filter(pk=1).update(open_since=day + _DAY)
        failpoints.at_commit("day-closed")
    return True


def _counted_anew(day: date, *, up_to: int) -> Counter[int]:
    """The matches of the day among the rows that were added. O(matches of the day), in small reads."""
    begin, end = start_of(day), start_of(day + _DAY)
    moments = [connection.ops.adapt_datetimefield_value(moment) for moment in (begin, end)]
    first = _first_since(begin - SETTLED_AFTER) - 1
    last = min(up_to, _first_since(end + SETTLED_AFTER))
    found: Counter[int] = Counter()
    for low in range(first, last, MATCHES_AT_ONCE):
        with connection.cursor() as cursor:
            cursor.execute(_COUNT_ANEW, [low, min(low + MATCHES_AT_ONCE, last), *moments])
            found.update(dict(cursor.fetchall()))
    return found


def _first_since(moment: datetime) -> int:
    """The id of about the first match of this moment or later: by bisection, since ids are in its order.

    O(log(largest id)) reads by key.
    """
    low, high = 1, (Match.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
    while low < high:
        middle = (low + high) // 2
        row = Match.objects.filter(pk__gte=middle).order_by("pk").values_list("pk", "matched_at").first()
        if row is None or row[1] >= moment:
            high = middle
        else:
            low = row[0] + 1
    return low


def _is_still(up_to: int) -> bool:
    """Whether nobody has added rows meanwhile; nobody does until we commit."""
    return CountedMatches.objects.select_for_update().get(pk=1).up_to == up_to


def _store(day: date, counts: dict[int, int]) -> None:
    rows = [DailyCount(subscription_id=number, day=day, count=count) for number, count in counts.items()]
    DailyCount.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["subscription", "day"], update_fields=["count"]
    )


def _date(moment: datetime) -> date:
    return moment.astimezone(UTC).date()
