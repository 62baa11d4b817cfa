"""Counting the demand, in slices beside other work, and when a new publication takes the place of the last.

People are read in the order of their numbers, with all their searches, so each is counted once.

A new count is published only if 20 people or more have made a search since the last publication. Otherwise
somebody who knows that one person has just come could see in what changed what that person looks for. What
is published stays as it is until then, and is no longer shown after a month.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils.crypto import salted_hmac

from matching import failpoints
from matching.change_log import MATCHED_STATES
from matching.demand import publication
from matching.demand.models import Demand
from matching.demand.tally import Tally
from matching.demand.threshold import FEWEST, MARGINS
from matching.demand.wishes import Wishes, WishReader
from matching.models import Subscription
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema

ROWS_AT_ONCE = 2_000
COUNTED_EVERY = timedelta(days=1)
SHOWN_FOR = timedelta(days=31)
# Somebody else may have gone on where a count was left lying; it is of no use when it is old.
LEFT_LYING = timedelta(hours=1)
_log = structlog.get_logger(__name__)


def is_due(*, now: datetime) -> bool:
    row = Demand.objects.filter(pk=1).only("counted_at").first()
    return row is None or row.counted_at <= now - COUNTED_EVERY


def shown(*, now: datetime) -> Demand | None:
    """The publication, if there is one that may still be shown."""
    return Demand.objects.filter(pk=1, published_at__gt=now - SHOWN_FOR).first()


class DemandCount:
    """One count of all people, a slice at a time. O(searches) time, O(cells) memory.

    A million searches of 200,000 people take 46 s of a processor and 26 MB (`benchmarks/demand.py`).
    """

    def __init__(self, *, now: datetime) -> None:
        self.began_at = now
        self.tally_reader = WishReader(current_schema())
        self.tally = Tally(self.tally_reader)
        self._up_to = Subscription.objects.aggregate(last=Max("pk"))["last"] or 0
        self._published_up_to = _up_to()
        self._newcomers: set[int] = set()
        gone = User.objects.filter(Q(is_active=False) | Q(deleted_at__isnull=False))
        self._gone = set(gone.values_list("pk", flat=True))
        self._last_owner = 0

    def is_stale(self, *, now: datetime) -> bool:
        return now - self.began_at > LEFT_LYING

    def go_on(self, *, clock: Callable[[], float], seconds: float = float("inf")) -> bool:
        """Count for about so many seconds; whether all people are counted."""
        deadline = clock() + seconds
        while (end := self._next_end()) is not None:
            self._count(self._alive().filter(owner_id__gt=self._last_owner, owner_id__lte=end))
            self._last_owner = end
            if clock() > deadline:
                return False
        return True

    def publish(self) -> bool:
        """Whether this count took the place of the last publication. To be called once all are counted."""
        document = publication.published(self.tally, self.tally_reader, margin=secret_margin)
        with transaction.atomic():
            row, _is_new = Demand.objects.select_for_update().get_or_create(
                pk=1, defaults={"counted_at": self.began_at}
            )
            row.counted_at = self.began_at
            may_replace = row.up_to == self._published_up_to and self._is_told_apart(row)
            if may_replace:
                row.published_at, row.up_to, row.document = self.began_at, self._up_to, document
            row.save()
            failpoints.at_commit("demand")
        return may_replace

    def _is_told_apart(self, row: Demand) -> bool:
        """An empty publication tells of nobody, so anything may follow it."""
        return publication.is_empty(row.document) or len(self._newcomers) >= FEWEST

    def _alive(self) -> QuerySet[Subscription]:
        unexpired = Q(expires_at=None) | Q(expires_at__gt=self.began_at)
        return Subscription.objects.filter(unexpired, state__in=MATCHED_STATES)

    def _next_end(self) -> int | None:
        """The owner with whom the next rows end: about `ROWS_AT_ONCE`, and always all of an owner."""
        following = Subscription.objects.filter(owner_id__gt=self._last_owner).order_by("owner_id")
        owners = following.values_list("owner_id", flat=True)
        at_once: int | None = owners[ROWS_AT_ONCE - 1 : ROWS_AT_ONCE].first()
        return following.aggregate(last=Max("owner_id"))["last"] if at_once is None else at_once

    def _count(self, rows: QuerySet[Subscription]) -> None:
        for owner, searches in _by_owner(rows):
            if owner in self._gone:
                continue
            wishes = Wishes()
            for number, compiled in searches:
                self.tally_reader.read(compiled, wishes)
                if number > self._published_up_to and len(self._newcomers) < FEWEST:
                    self._newcomers.add(owner)
            self.tally.add(wishes)


class DemandKeeper:
    """Of a worker: counts once a day, in slices, and begins anew where a count was left lying."""

    def __init__(self) -> None:
        self._count: DemandCount | None = None

    def tend(self, *, now: datetime, clock: Callable[[], float], seconds: float) -> bool:
        """Go on for about so many seconds; whether there is nothing more to do today."""
        if self._count is None or self._count.is_stale(now=now):
            self._count = None
            if not is_due(now=now):
                return True
            self._count = DemandCount(now=now)
        if not self._count.go_on(clock=clock, seconds=seconds):
            return False
        is_new = self._count.publish()
        _log.info("demand_counted", people=self._count.tally.people, is_new=is_new)
        self._count = None
        return True


def secret_margin(cell: str) -> int:
    """Of a cell, the same at all times, and nothing that somebody without our key could know."""
    digest = salted_hmac("matching.demand", cell, algorithm="sha256").digest()
    return int.from_bytes(digest[:8]) % MARGINS


def _by_owner(rows: QuerySet[Subscription]) -> Iterator[tuple[int, list[tuple[int, Any]]]]:
    owner = 0
    searches: list[tuple[int, Any]] = []
    for number, each, compiled in rows.order_by("owner_id").values_list("pk", "owner_id", "compiled"):
        if each != owner and searches:
            yield owner, searches
            searches = []
        owner = each
        searches.append((number, compiled))
    if searches:
        yield owner, searches


def _up_to() -> int:
    return Demand.objects.filter(pk=1).values_list("up_to", flat=True).first() or 0
