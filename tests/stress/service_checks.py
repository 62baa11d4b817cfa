"""What must be so after every step of a life, whatever was done: rows and messages against the model."""

import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.db import transaction
from hypothesis.stateful import RuleBasedStateMachine, invariant

from matching.models import Match, PublishedEvent, Subscription
from notifications.core.policy import Revisions
from notifications.models import Channel, Delivery, Entry
from schema_registry.accounts.models import Publisher, User
from tests.stress.service import Service
from tests.stress.service_model import Model

drawn: set[str] = set()  # where somebody may die
deaths: Counter[str] = Counter()
arrived: Counter[str] = Counter()


class CheckedLife(RuleBasedStateMachine):
    """One on a service and a database of its own, which is gone afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self._transaction = transaction.atomic()
        self._transaction.__enter__()
        self._folder = tempfile.TemporaryDirectory(prefix="lesubscribe-life-")
        self.service = Service(Path(self._folder.name) / "snapshots").__enter__()
        self.model = Model()
        self.readers = list(User.objects.filter(channels__isnull=False).distinct().order_by("pk"))
        self.house = Publisher.objects.get()
        self.state_before: dict[int, str] = {}
        self.planned: set[int] = set()
        self.to_tell: set[tuple[int, int, int]] = set()  # event, search, channel
        self.sent_by_the_dead: set[str] = set()

    def teardown(self) -> None:
        """A life that went well so far also has to end well."""
        try:
            if sys.exc_info()[0] is None:
                self.come_to_rest()
        finally:
            self.service.__exit__()
            transaction.set_rollback(True)
            self._transaction.__exit__(None, None, None)
            self._folder.cleanup()

    def come_to_rest(self) -> None:
        """Everybody is well again, and works until nothing is left to do."""
        raise NotImplementedError

    @property
    def now(self) -> datetime:
        return self.service.clock.now

    @invariant()
    def events_are_those_that_were_acknowledged(self) -> None:
        states = dict(PublishedEvent.objects.values_list("pk", "state"))
        assert states == {number: item.state for number, item in self.model.items.items()}

    @invariant()
    def matches_are_those_that_must_be_and_none_that_must_not(self) -> None:
        rows = defaultdict(list)
        for event, search in Match.objects.values_list("event_id", "subscription_id"):
            rows[event].append(search)
        counts = dict(PublishedEvent.objects.values_list("pk", "match_count"))
        for number, item in self.model.items.items():
            found = set(rows[number])
            assert len(found) == len(rows[number])
            assert found <= item.may(), f"event {number} matches {found - item.may()}"
            if item.state == "matched":
                assert item.must() <= found, f"event {number} lacks {item.must() - found}"
                assert counts[number] == len(found)

    @invariant()
    def an_item_is_told_on_a_channel_by_one_message(self) -> None:
        entries = Entry.objects.values_list("match__event", "match__subscription", "channel", "delivery")
        messages, planned = defaultdict(set), set()
        for event, search, channel, delivery in entries:
            planned.add((event, search, channel))
            messages[event, channel].add(delivery)
        assert self.to_tell <= planned, f"{self.to_tell - planned} is not planned any more"
        twice = {where: times for where, times in messages.items() if len(times) > 1}
        assert twice == {}, f"{twice} (by event and channel)"
        receipts = self.service.wire.receipts
        for wire_id, times in Counter(each.wire_id for each in receipts).items():
            assert times == 1 or wire_id in self.sent_by_the_dead, f"{wire_id} arrived {times} times"
        told = {(each.channel, pair, each.wire_id) for each in receipts for pair in each.told}
        assert len(told) == len({(channel, pair) for channel, pair, _ in told})

    @contextmanager
    def dying_at(self, place: str | None) -> Iterator[None]:
        with self.service.dying_at(place):
            yield
        if self.service.died_at is not None:
            deaths[self.service.died_at] += 1

    @property
    def is_undone(self) -> bool:
        """Whether the last step died before its commit. Right behind it all is done, and only nobody told."""
        place = self.service.died_at
        return place is not None and not place.endswith(".after-commit")

    def there(self) -> list[int]:
        return sorted(n for n, version in self.model.searches.items() if version.state != "removed")

    def search(self, which: int) -> Subscription:
        return Subscription.objects.get(pk=chosen(self.there(), which))

    def in_state(self, state: str) -> list[int]:
        return sorted(number for number, item in self.model.items.items() if item.state == state)

    def _told(self) -> set[tuple[int, int, int]]:
        receipts = self.service.wire.receipts
        return {(event, search, each.channel) for each in receipts for event, search in each.told}

    def note_what_is_to_tell(self, events: set[int]) -> None:
        """Each match that was planned for just now is in a message to each channel, unless it is muted, or
        an earlier revision of its item was told there: then its terms decide."""
        active = Channel.objects.filter(state=Channel.State.ACTIVE).values_list("pk", "owner")
        told = self._told()
        entries = set(Entry.objects.values_list("match__event", "match__subscription", "channel"))
        rows = Match.objects.filter(event__in=events).select_related("subscription__terms")
        for row in rows:
            item = self.model.items[row.event_id]
            earlier = {n for n, other in self.model.items.items() if other.name == item.name} - {row.event_id}
            for channel, owner in active:
                was_told = any(event in earlier and on == channel for event, _search, on in told)
                if owner != row.owner_id or item.may_be_silent(row.subscription_id):
                    continue
                if was_told and row.subscription.terms.revisions != Revisions.ALWAYS:
                    continue
                needed = (row.event_id, row.subscription_id, channel)
                assert needed in entries, f"{needed} is not planned"
                self.to_tell.add(needed)

    def check_that_all_is_told(self) -> None:
        told = self._told()
        arrived["receipts"] += len(self.service.wire.receipts)
        dead = set(
            Entry.objects.filter(delivery__state=Delivery.State.DEAD).values_list(
                "match__event", "match__subscription", "channel"
            )
        )
        for event, search, channel in self.to_tell - told - dead:
            item, version = self.model.items[event], self.model.searches[search]
            is_superseded = any(
                other.name == item.name and other.revision > item.revision and other.state != "accepted"
                for other in self.model.items.values()
            )
            is_gone = item.state == "withdrawn" or is_superseded
            is_silent = item.may_be_silent(search) or version.is_over(self.now)
            assert is_gone or is_silent, f"{(event, search, channel)} was never told"


def chosen(among: Sequence[int], which: int) -> int:
    return among[which % len(among)]
