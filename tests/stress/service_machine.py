"""A life of the whole service, as hypothesis makes it up, held against the model after every step."""

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from matching import change_log, expiring, parked, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.models import Announcement, Match, MatchWork, PublishedEvent, Subscription
from matching.revisions import ChangedBody
from matching.validity import expiry
from notifications import channels, terms
from notifications.core.policy import Frequency, Revisions
from notifications.models import Channel, Delivery, Entry
from schema_registry import services as schema_services
from schema_registry.accounts.models import Publisher, User
from schema_registry.core.errors import InvalidEvent, SubscriptionError
from schema_registry.language import parse
from schema_registry.selectors import current_schema
from tests.faults.boundaries.places import named
from tests.integration.lots import BY_STAFF
from tests.stress.service import Service
from tests.stress.service_model import Item, Model, Refused, Version

EXTRA = ("weight", "height")
TEXTS = (
    *(
        "price exists",
        "price < 3",
        "price >= 3",
        "price in (1, 5)",
        "not price = 2",
        "price > 1 and price < 4",
    ),
    *("title contains oak", "title contains 'oak table' or price = 0", "not title exists"),
    *("weight < 3", "price > 2 or height = 1", "not weight exists and price < 5"),
    *("price <", "prise < 3", "price < 1 and price > 2"),
)
MOST_ROUNDS = 80
deaths: Counter[str] = Counter()
arrived: Counter[str] = Counter()


def places(*steps: str) -> st.SearchStrategy[str | None]:
    """Mostly nobody dies."""
    there = sorted({place for place in named() if place.partition(".")[0] in steps})
    return st.none() | st.none() | st.sampled_from(there)


numbers = st.integers(0, 99)
bodies = st.fixed_dictionaries(
    {"price": st.lists(st.integers(0, 6), max_size=2, unique=True).map(sorted)},
    optional={
        "title": st.sampled_from(["oak table", "elm chair", "oak"]),
        "weight": st.integers(0, 5),
        "height": st.integers(0, 2),
        "prise": st.just(1),
    },
)


class ServiceMachine(RuleBasedStateMachine):
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
        self.service.__exit__()
        transaction.set_rollback(True)
        self._transaction.__exit__(None, None, None)
        self._folder.cleanup()

    @property
    def now(self) -> Any:
        return self.service.clock.now

    # --- the schema, and searches

    @rule(name=st.sampled_from(EXTRA))
    def extend_the_schema(self, name: str) -> None:
        if name not in current_schema().attributes:
            schema_services.create_attribute(BY_STAFF, name, "money")
            schema_services.extend_event_type(BY_STAFF, "lot", name)

    @rule(
        reader=numbers,
        text=st.sampled_from(TEXTS),
        days=st.sampled_from([None, None, 1, 30]),
        frequency=st.sampled_from([Frequency.AT_ONCE, Frequency.AT_ONCE, *Frequency]),
        revisions=st.sampled_from(Revisions),
        place=places("subscriptions"),
    )
    def subscribe(
        self, reader: int, text: str, days: int | None, frequency: Frequency, revisions: Revisions, place: Any
    ) -> None:
        owner = self.readers[reader % len(self.readers)]
        before = Subscription.objects.count()
        try:
            parsed = parse(text, current_schema())
        except SubscriptionError:
            with pytest.raises(SubscriptionError):
                services.subscribe(owner, text, now=self.now)
            assert Subscription.objects.count() == before
            return
        with self._dying_at(place):
            made = services.subscribe(owner, text, now=self.now, valid_days=days).subscription
        if self.service.died_at:
            assert Subscription.objects.count() == before
            return
        terms.choose(made, frequency=frequency, revisions=revisions)
        self.model.subscribed(made.pk, owner.pk, Version(parsed, "active", expiry(self.now, days)))

    @precondition(lambda self: self._there())
    @rule(which=numbers, text=st.sampled_from(TEXTS), place=places("subscriptions"))
    def edit(self, which: int, text: str, place: Any) -> None:
        row = self._search(which)
        try:
            parsed = parse(text, current_schema())
        except SubscriptionError:
            with pytest.raises(SubscriptionError):
                services.change(row, now=self.now, text=text)
            return
        with self._dying_at(place):
            services.change(row, now=self.now, text=text)
        if not self.service.died_at:
            self.model.changed(row.pk, parsed=parsed)

    @precondition(lambda self: self._there())
    @rule(which=numbers, state=st.sampled_from(["active", "paused", "muted"]), place=places("subscriptions"))
    def pause_or_mute_or_resume(self, which: int, state: str, place: Any) -> None:
        row = self._search(which)
        if self.model.searches[row.pk].is_over(self.now):
            with pytest.raises(services.AlreadyExpired):
                services.change(row, now=self.now, state=services.State(state))
            return
        with self._dying_at(place):
            services.change(row, now=self.now, state=services.State(state))
        if not self.service.died_at:
            self.model.changed(row.pk, state=state)

    @precondition(lambda self: self._there())
    @rule(which=numbers, days=st.sampled_from([None, 1, 30]), place=places("subscriptions"))
    def renew(self, which: int, days: int | None, place: Any) -> None:
        row = self._search(which)
        with self._dying_at(place):
            services.renew(row, now=self.now, valid_days=days)
        if not self.service.died_at:
            self.model.renewed(row.pk, now=self.now, expires_at=expiry(self.now, days))

    @precondition(lambda self: self._there())
    @rule(which=numbers, place=places("subscriptions"))
    def unsubscribe(self, which: int, place: Any) -> None:
        row = self._search(which)
        with self._dying_at(place):
            services.unsubscribe(row)
        if not self.service.died_at:
            self.state_before[row.pk] = self.model.searches[row.pk].state
            self.model.changed(row.pk, state="removed")

    @precondition(lambda self: self.state_before)
    @rule(which=numbers, place=places("subscriptions"))
    def restore(self, which: int, place: Any) -> None:
        number = _chosen(sorted(self.state_before), which)
        with self._dying_at(place):
            services.restore(number, owner=Subscription.objects.get(pk=number).owner)
        if not self.service.died_at:
            self.model.changed(number, state=self.state_before.pop(number))

    @rule(place=places("subscriptions"))
    def let_go_of_what_has_expired(self, place: Any) -> None:
        with self._dying_at(place):
            expiring.expire(now=self.now)

    # --- events

    @rule(
        name=st.sampled_from(["a", "b", "c"]),
        body=bodies,
        revision=st.sampled_from([None, None, None, 1, 2, 3]),
        key=st.sampled_from([None, None, None, "k", "l"]),
        place=places("publish"),
    )
    def publish(
        self, name: str, body: dict[str, Any], revision: int | None, key: str | None, place: Any
    ) -> None:
        schema = current_schema()
        document = {"event_type": ["lot"], **body}
        envelope = read_envelope({"external_id": name, "event": document, "revision": revision})
        try:
            event = schema.validate(document)
        except InvalidEvent:
            with pytest.raises(InvalidEvent):
                checked(self.house, envelope, schema)
            return
        ready = checked(self.house, envelope, schema)
        said = json.dumps(body, sort_keys=True)
        try:
            expected, number = self.model.revision(name, said, revision=revision, key=key)
        except Refused:
            with pytest.raises(ChangedBody):
                publish(self.house, ready, now=self.now, idempotency_key=key)
            return
        with self._dying_at(place):
            taken = publish(self.house, ready, now=self.now, idempotency_key=key)
        if self.service.died_at:  # who got no answer sends it again
            taken = publish(self.house, ready, now=self.now, idempotency_key=key)
        is_stored_before = number or self.service.died_at == "publish.after-commit"
        assert taken.is_repeat == bool(is_stored_before)
        assert number in (0, taken.number)
        if not number:
            item = Item(name, expected, said, event, self.now, {})
            self.model.accepted(taken.number, item)
        if key is not None:
            self.model.keys[key] = taken.number

    @precondition(lambda self: self.model.items)
    @rule(which=numbers, place=places("withdraw"))
    def withdraw(self, which: int, place: Any) -> None:
        number = _chosen(sorted(self.model.items), which)
        with self._dying_at(place):
            services.withdraw(PublishedEvent.objects.get(pk=number))
        if not self.service.died_at:
            self.model.items[number].state = "withdrawn"

    @precondition(lambda self: self._in_state("parked"))
    @rule(which=numbers, place=places("retry"))
    def try_a_parked_one_again(self, which: int, place: Any) -> None:
        number = _chosen(self._in_state("parked"), which)
        with self._dying_at(place):
            parked.retry(PublishedEvent.objects.get(pk=number))
        if not self.service.died_at:
            self.model.tried_again(number, now=self.now)

    # --- workers

    @rule(place=places("match", "park"))
    def drain(self, place: Any) -> None:
        with self._dying_at(place):
            self.service.drain()
        waiting = self._in_state("accepted")
        states = dict(PublishedEvent.objects.filter(pk__in=waiting).values_list("pk", "state"))
        for number in waiting:
            item = self.model.items[number]
            item.deaths += self.service.died_at is not None
            item.state = states[number]
            if item.state == "matched":
                item.disturbed.clear()  # what changed before cannot silence it any more
            assert item.state != "parked" or item.deaths >= 5
        if not self.service.died_at:
            assert not MatchWork.objects.exclude(leased_until__gte=self.now).exists(), "it waits for nobody"

    @rule(place=places("snapshot", "merge"))
    def keep_the_matcher(self, place: Any) -> None:
        with self._dying_at(place):
            self.service.keep()

    @rule(place=places("cut-log"))
    def cut_the_log(self, place: Any) -> None:
        with self._dying_at(place):
            change_log.cut(now=self.now)

    @rule(place=places("plan", "plan-part"))
    def plan(self, place: Any) -> None:
        with self._dying_at(place):
            self.service.plan()
        if self.service.died_at:
            return
        waiting = set(Announcement.objects.values_list("event", "leased_until"))
        assert all(until is not None and until >= self.now for _event, until in waiting)
        announced = set(self._in_state("matched")) - {event for event, _until in waiting} - self.planned
        self.planned |= announced
        self._note_what_is_to_tell(announced)

    @rule(place=places("deliver", "fail", "drop", "give-back", "give-up"))
    def deliver(self, place: Any) -> None:
        before = len(self.service.wire.receipts)
        with self._dying_at(place):
            self.service.deliver()
        if self.service.died_at in ("deliver.after-send", "deliver.before-commit"):
            self.sent_by_the_dead |= {each.wire_id for each in self.service.wire.receipts[before:][-1:]}

    @rule(seconds=st.sampled_from([1, 11, 31, 700, 3_600, 40_000, 90_000]))
    def let_time_pass(self, seconds: int) -> None:
        self.service.clock.now += timedelta(seconds=seconds)

    @rule(which=numbers, is_down=st.booleans())
    def a_receiver_fails_or_is_well_again(self, which: int, is_down: bool) -> None:
        channel = _chosen(sorted(Channel.objects.values_list("pk", flat=True)), which)
        (self.service.wire.failing.add if is_down else self.service.wire.failing.discard)(channel)

    @rule()
    def come_to_rest(self) -> None:
        """Everybody is well again, and works until nothing is left to do: nothing was lost."""
        self.service.wire.failing.clear()
        for channel in Channel.objects.filter(state=Channel.State.DISABLED):
            channels.enable(channel.pk, now=self.now)
        for turn in range(MOST_ROUNDS):
            self.drain(None)
            self.plan(None)
            self.deliver(None)
            waiting = Delivery.objects.filter(state=Delivery.State.WAITING)
            following = waiting.order_by("next_attempt_at").values_list("next_attempt_at", flat=True).first()
            if following is None and not (MatchWork.objects.exists() or Announcement.objects.exists()):
                break
            a_while = self.now + timedelta(seconds=min(11 * 2**turn, 4_000))  # a lease, or a receiver's rest
            due = (following or a_while) + timedelta(seconds=1)
            self.service.clock.now = max(a_while, due).replace(microsecond=0)
        else:
            pytest.fail(f"It does not come to rest: {list(Delivery.objects.values())}")
        self._check_that_all_is_told()

    # --- what must be so at all times

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
        entries = Entry.objects.values_list("match__event", "channel", "delivery").distinct()
        by_message = Counter((event, channel) for event, channel, _delivery in entries)
        assert all(times == 1 for times in by_message.values())
        receipts = self.service.wire.receipts
        for wire_id, times in Counter(each.wire_id for each in receipts).items():
            assert times == 1 or wire_id in self.sent_by_the_dead, f"{wire_id} arrived {times} times"
        told = {(each.channel, pair, each.wire_id) for each in receipts for pair in each.told}
        assert len(told) == len({(channel, pair) for channel, pair, _ in told})

    # --- helpers of the above

    @contextmanager
    def _dying_at(self, place: str | None) -> Iterator[None]:
        with self.service.dying_at(place):
            yield
        if self.service.died_at is not None:
            deaths[self.service.died_at] += 1

    def _there(self) -> list[int]:
        return sorted(n for n, version in self.model.searches.items() if version.state != "removed")

    def _search(self, which: int) -> Subscription:
        return Subscription.objects.get(pk=_chosen(self._there(), which))

    def _in_state(self, state: str) -> list[int]:
        return sorted(number for number, item in self.model.items.items() if item.state == state)

    def _told(self) -> set[tuple[int, int, int]]:
        receipts = self.service.wire.receipts
        return {(event, search, each.channel) for each in receipts for event, search in each.told}

    def _note_what_is_to_tell(self, events: set[int]) -> None:
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
                if owner != row.owner_id or row.subscription_id in item.disturbed:
                    continue
                if self.model.searches[row.subscription_id].state == "muted":
                    continue
                if was_told and row.subscription.terms.revisions != Revisions.ALWAYS:
                    continue
                needed = (row.event_id, row.subscription_id, channel)
                assert needed in entries, f"{needed} is not planned"
                self.to_tell.add(needed)

    def _check_that_all_is_told(self) -> None:
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
            is_silent = search in item.disturbed or version.is_over(self.now)
            assert is_gone or is_silent, f"{(event, search, channel)} was never told"


def _chosen(among: Sequence[int], which: int) -> int:
    return among[which % len(among)]
