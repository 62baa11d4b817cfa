"""A matcher that follows the subscriptions in the database by the log of their changes.

It knows the number of the last change it has applied. Caught up before an event is matched, it holds every
subscription that was acknowledged before the event was accepted, and none that was removed before.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from matching import registry
from matching.algorithms.columns import SubscriptionColumns
from matching.models import ChangeCounter, Subscription, SubscriptionChange
from matching.services import MATCHED_STATES
from matching.stored import StoredSubscription, restored
from schema_registry.core.events import Event
from schema_registry.selectors import current_schema

_ROWS_AT_ONCE = 20_000


class LiveMatcher:
    """Starting costs O(subscriptions), catching up O(changes since)."""

    def __init__(self, name: str) -> None:
        self._matcher = registry.create(name, current_schema())
        self._expires_at: dict[int, datetime] = {}
        self._present: set[int] = set()
        self.sequence = self._load()

    def __len__(self) -> int:
        return len(self._matcher)

    def catch_up(self) -> int:
        """Apply the changes that were committed since; how many there were."""
        changes = list(SubscriptionChange.objects.filter(sequence__gt=self.sequence).order_by("sequence"))
        if changes:
            schema = current_schema()
            for change in changes:
                if change.is_matched:
                    assert change.compiled is not None
                    self._put(change.subscription_id, restored(change.compiled, schema), change.expires_at)
                else:
                    self._drop(change.subscription_id)
            self.sequence = changes[-1].sequence
        return len(changes)

    def match(self, event: Event, *, accepted_at: datetime) -> list[int]:
        """The subscriptions that the event matches, less those that had expired when it was accepted."""
        return [
            number
            for number in self._matcher.match_ids(event).tolist()
            if (expiry := self._expires_at.get(number)) is None or accepted_at < expiry
        ]

    def _load(self) -> int:
        """All there are now. What changes while we read comes again with the log, and is applied then."""
        with transaction.atomic():
            last = ChangeCounter.objects.values_list("last", flat=True).first() or 0
            schema = current_schema()
            rows = Subscription.objects.filter(state__in=MATCHED_STATES).order_by("pk")
            fields = rows.values_list("pk", "compiled", "expires_at")
            batch: list[tuple[int, StoredSubscription]] = []
            for number, document, expires_at in fields.iterator(chunk_size=_ROWS_AT_ONCE):
                batch.append((number, restored(document, schema)))
                self._note(number, expires_at)
                if len(batch) == _ROWS_AT_ONCE:
                    self._load_batch(batch)
                    batch = []
            self._load_batch(batch)
        return last

    def _load_batch(self, batch: Iterable[tuple[int, StoredSubscription]]) -> None:
        self._matcher.load(SubscriptionColumns.of(batch))

    def _put(self, number: int, subscription: StoredSubscription, expires_at: datetime | None) -> None:
        self._matcher.add(number, subscription)
        self._note(number, expires_at)

    def _drop(self, number: int) -> None:
        if number in self._present:
            self._matcher.remove(number)
            self._present.discard(number)
            self._expires_at.pop(number, None)

    def _note(self, number: int, expires_at: datetime | None) -> None:
        self._present.add(number)
        if expires_at is None:
            self._expires_at.pop(number, None)
        else:
            self._expires_at[number] = expires_at
