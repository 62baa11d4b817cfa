"""The matcher that follows the log always knows what the database knows."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from pytest_django import Settings

from matching import live as live_module
from matching import services, tasks
from matching.live import LiveMatcher
from matching.models import ChangeCounter, SubscriptionChange
from matching.shards import WHOLE
from schema_registry import services as schema_services
from schema_registry.accounts.models import User
from schema_registry.selectors import current_schema
from tests.integration.following import NOW, answer, expected, random_change
from tests.integration.lots import BY_STAFF, make_lots

MATCHERS = ["quarantining", "engine"]


@pytest.fixture
def owner(db: None) -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


@pytest.mark.parametrize("matcher", MATCHERS)
@pytest.mark.parametrize("seed", range(3))
def test_it_agrees_with_the_database_after_every_change(owner: User, seed: int, matcher: str) -> None:
    rng = random.Random(seed)
    live = LiveMatcher(matcher)
    for step in range(60):
        now = NOW + timedelta(hours=3 * step)
        random_change(owner, rng, now)
        assert live.catch_up() >= 1
        price = rng.choice([3, 5, 12, 25])
        assert answer(live, price, now) == expected(price, now), f"seed {seed}, step {step}"


@pytest.mark.parametrize("matcher", MATCHERS)
def test_one_that_starts_later_knows_the_same(owner: User, matcher: str) -> None:
    rng = random.Random(1)
    early = LiveMatcher(matcher)
    for _ in range(40):
        random_change(owner, rng, NOW)
    early.catch_up()
    late = LiveMatcher(matcher)
    assert late.sequence == early.sequence
    assert len(late) == len(early)
    for price in (3, 5, 12, 25):
        assert answer(late, price, NOW) == answer(early, price, NOW) == expected(price, NOW)


@pytest.mark.parametrize("matcher", MATCHERS)
@pytest.mark.parametrize("worth_loading", [1, 1_000])
def test_changes_are_applied_alike_one_by_one_and_many_at_once(
    owner: User, monkeypatch: pytest.MonkeyPatch, worth_loading: int, matcher: str
) -> None:
    monkeypatch.setattr(live_module, "_WORTH_LOADING", worth_loading)
    rng = random.Random(2)
    live = LiveMatcher(matcher)
    for _ in range(3):
        for _ in range(20):
            random_change(owner, rng, NOW)
        live.catch_up()
        for price in (3, 5, 12, 25):
            assert answer(live, price, NOW) == expected(price, NOW)


def test_an_event_does_not_cost_more_after_many_changes(owner: User) -> None:
    """What is looked at for an event depends on what there is now, not on what there ever was."""
    live = LiveMatcher("quarantining")
    row = services.subscribe(owner, "price = 5", now=NOW).subscription
    live.catch_up()
    event = current_schema().validate({"event_type": ["lot"], "price": 5})

    def evaluations() -> int:
        before = live._matcher.work.predicate_evaluations
        live.match(event, accepted_at=NOW)
        return live._matcher.work.predicate_evaluations - before

    at_first = evaluations()
    for number in range(50):
        services.change(row, text=f"price in (5, {number + 10})", now=NOW)
        services.change(row, text="price = 5", now=NOW)
        live.catch_up()
    assert evaluations() <= at_first


def test_expiry_is_judged_by_the_moment_an_event_was_accepted(owner: User) -> None:
    number = services.subscribe(owner, "price exists", now=NOW, valid_days=1).subscription.pk
    live = LiveMatcher("quarantining")
    expiry = NOW + timedelta(days=1)
    assert answer(live, 5, expiry - timedelta(microseconds=1)) == {number}
    assert answer(live, 5, expiry) == set()


@pytest.mark.parametrize("matcher", MATCHERS)
def test_it_follows_the_schema(owner: User, matcher: str) -> None:
    live = LiveMatcher(matcher)
    schema_services.create_attribute(BY_STAFF, "weight", "money")
    schema_services.extend_event_type(BY_STAFF, "lot", "weight")
    number = services.subscribe(owner, "weight < 5", now=NOW).subscription.pk
    live.catch_up()
    event = current_schema().validate({"event_type": ["lot"], "weight": 3})
    assert live.match(event, accepted_at=NOW) == [number]


@pytest.mark.django_db(transaction=True)
def test_numbers_become_visible_in_order_without_gaps(owner: User) -> None:
    """A reader who sees number n has seen all before it, however many write at once."""

    def write(number: int) -> None:
        try:
            services.subscribe(owner, "price exists", now=NOW)
        finally:
            connection.close()

    seen = 0
    with ThreadPoolExecutor(6) as pool:
        writing = [pool.submit(write, number) for number in range(30)]
        while seen < 30:
            numbers = list(SubscriptionChange.objects.values_list("sequence", flat=True).order_by("sequence"))
            assert numbers == list(range(1, len(numbers) + 1))
            seen = len(numbers)
            for done in writing:
                if done.done():
                    done.result()


def test_one_that_knows_more_than_the_database_is_worn(owner: User) -> None:
    """After a restore the log is shorter than what the matcher knows, and its numbers come again."""
    services.subscribe(owner, "price exists", now=NOW)
    services.subscribe(owner, "price exists", now=NOW)
    live = LiveMatcher("quarantining")
    assert not live.is_worn()
    SubscriptionChange.objects.filter(sequence=2).delete()
    ChangeCounter.objects.update(last=1)
    assert live.behind() == -1
    assert live.is_worn()


def test_one_that_went_through_many_changes_is_worn(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "_FEW_CHANGES", 10)
    live = LiveMatcher("quarantining")
    row = services.subscribe(owner, "price = 5", now=NOW).subscription
    for price in range(9):
        services.change(row, text=f"price = {price}", now=NOW)
    live.catch_up()
    assert not live.is_worn()
    services.change(row, text="price = 5", now=NOW)
    live.catch_up()
    assert live.is_worn()


@pytest.mark.parametrize("matcher", ["quarantining", "engine"])
def test_one_that_was_interrupted_while_it_changed_is_worn(
    owner: User, matcher: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def times_out(self: LiveMatcher, rows: object) -> None:
        raise TimeoutError

    live = LiveMatcher(matcher)
    services.subscribe(owner, "price = 5", now=NOW)
    with monkeypatch.context() as patched:
        patched.setattr(LiveMatcher, "_take", times_out)
        with pytest.raises(TimeoutError):
            live.catch_up()
    assert live.is_worn()


def test_the_engine_is_not_worn_by_changes(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_module, "_FEW_CHANGES", 0)
    live = LiveMatcher("engine")
    services.unsubscribe(services.subscribe(owner, "price = 5", now=NOW).subscription)
    assert live.catch_up() == 2
    assert not live.is_worn()
    ChangeCounter.objects.update(last=1)
    assert live.is_worn()


def test_a_worker_replaces_a_worn_one(
    owner: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.MATCHER = "quarantining"
    monkeypatch.setattr(tasks, "_live", {})
    first = tasks.live_matcher(WHOLE)
    assert tasks.live_matcher(WHOLE) is first
    monkeypatch.setattr(live_module, "_FEW_CHANGES", 0)
    number = services.subscribe(owner, "price = 5", now=NOW).subscription.pk
    services.subscribe(owner, "price = 6", now=NOW)
    services.unsubscribe(services.subscribe(owner, "price = 5", now=NOW).subscription)
    first.catch_up()
    second = tasks.live_matcher(WHOLE)
    assert second is not first
    assert second.sequence == first.sequence
    assert answer(second, 5, NOW) == {number}
