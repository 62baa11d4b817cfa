"""A life of the whole service, as hypothesis makes it up, held against the model after every step."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from matching import change_log, expiring, parked, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.models import Announcement, MatchWork, PublishedEvent, Subscription
from matching.revisions import ChangedBody
from matching.validity import expiry
from notifications import channels, terms
from notifications.core.policy import Frequency, Revisions
from notifications.models import Channel, Delivery
from schema_registry import services as schema_services
from schema_registry.core.errors import InvalidEvent, SubscriptionError
from schema_registry.language import parse
from schema_registry.selectors import current_schema
from tests.faults.boundaries.places import named
from tests.integration.lots import BY_STAFF
from tests.stress.service_checks import CheckedLife, chosen
from tests.stress.service_model import Item, Refused, Version

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
BROAD = ("price exists", "price < 3", "price >= 3", "not price = 2", "title contains oak")
NAMES = ("a", "b", "c")
MOST_ROUNDS = 80


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


class ServiceMachine(CheckedLife):
    # --- nearly all of what chance makes up would match nothing, so that every life begins with something

    @initialize(
        each=st.lists(st.sampled_from(BROAD), min_size=2, max_size=4), revisions=st.sampled_from(Revisions)
    )
    def people_look_for_what_there_is(self, each: list[str], revisions: Revisions) -> None:
        for reader, text in enumerate(each):
            self.subscribe(reader, text, None, Frequency.AT_ONCE, revisions, None)

    @initialize(prices=st.lists(st.integers(0, 6), min_size=1, max_size=3))
    def items_are_published(self, prices: list[int]) -> None:
        for name, price in zip(NAMES, prices, strict=False):
            self.publish(name, {"price": [price], "title": "oak table"}, None, None, None)

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
        with self.dying_at(place):
            made = services.subscribe(owner, text, now=self.now, valid_days=days).subscription
        if self.service.died_at:
            assert Subscription.objects.count() == before
            return
        terms.choose(made, frequency=frequency, revisions=revisions)
        self.model.subscribed(made.pk, owner.pk, Version(parsed, "active", expiry(self.now, days)))

    @precondition(lambda self: self.there())
    @rule(which=numbers, text=st.sampled_from(TEXTS), place=places("subscriptions"))
    def edit(self, which: int, text: str, place: Any) -> None:
        row = self.search(which)
        try:
            parsed = parse(text, current_schema())
        except SubscriptionError:
            with pytest.raises(SubscriptionError):
                services.change(row, now=self.now, text=text)
            return
        with self.dying_at(place):
            services.change(row, now=self.now, text=text)
        if not self.service.died_at:
            self.model.changed(row.pk, parsed=parsed)

    @precondition(lambda self: self.there())
    @rule(which=numbers, state=st.sampled_from(["active", "paused", "muted"]), place=places("subscriptions"))
    def pause_or_mute_or_resume(self, which: int, state: str, place: Any) -> None:
        row = self.search(which)
        if self.model.searches[row.pk].is_over(self.now):
            with pytest.raises(services.AlreadyExpired):
                services.change(row, now=self.now, state=services.State(state))
            return
        with self.dying_at(place):
            services.change(row, now=self.now, state=services.State(state))
        if not self.service.died_at:
            self.model.changed(row.pk, state=state)

    @precondition(lambda self: self.there())
    @rule(which=numbers, days=st.sampled_from([None, 1, 30]), place=places("subscriptions"))
    def renew(self, which: int, days: int | None, place: Any) -> None:
        row = self.search(which)
        with self.dying_at(place):
            services.renew(row, now=self.now, valid_days=days)
        if not self.service.died_at:
            self.model.renewed(row.pk, now=self.now, expires_at=expiry(self.now, days))

    @precondition(lambda self: self.there())
    @rule(which=numbers, place=places("subscriptions"))
    def unsubscribe(self, which: int, place: Any) -> None:
        row = self.search(which)
        with self.dying_at(place):
            services.unsubscribe(row)
        if not self.service.died_at:
            self.state_before[row.pk] = self.model.searches[row.pk].state
            self.model.changed(row.pk, state="removed")

    @precondition(lambda self: self.state_before)
    @rule(which=numbers, place=places("subscriptions"))
    def restore(self, which: int, place: Any) -> None:
        number = chosen(sorted(self.state_before), which)
        with self.dying_at(place):
            services.restore(number, owner=Subscription.objects.get(pk=number).owner)
        if not self.service.died_at:
            self.model.changed(number, state=self.state_before.pop(number))

    @rule(place=places("subscriptions"))
    def let_go_of_what_has_expired(self, place: Any) -> None:
        with self.dying_at(place):
            expiring.expire(now=self.now)

    # --- events

    @rule(
        name=st.sampled_from(NAMES),
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
        with self.dying_at(place):
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
        number = chosen(sorted(self.model.items), which)
        with self.dying_at(place):
            services.withdraw(PublishedEvent.objects.get(pk=number))
        if not self.service.died_at:
            self.model.items[number].state = "withdrawn"

    @precondition(lambda self: self.in_state("parked"))
    @rule(which=numbers, place=places("retry"))
    def try_a_parked_one_again(self, which: int, place: Any) -> None:
        number = chosen(self.in_state("parked"), which)
        with self.dying_at(place):
            parked.retry(PublishedEvent.objects.get(pk=number))
        if not self.service.died_at:
            self.model.tried_again(number, now=self.now)

    # --- workers

    @rule(place=places("match", "park"))
    def drain(self, place: Any) -> None:
        with self.dying_at(place):
            self.service.drain()
        waiting = self.in_state("accepted")
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
        with self.dying_at(place):
            self.service.keep()

    @rule(place=places("cut-log"))
    def cut_the_log(self, place: Any) -> None:
        with self.dying_at(place):
            change_log.cut(now=self.now)

    @rule(place=places("plan", "plan-part"))
    def plan(self, place: Any) -> None:
        with self.dying_at(place):
            self.service.plan()
        if self.service.died_at:
            return
        waiting = set(Announcement.objects.values_list("event", "leased_until"))
        assert all(until is not None and until >= self.now for _event, until in waiting)
        announced = set(self.in_state("matched")) - {event for event, _until in waiting} - self.planned
        self.planned |= announced
        self.note_what_is_to_tell(announced)

    @rule(place=places("deliver", "fail", "drop", "give-back", "give-up"))
    def deliver(self, place: Any) -> None:
        before = len(self.service.wire.receipts)
        with self.dying_at(place):
            self.service.deliver()
        if self.service.died_at in ("deliver.after-send", "deliver.before-commit"):
            self.sent_by_the_dead |= {each.wire_id for each in self.service.wire.receipts[before:][-1:]}

    @rule(seconds=st.sampled_from([1, 11, 31, 700, 3_600, 40_000, 90_000]))
    def let_time_pass(self, seconds: int) -> None:
        self.service.clock.now += timedelta(seconds=seconds)

    @rule(which=numbers, is_down=st.booleans())
    def a_receiver_fails_or_is_well_again(self, which: int, is_down: bool) -> None:
        channel = chosen(sorted(Channel.objects.values_list("pk", flat=True)), which)
        (self.service.wire.failing.add if is_down else self.service.wire.failing.discard)(channel)

    @rule()
    def come_to_rest(self) -> None:
        """Nothing was lost, whatever happened before."""
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
        self.check_that_all_is_told()
