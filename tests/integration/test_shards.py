"""Subscriptions on several shards: together they find what one would, and the last one ends the event."""

import random
from datetime import timedelta
from itertools import permutations
from threading import Barrier, Thread

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from matching import draining, leases, recording, services
from matching.models import Announcement, MatchWork, PublishedEvent, SubscriptionChange
from matching.parked import retry
from matching.shards import WHOLE, Shard, split
from matching.signals import matched
from schema_registry.accounts.models import User
from tests.integration.following import NOW, answer, expected, random_change
from tests.integration.lots import make_lots
from tests.integration.sharding import (
    FIRST,
    PRICES,
    SECOND,
    drained,
    matcher,
    pairs,
    publish_lot,
    state_of,
    subscribed,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(settings: Settings) -> User:
    settings.MATCHING_SHARDS = 2
    make_lots()
    return User.objects.create_user("reader@example.org")


def let_leases_run_out() -> None:
    MatchWork.objects.update(leased_until=timezone.now() - timedelta(seconds=1))


class TestTheSplit:
    @pytest.mark.parametrize("name", ["quarantining", "engine"])
    @pytest.mark.parametrize("count", [2, 3])
    def test_each_follows_its_own_and_together_they_know_all(
        self, owner: User, name: str, count: int
    ) -> None:
        rng = random.Random(count)
        early = [matcher(shard, name) for shard in split(count)]
        for turn in range(4):
            now = NOW + timedelta(days=turn)
            for _ in range(15):
                random_change(owner, rng, now)
            late = [matcher(shard, name) for shard in split(count)]
            for matchers in (early, late):
                for live in matchers:
                    live.catch_up()
                    assert live.behind() == 0
                for price in PRICES:
                    found = [answer(live, price, now) for live in matchers]
                    assert set.union(*found) == expected(price, now)
                    assert all(
                        live.shard.holds(number)
                        for live, numbers in zip(matchers, found, strict=True)
                        for number in numbers
                    )
            assert [len(live) for live in early] == [len(live) for live in late]

    def test_it_is_up_to_date_also_when_the_changes_were_all_of_others(self, owner: User) -> None:
        live = matcher(FIRST)
        numbers = subscribed(owner, 4)
        assert live.catch_up() == sum(map(FIRST.holds, numbers)) == 2
        assert live.sequence == SubscriptionChange.objects.count() == 4

    def test_an_accepted_event_brings_work_for_each(self, owner: User) -> None:
        event = publish_lot(5)
        assert set(MatchWork.objects.values_list("event", "shard", "shards")) == {
            (event, 0, 2),
            (event, 1, 2),
        }
        assert [[work.event for work in leases.take(shard)] for shard in split(2)] == [[event], [event]]
        assert leases.take(WHOLE) == []

    def test_two_workers_of_a_shard_share_its_events(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(leases, "BATCH", 2)
        events = [publish_lot(price) for price in PRICES]
        taken = [[work.event for work in leases.take(FIRST)] for _ in range(3)]
        assert taken == [events[:2], events[2:], []]
        assert leases.is_any_free(SECOND)
        assert not leases.is_any_free(FIRST)


class TestTheLast:
    @pytest.mark.parametrize("order", list(permutations(split(3))))
    def test_an_event_is_matched_when_the_last_shard_is_done_whichever_that_is(
        self, owner: User, settings: Settings, order: tuple[Shard, ...]
    ) -> None:
        settings.MATCHING_SHARDS = 3
        numbers = subscribed(owner)
        event = publish_lot(5)
        heard: list[object] = []
        listen = lambda **about: heard.append(about)  # noqa: E731
        matched.connect(listen)
        try:
            drained(*order[:2])
            assert state_of(event) == ("accepted", 0)
            assert heard == []
            assert not Announcement.objects.exists()
            drained(order[2])
        finally:
            matched.disconnect(listen)
        assert state_of(event) == ("matched", 6)
        assert len(heard) == 1
        assert Announcement.objects.get().event_id == event
        assert pairs() == {(event, number) for number in numbers}

    def test_a_shard_without_a_match_counts_as_well(self, owner: User) -> None:
        number = services.subscribe(owner, "price exists", now=NOW).subscription.pk
        event = publish_lot(5)
        drained(*(shard for shard in split(2) if shard.holds(number)))
        assert state_of(event) == ("accepted", 0)
        drained(*split(2))
        assert state_of(event) == ("matched", 1)

    def test_work_done_twice_on_a_shard_does_not_stand_in_for_the_other(self, owner: User) -> None:
        """A worker that was taken for dead finishes after all, before and after the event is matched."""
        numbers = subscribed(owner)
        event = publish_lot(5)
        (slow,) = leases.take(FIRST)
        let_leases_run_out()
        drained(FIRST)
        late = [(slow, [number for number in numbers if FIRST.holds(number)])]
        recording.record(late, shard=FIRST)
        assert state_of(event) == ("accepted", 0)
        drained(SECOND)
        recording.record(late, shard=FIRST)
        assert state_of(event) == ("matched", 6)
        assert pairs() == {(event, number) for number in numbers}
        assert Announcement.objects.count() == 1

    def test_one_that_a_shard_parked_is_not_matched_by_the_others(self, owner: User) -> None:
        numbers = subscribed(owner)
        event = publish_lot(5)
        (held,) = leases.take(SECOND)
        first = MatchWork.objects.filter(shard=0)
        first.update(attempts=leases.MOST_ATTEMPTS, leased_until=timezone.now() - timedelta(seconds=1))
        drained(FIRST)
        assert state_of(event) == ("parked", 0)
        assert not MatchWork.objects.exists()
        recording.record([(held, [number for number in numbers if SECOND.holds(number)])], shard=SECOND)
        assert state_of(event) == ("parked", 0)
        retry(PublishedEvent.objects.get())
        drained(SECOND, FIRST)
        assert state_of(event) == ("matched", 6)

    def test_one_that_was_withdrawn_stays_so(self, owner: User) -> None:
        subscribed(owner)
        event = publish_lot(5)
        drained(FIRST)
        (held,) = leases.take(SECOND)
        services.withdraw(PublishedEvent.objects.get())
        recording.record([(held, [])], shard=SECOND)
        assert state_of(event)[0] == "withdrawn"


@pytest.mark.django_db(transaction=True)
def test_shards_that_finish_at_the_same_moment_end_each_event_once(owner: User) -> None:
    """Neither overlooks that the other is done, nor do they wait for each other."""
    numbers = subscribed(owner)
    events = [publish_lot(price) for price in range(20)]
    heard: list[object] = []
    listen = lambda **about: heard.append(about)  # noqa: E731
    matched.connect(listen)
    start = Barrier(2)

    def work(shard: Shard) -> None:
        try:
            live = matcher(shard)
            for _ in events:
                start.wait(timeout=300)
                draining.drain(live, seconds=0.01)
            draining.drain(live)
        finally:
            connection.close()

    threads = [Thread(target=work, args=[shard]) for shard in split(2)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=600)
    finally:
        matched.disconnect(listen)
    assert {state_of(event) for event in events} == {("matched", 6)}
    assert pairs() == {(event, number) for event in events for number in numbers}
    assert Announcement.objects.count() == len(events)
    assert not MatchWork.objects.exists()
