"""A life of the whole service, as hypothesis makes it up, held against the model after every step."""

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from matching import expiring, services
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.models import PublishedEvent, Subscription
from matching.revisions import ChangedBody
from matching.validity import expiry
from notifications import terms
from notifications.core.policy import Frequency, Revisions
from schema_registry import services as schema_services
from schema_registry.core.errors import InvalidEvent, SubscriptionError
from schema_registry.language import parse
from schema_registry.selectors import current_schema
from tests.integration.lots import BY_STAFF
from tests.stress.service_checks import chosen
from tests.stress.service_model import Item, Refused, Version
from tests.stress.service_workers import OF_WORKERS, WorkingLife, numbers, places, places_of

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
FIRST_NAMES = (*NAMES, "d", "e", "f", "g")

bodies = st.fixed_dictionaries(
    {"price": st.lists(st.integers(0, 6), max_size=2, unique=True).map(sorted)},
    optional={
        "title": st.sampled_from(["oak table", "elm chair", "oak"]),
        "weight": st.integers(0, 5),
        "height": st.integers(0, 2),
        "prise": st.just(1),
    },
)


class ServiceMachine(WorkingLife):
    # --- what chance makes up matches nothing nearly always, and then nobody would die of telling it

    @initialize(
        texts=st.lists(st.sampled_from(BROAD), min_size=2, max_size=6),
        revisions=st.sampled_from(Revisions),
        rounds=st.lists(
            st.tuples(st.integers(0, 6), places_of("publish", *OF_WORKERS)),
            min_size=3,
            max_size=len(FIRST_NAMES),
        ),
    )
    def it_begins(self, texts: list[str], revisions: Revisions, rounds: list[tuple[int, str]]) -> None:
        for reader, text in enumerate(texts):
            self.subscribe(reader, text, None, Frequency.AT_ONCE, revisions, None)
        for name, (price, place) in zip(FIRST_NAMES, rounds, strict=False):
            self.publish(name, {"price": [price], "title": "oak table"}, None, None, place)
            self.go_round(place)

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
            services.subscribe(owner, text, now=self.now, valid_days=days)
        assert Subscription.objects.count() == before + (not self.is_undone)
        if self.is_undone:
            return
        made = Subscription.objects.latest("pk")  # who got no answer finds it in the list
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
        if not self.is_undone:
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
        if not self.is_undone:
            self.model.changed(row.pk, state=state)

    @precondition(lambda self: self.there())
    @rule(which=numbers, days=st.sampled_from([None, 1, 30]), place=places("subscriptions"))
    def renew(self, which: int, days: int | None, place: Any) -> None:
        row = self.search(which)
        with self.dying_at(place):
            services.renew(row, now=self.now, valid_days=days)
        if not self.is_undone:
            self.model.renewed(row.pk, now=self.now, expires_at=expiry(self.now, days))

    @precondition(lambda self: self.there())
    @rule(which=numbers, place=places("subscriptions"))
    def unsubscribe(self, which: int, place: Any) -> None:
        row = self.search(which)
        with self.dying_at(place):
            services.unsubscribe(row)
        if not self.is_undone:
            self.state_before[row.pk] = self.model.searches[row.pk].state
            self.model.changed(row.pk, state="removed")

    @precondition(lambda self: self.state_before)
    @rule(which=numbers, place=places("subscriptions"))
    def restore(self, which: int, place: Any) -> None:
        number = chosen(sorted(self.state_before), which)
        with self.dying_at(place):
            services.restore(number, owner=Subscription.objects.get(pk=number).owner)
        if not self.is_undone:
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
        if not self.is_undone:
            self.model.items[number].state = "withdrawn"
