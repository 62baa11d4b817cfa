"""A matcher that follows the subscriptions in the database by the log of their changes.

It knows the number of the last change it has applied. Caught up before an event is matched, it holds every
subscription that was acknowledged before the event was accepted, and none that was removed before.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from matching import registry
from matching.algorithms.columns import SubscriptionColumns
from matching.change_log import MATCHED_STATES
from matching.models import ChangeCounter, Subscription, SubscriptionChange
from matching.stored import Compiled, restored
from schema_registry.core.events import Event
from schema_registry.selectors import current_schema

_ROWS_AT_ONCE = 200_000
# What is loaded at once gets an index of its own, which every event then goes through: not for a few.
_WORTH_LOADING = 2_000
_FEW_CHANGES = 20_000  # after which starting anew is no question


def last_change() -> int:
    """The number of the last change of a subscription that was committed."""
    return ChangeCounter.objects.values_list("last", flat=True).first() or 0


class LiveMatcher:
    """Starting costs O(subscriptions), catching up O(changes since)."""

    def __init__(self, name: str) -> None:
        self._matcher = registry.create(name, current_schema())
        self._expires_at: dict[int, datetime] = {}
        self._changes = 0
        self.sequence = last_change()
        self._load()

    def __len__(self) -> int:
        return len(self._matcher)

    def behind(self) -> int:
        """How many changes were committed that it does not know; below 0 after the database was restored."""
        return last_change() - self.sequence

    def catch_up(self) -> int:
        """Apply the changes that were committed since; how many there were."""
        applied = 0
        while changes := self._next_changes():
            latest = {change.subscription_id: change for change in changes}
            self._drop(number for number, change in latest.items() if not change.is_matched)
            self._take(
                [
                    (number, change.compiled, change.expires_at)
                    for number, change in latest.items()
                    if change.is_matched and change.compiled is not None
                ]
            )
            self.sequence = changes[-1].sequence
            applied += len(changes)
        self._changes += applied
        return applied

    def is_worn(self) -> bool:
        """Whether a new one should take its place: after a restore, or more changes than subscriptions.

        What is removed leaves its place behind, and what is added one by one is found more slowly.
        Starting anew then costs O(1) a change in the long run.
        """
        return self.behind() < 0 or self._changes > max(_FEW_CHANGES, len(self))

    def match_many(self, events: Sequence[tuple[Event, datetime]]) -> list[list[int]]:
        """For each event, accepted at that moment, the subscriptions it matches, less those expired then."""
        offsets, ids = self._matcher.match_ids_many(event for event, _ in events)
        runs = pairwise(offsets.tolist())
        return [
            self._alive(ids[first:last].tolist(), accepted_at)
            for (first, last), (_, accepted_at) in zip(runs, events, strict=True)
        ]

    def match(self, event: Event, *, accepted_at: datetime) -> list[int]:
        return self.match_many([(event, accepted_at)])[0]

    def _load(self) -> None:
        """All there are now. What changes while we read comes again with the log, and is applied then.

        No transaction: it would keep others from writing to SQLite for as long as it takes.
        """
        alive = Subscription.objects.filter(state__in=MATCHED_STATES).order_by("pk")
        fields = alive.values_list("pk", "compiled", "expires_at")
        last = 0
        while rows := list(fields.filter(pk__gt=last)[:_ROWS_AT_ONCE]):
            self._take(rows)
            last = rows[-1][0]

    def _next_changes(self) -> list[SubscriptionChange]:
        changes = SubscriptionChange.objects.filter(sequence__gt=self.sequence).order_by("sequence")
        return list(changes[:_ROWS_AT_ONCE])

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
            if expires_at is None:
                self._expires_at.pop(number, None)
            else:
                self._expires_at[number] = expires_at

    def _drop(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number in self._matcher:
                self._matcher.remove(number)
            self._expires_at.pop(number, None)

    def _alive(self, numbers: Iterable[int], moment: datetime) -> list[int]:
        return [
            number
            for number in numbers
            if (expiry := self._expires_at.get(number)) is None or moment < expiry
        ]
