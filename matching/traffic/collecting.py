"""Taking what was refused from Redis into the tables, each entry once.

An entry of a stream has a number that only grows, and the position moves in the transaction that stores what
the entries say. Whoever is killed before the commit has stored nothing, and after it the entries are passed
over: they are deleted from Redis last. A Redis that was lost takes with it what it had not handed over yet.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

import redis
import structlog
from django.conf import settings
from django.utils import timezone

from matching import failpoints
from matching.models import Refusal, RefusalCount, RefusalReason, Traffic, TrafficPosition
from matching.small_transactions import give_way
from matching.traffic.adding import Additions, begin_of, counting
from matching.traffic.counting import begin
from matching.traffic.noting import COUNTS, ENTRY, SAMPLES
from matching.traffic.reasons import Reason
from schema_registry.accounts.models import Publisher

ENTRIES_AT_ONCE = 500
MOST_REASONS = 200  # of a publisher; a further one is counted by its kind
MOST_REFUSALS = 1_000  # of a publisher, the newest
_TIMEOUT_SECONDS = 2.0
_log = structlog.get_logger(__name__)

Entry = Mapping[str, Any]
Position = Literal["refused_up_to", "samples_up_to"]


def collect(*, now: datetime, clock: Callable[[], float], seconds: float = float("inf")) -> bool:
    """Store what waits; whether that was all. Goes on for about so many seconds. It may be stopped anywhere.

    While Redis is away there is nothing to do.
    """
    deadline = clock() + seconds
    begin(now=now)
    try:
        for stream, position, store in (
            (COUNTS, "refused_up_to", _store_counts),
            (SAMPLES, "samples_up_to", _store_samples),
        ):
            while _collect_some(stream, position, store):  # type: ignore[arg-type] # it is one of the two
                if clock() > deadline:
                    return False
                give_way()
    except redis.RedisError as error:
        _log.warning("refusals_wait", error=str(error))
    return True


def _collect_some(stream: str, position: Position, store: Callable[[Sequence[Entry]], None]) -> bool:
    """Store a portion; whether there may be more. Redis is not asked while others wait for our commit."""
    client = _client(settings.REDIS_URL)
    before = getattr(TrafficPosition.objects.get(pk=1), position)
    entries = _entries_after(client, stream, before)
    if not entries:
        return False
    numbers = [number for number, _entry in entries]
    with counting() as row:
        if getattr(row, position) != before:
            return True  # others have been here meanwhile
        store(_of_publishers_that_are_there([entry for _number, entry in entries]))
        setattr(row, position, numbers[-1])
        failpoints.reached("refusals.before-commit")
    failpoints.reached("refusals.after-commit")
    client.xdel(stream, *numbers)
    return len(entries) == ENTRIES_AT_ONCE


def _entries_after(client: redis.Redis, stream: str, number: str) -> list[tuple[str, Entry]]:
    """Of a Redis that was begun anew, by a clock that is behind, all entries."""
    newest: Any = client.xrevrange(stream, count=1)
    if not newest:
        return []
    after = number if _order(newest[0][0].decode()) >= _order(number) else "0-0"
    found: Any = client.xread({stream: after}, count=ENTRIES_AT_ONCE)
    return [
        (number.decode(), json.loads(fields[ENTRY.encode()]))
        for _stream, entries in found
        for number, fields in entries
    ]


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split("-")))


@cache
def _client(redis_url: str) -> redis.Redis:
    return redis.Redis.from_url(
        redis_url, socket_connect_timeout=_TIMEOUT_SECONDS, socket_timeout=_TIMEOUT_SECONDS
    )


def _of_publishers_that_are_there(entries: Sequence[Entry]) -> list[Entry]:
    named = {entry["publisher"] for entry in entries}
    there = set(Publisher.objects.filter(pk__in=named).values_list("pk", flat=True))
    return [entry for entry in entries if entry["publisher"] in there]


def _store_counts(entries: Sequence[Entry]) -> None:
    additions = Additions(now=timezone.now())
    for entry in entries:
        for more in additions.at(entry["publisher"], _moment(entry)):
            more.refused += entry["refused"]
    additions.store()
    reasons = _Reasons(entries)
    counts: dict[tuple[int, datetime], int] = defaultdict(int)
    for entry in entries:
        hour = begin_of(Traffic.Span.HOUR, _moment(entry))
        for fault, about, count in entry["reasons"]:
            counts[reasons.number_of(entry, Reason(fault, about)), hour] += count
    known = {
        (row.reason_id, row.begins_at): row.count
        for row in RefusalCount.objects.filter(
            reason__in={reason for reason, _ in counts}, begins_at__in={hour for _, hour in counts}
        )
    }
    RefusalCount.objects.bulk_create(
        [
            RefusalCount(reason_id=reason, begins_at=hour, count=count + known.get((reason, hour), 0))
            for (reason, hour), count in counts.items()
        ],
        update_conflicts=True,
        unique_fields=["reason", "begins_at"],
        update_fields=["count"],
    )


def _store_samples(entries: Sequence[Entry]) -> None:
    reasons = _Reasons(entries)
    refusals = Refusal.objects.bulk_create(
        Refusal(
            publisher_id=entry["publisher"],
            refused_at=_moment(entry),
            via=entry["via"],
            key_prefix=entry["key"],
            external_id=entry["external_id"],
            raw=entry["raw"],
            answered=entry["answered"],
        )
        for entry in entries
    )
    link = Refusal.reasons.through
    link.objects.bulk_create(
        link(refusal_id=refusal.pk, refusalreason_id=number)
        for refusal, entry in zip(refusals, entries, strict=True)
        for number in {reasons.number_of(entry, Reason(*reason)) for reason in entry["reasons"]}
    )
    for publisher in {entry["publisher"] for entry in entries}:
        _drop_the_oldest(publisher)


def _drop_the_oldest(publisher: int) -> None:
    mine = Refusal.objects.filter(publisher=publisher).order_by("-pk")
    surplus = mine.values_list("pk", flat=True)[MOST_REFUSALS : MOST_REFUSALS + 1].first()
    if surplus is not None:
        mine.filter(pk__lte=surplus).delete()


class _Reasons:
    """The numbers of the reasons that entries name; those that are new are stored, while there is room."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        publishers = {entry["publisher"] for entry in entries}
        self._known: dict[int, dict[Reason, int]] = {publisher: {} for publisher in publishers}
        for row in RefusalReason.objects.filter(publisher__in=publishers):
            self._known[row.publisher_id][Reason(row.fault, row.about)] = row.pk

    def number_of(self, entry: Entry, reason: Reason) -> int:
        known = self._known[entry["publisher"]]
        if reason not in known and len(known) >= MOST_REASONS:
            reason = reason.of_its_kind
        if reason not in known:
            row = RefusalReason(publisher_id=entry["publisher"], fault=reason.fault, about=reason.about)
            row.save(force_insert=True)
            known[reason] = row.pk
        return known[reason]


def _moment(entry: Entry) -> datetime:
    return datetime.fromtimestamp(entry["moment"], UTC)
