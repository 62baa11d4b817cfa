"""A matcher that follows the subscriptions in the database, or those of a shard, by the log of their changes.

It knows the number of the last change it has applied. Caught up before an event is matched, it holds every
subscription that was acknowledged before the event was accepted, and none that was removed before.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import structlog
from django.db.models import F, Model, QuerySet
from django.db.models.lookups import Exact

from matching import live_snapshots, metrics, registry
from matching.algorithms.columns import SubscriptionColumns
from matching.change_log import MATCHED_STATES, cut_up_to, last_change
from matching.expiries import Expiries
from matching.live_snapshots import Facts, OpenedSnapshot
from matching.models import Subscription, SubscriptionChange
from matching.operators.circuit import OperatorState
from matching.recent.segments import microseconds
from matching.shards import WHOLE, Shard
from matching.stored import Compiled, restored
from schema_registry.core.events import Event
from schema_registry.selectors import current_schema

if TYPE_CHECKING:
    from matching.engine.engine import Engine

_ROWS_AT_ONCE = 200_000
# What is loaded at once gets an index of its own, which every event then goes through: not for a few.
_WORTH_LOADING = 2_000
_FEW_CHANGES = 20_000  # after which starting anew is no question
_log = structlog.get_logger(__name__)
Row = TypeVar("Row", bound=Model)


class LiveMatcher:
    """Starting costs O(subscriptions), or from a snapshot hardly anything; catching up O(changes since)."""

    def __init__(self, name: str, *, snapshots: Path | None = None, shard: Shard = WHOLE) -> None:
        """`snapshots` is the folder where those of this shard are kept, of a matcher that has any."""
        self.shard = shard
        self.sequence = 0
        self.changes = 0
        """How many of its own it went through since it was made or merged."""
        self.merged_at: datetime | None = None
        self.snapshot: Facts | None = None
        """The one it was started from, or last saved as."""
        self._name = name
        self._folder = snapshots if name in live_snapshots.HAVE_SNAPSHOTS else None
        self._start()

    def __len__(self) -> int:
        return len(self._matcher)

    @property
    def engine(self) -> "Engine | None":
        """The matcher itself, if it can be merged and saved."""
        return cast("Engine", self._matcher) if self._name in live_snapshots.HAVE_SNAPSHOTS else None

    def behind(self) -> int:
        """How many changes were committed that it does not know; below 0 after the database was restored."""
        return last_change() - self.sequence

    def catch_up(self) -> int:
        """Apply the changes that were committed since; how many there were.

        If they are no longer all in the log, it starts anew.
        """
        applied = 0
        last = last_change()
        while self.sequence < last:
            changes = self._next_changes(last)
            if cut_up_to() > self.sequence:  # asked for after they were read: nothing went before that
                _log.warning("log_was_cut", reason="Changes it had still to read are gone; it starts anew.")
                self._start()
                break
            self._is_half_changed = True
            self._apply(changes)
            self._is_half_changed = False
            self.sequence = changes[-1].sequence if len(changes) == _ROWS_AT_ONCE else last
            applied += len(changes)
        self.changes += applied
        return applied

    def is_worn(self) -> bool:
        """Whether a new one should take its place: after a restore, or more changes than subscriptions, or
        when it was interrupted, as by a time limit, while it changed.

        What is removed leaves its place behind, and what is added one by one is found more slowly.
        Starting anew then costs O(1) a change in the long run. The engine mends itself by merges.
        """
        if self._is_half_changed or self.behind() < 0:
            return True
        return self.engine is None and self.changes > max(_FEW_CHANGES, len(self))

    def start_operators(self) -> None:
        """Those that subscriptions call, so that no event waits for it."""
        self._matcher.operators.start()

    def operator_states(self) -> tuple[OperatorState, ...]:
        """How the operators have done in this process, if subscriptions ever called any."""
        operators = self._matcher.operators
        return operators.evaluator.states() if operators.is_used else ()

    def match_many(self, events: Sequence[tuple[Event, datetime]]) -> list[list[int]]:
        """For each event, accepted at that moment, the subscriptions it matches, less those expired then."""
        offsets, ids = self._matcher.match_ids_many(event for event, _ in events)
        moments = np.array([microseconds(accepted_at) for _, accepted_at in events], np.int64)
        alive = self.expiries.is_alive(ids, np.repeat(moments, np.diff(offsets)))
        ends = np.concatenate(([0], np.cumsum(alive)))[offsets]
        numbers = ids[alive].tolist()
        return [numbers[first:last] for first, last in pairwise(ends.tolist())]

    def match(self, event: Event, *, accepted_at: datetime) -> list[int]:
        return self.match_many([(event, accepted_at)])[0]

    def _start(self) -> None:
        """From the snapshot if there is one that fits, else from the database."""
        self.changes, self.merged_at, self.snapshot = 0, None, None
        self._is_half_changed = False
        found = live_snapshots.opened(self._folder, self.shard) if self._folder is not None else None
        if found is None:
            metrics.STARTS.labels("database").inc()
            self._matcher = registry.create(self._name, current_schema())
            self.expiries = Expiries()
            self.sequence = last_change()
            self._load()
        else:
            metrics.STARTS.labels("snapshot").inc()
            self._take_up(found)

    def _take_up(self, found: OpenedSnapshot) -> None:
        self.snapshot = found.facts
        self.merged_at = datetime.fromisoformat(found.facts.merged_at)
        self._matcher, self.expiries = found.engine, found.expiries
        self.sequence = found.facts.sequence
        self.catch_up()

    def _load(self) -> None:
        """All there are now. What changes while we read comes again with the log, and is applied then.

        No transaction: it would keep others from writing to SQLite for as long as it takes.
        """
        alive = self._own(Subscription.objects.filter(state__in=MATCHED_STATES), number="pk")
        fields = alive.order_by("pk").values_list("pk", "compiled", "expires_at")
        last = 0
        while rows := list(fields.filter(pk__gt=last)[:_ROWS_AT_ONCE]):
            self._take(rows)
            last = rows[-1][0]

    def _next_changes(self, last: int) -> list[SubscriptionChange]:
        changes = SubscriptionChange.objects.filter(sequence__gt=self.sequence, sequence__lte=last)
        own = self._own(changes, number="subscription_id")
        return list(own.order_by("sequence")[:_ROWS_AT_ONCE])

    def _own(self, rows: QuerySet[Row], *, number: str) -> QuerySet[Row]:
        """The rows of our shard, by the field that has the number of the subscription."""
        if self.shard.is_whole:
            return rows
        return rows.filter(Exact(F(number) % self.shard.of, self.shard.number))

    def _apply(self, changes: Sequence[SubscriptionChange]) -> None:
        latest = {change.subscription_id: change for change in changes}
        self._drop(number for number, change in latest.items() if not change.is_matched)
        self._take(
            [
                (number, change.compiled, change.expires_at)
                for number, change in latest.items()
                if change.is_matched and change.compiled is not None
            ]
        )

    def _take(self, rows: Sequence[tuple[int, Compiled, datetime | None]]) -> None:
        schema = current_schema()
        subscriptions = ((number, restored(document, schema)) for number, document, _ in rows)
        if len(rows) >= _WORTH_LOADING:
            self._matcher.follow(schema)
            self._matcher.load(SubscriptionColumns.of(subscriptions))
        else:
            for number, subscription in subscriptions:
                self._matcher.add(number, subscription)
        for number, _, expires_at in rows:
            self.expiries.set(number, expires_at)

    def _drop(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number in self._matcher:
                self._matcher.remove(number)
            self.expiries.forget(number)
