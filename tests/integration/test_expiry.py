"""Expiry goes by the moment an event was accepted, exactly, however late it is matched."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
from django.db import connection, transaction

from matching import draining, expiring, services, tasks
from matching.envelopes import read_envelope
from matching.expiring import expire
from matching.intake import checked, publish
from matching.live import LiveMatcher
from matching.models import Match, MatchWork, Subscription, SubscriptionChange
from matching.validity import LONGEST_ACCEPTANCE
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.integration.lots import make_lots

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)
DAY = timedelta(days=1)
State = services.State


@pytest.fixture
def owner(db: None) -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


def post(name: str, *, at: datetime) -> int:
    publisher = publisher_named("Hôtel des ventes", state=Publisher.State.APPROVED)
    envelope = read_envelope({"external_id": name, "event": {"event_type": ["lot"], "price": 5}})
    return publish(publisher, checked(publisher, envelope, current_schema()), now=at).number


def subscribe(owner: User, *, now: datetime = NOW, valid_days: int | None = 1) -> Subscription:
    return services.subscribe(owner, "price exists", now=now, valid_days=valid_days).subscription


def matches() -> set[tuple[int, int]]:
    return set(Match.objects.values_list("event_id", "subscription_id"))


def test_an_event_accepted_before_and_matched_after_is_a_match_and_one_accepted_after_is_none(
    owner: User,
) -> None:
    live = LiveMatcher("quarantining")
    row = subscribe(owner)
    before = post("before", at=NOW + DAY - MOMENT)
    post("after", at=NOW + DAY)
    assert expire(now=NOW + 2 * DAY) == 0
    draining.drain(live)
    assert matches() == {(before, row.pk)}
    assert expire(now=NOW + 2 * DAY) == 1


def test_an_old_event_that_waits_keeps_the_subscription_in_the_matchers(owner: User) -> None:
    live = LiveMatcher("quarantining")
    subscribe(owner)
    post("old", at=NOW)
    expire(now=NOW + 30 * DAY)
    live.catch_up()
    assert len(live) == len(LiveMatcher("quarantining")) == 1
    MatchWork.objects.all().delete()
    expire(now=NOW + 30 * DAY)
    live.catch_up()
    assert len(live) == len(LiveMatcher("quarantining")) == 0


def test_an_event_that_waits_holds_back_only_what_expired_after_it(owner: User) -> None:
    over = subscribe(owner, now=NOW - 9 * DAY)
    subscribe(owner)
    post("waits", at=NOW)
    assert expire(now=NOW + 30 * DAY) == 1
    assert Subscription.objects.get(state=State.EXPIRED) == over


def test_it_waits_until_no_acceptance_can_be_under_way(owner: User) -> None:
    row = subscribe(owner)
    settled = NOW + DAY + LONGEST_ACCEPTANCE
    assert expire(now=settled - MOMENT) == 0
    assert expire(now=settled) == 1
    assert expire(now=settled) == 0
    row.refresh_from_db()
    assert row.state == State.EXPIRED


def test_paused_and_muted_ones_expire_too_and_endless_or_removed_ones_do_not(owner: User) -> None:
    for state in (State.PAUSED, State.MUTED):
        services.change(subscribe(owner), now=NOW, state=state)
    endless = subscribe(owner, valid_days=None)
    removed = subscribe(owner)
    services.unsubscribe(removed)
    assert expire(now=NOW + 2 * DAY) == 2
    states = dict(Subscription.objects.values_list("pk", "state"))
    assert (states[endless.pk], states[removed.pk]) == (State.ACTIVE, State.REMOVED)


def test_many_are_done_in_small_transactions(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiring, "CHANGES_AT_ONCE", 3)
    for _ in range(10):
        subscribe(owner)
    assert expire(now=NOW + 2 * DAY) == 10
    numbers = SubscriptionChange.objects.order_by("sequence").values_list("sequence", "is_matched")
    assert list(numbers) == [(number, number <= 10) for number in range(1, 21)]


def test_renewing_brings_an_expired_one_back_to_the_matchers(owner: User) -> None:
    row = subscribe(owner)
    later = NOW + 2 * DAY
    expire(now=later)
    live = LiveMatcher("quarantining")
    services.renew(row, now=later)
    live.catch_up()
    row.refresh_from_db()
    assert (row.state, len(live)) == (State.ACTIVE, 1)


def test_a_paused_one_stays_paused_when_renewed_unless_it_had_expired(owner: User) -> None:
    row = subscribe(owner)
    services.change(row, now=NOW, state=State.PAUSED)
    services.renew(row, now=NOW + DAY - MOMENT, valid_days=1)
    row.refresh_from_db()
    assert row.state == State.PAUSED
    services.renew(row, now=NOW + 3 * DAY, valid_days=1)
    row.refresh_from_db()
    assert row.state == State.ACTIVE


def test_the_task_goes_by_the_time_of_day(owner: User) -> None:
    long_ago = datetime.now(UTC) - 2 * DAY
    subscribe(owner, now=long_ago)
    subscribe(owner, now=datetime.now(UTC))
    tasks.expire()
    assert sorted(Subscription.objects.values_list("state", flat=True)) == [State.ACTIVE, State.EXPIRED]


@pytest.mark.django_db(transaction=True)
def test_who_renews_at_the_same_time_wins(owner: User) -> None:
    row = subscribe(owner)
    later = NOW + 2 * DAY
    begun = Event()

    def expire_too() -> int:
        begun.set()
        try:
            return expire(now=later)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            services.renew(row, now=later)
            expired = pool.submit(expire_too)
            begun.wait(300)
        assert expired.result(300) == 0
    row.refresh_from_db()
    assert row.state == State.ACTIVE


@pytest.mark.parametrize("seed", range(3))
def test_random_lives_end_in_the_matches_the_clock_demands(owner: User, seed: int) -> None:
    """Events are published, matched late or at once, while subscriptions come, expire and are renewed."""
    print(f"seed {seed}")
    rng = random.Random(seed)
    live = LiveMatcher("quarantining")
    now, expected = NOW, set()
    for step in range(80):
        now += timedelta(minutes=rng.choice([1, 9, 200, 900]))
        match rng.randrange(6):
            case 0:
                draining.drain(live)  # whether a change counts for what waits is left open
                subscribe(owner, now=now, valid_days=rng.choice([1, 2, None]))
            case 1 if rows := list(Subscription.objects.all()):
                draining.drain(live)
                services.renew(rng.choice(rows), now=now, valid_days=1)
            case 2:
                draining.drain(live)
            case 3:
                expire(now=now)
            case _:
                event = post(str(step), at=now)
                expected |= {
                    (event, row.pk)
                    for row in Subscription.objects.all()
                    if row.expires_at is None or now < row.expires_at
                }
    draining.drain(live)
    assert matches() == expected
    expire(now=now + LONGEST_ACCEPTANCE)
    live.catch_up()
    alive = [row for row in Subscription.objects.all() if row.expires_at is None or now < row.expires_at]
    assert len(live) == len(alive) == len(LiveMatcher("quarantining"))
