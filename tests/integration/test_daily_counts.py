"""Counts of matches per day: each row is counted once, whoever counts, and late ones when the day is over."""

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection

from matching import daily_counts, retention
from matching.models import CountedMatches, DailyCount, Match, PublishedEvent, Subscription
from schema_registry.accounts.models import Publisher, User

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class Market:
    """A house with many events, and searches to match them."""

    def __init__(self) -> None:
        self.house = Publisher.objects.create(name="House", user=User.objects.create_user("h@example.org"))
        self.owner = User.objects.create_user("reader@example.org")
        self.events = 0

    def search(self) -> int:
        return Subscription.objects.create(
            owner=self.owner,
            text="x",
            canonical="x",
            compiled=[],
            schema_version=1,
            created_at=NOW,
            ticket_digest=str(Subscription.objects.count()),
        ).pk

    def match(self, search: int, moments: Iterable[datetime]) -> list[Match]:
        made = []
        for moment in moments:
            self.events += 1
            event = PublishedEvent.objects.create(
                publisher=self.house,
                external_id=str(self.events),
                revision=1,
                schema_version=1,
                document={},
                accepted_at=moment,
                state="matched",
            )
            made.append(
                Match.objects.create(event=event, subscription_id=search, owner=self.owner, matched_at=moment)
            )
        return made


@pytest.fixture
def market() -> Market:
    return Market()


def test_days_without_matches_have_a_zero_and_today_is_last(market: Market) -> None:
    one, other = market.search(), market.search()
    market.match(one, [NOW, NOW - timedelta(hours=12), NOW - timedelta(hours=12, microseconds=1)])
    market.match(other, [NOW - 2 * DAY, NOW - 3 * DAY])
    assert daily_counts.count(now=NOW, clock=time.monotonic)
    assert daily_counts.per_day([one, other, 10**9], days=3, now=NOW) == {
        one: (0, 1, 2),
        other: (1, 0, 0),
        10**9: (0, 0, 0),
    }


def test_each_match_is_counted_once_however_often_and_in_whatever_portions(
    market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(daily_counts, "MATCHES_AT_ONCE", 3)
    search = market.search()
    market.match(search, [NOW] * 7)
    assert not daily_counts.count(now=NOW, clock=time.monotonic, seconds=0)
    assert daily_counts.per_day([search], days=1, now=NOW)[search] == (3,)
    assert daily_counts.count(now=NOW, clock=time.monotonic)
    market.match(search, [NOW])
    daily_counts.count(now=NOW, clock=time.monotonic)
    daily_counts.count(now=NOW, clock=time.monotonic)
    assert daily_counts.per_day([search], days=1, now=NOW)[search] == (8,)


@pytest.mark.django_db(transaction=True)
def test_several_who_count_at_once_add_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_counts, "MATCHES_AT_ONCE", 5)
    market = Market()
    search = market.search()
    market.match(search, [NOW - DAY] * 20 + [NOW] * 40)
    CountedMatches.objects.create(pk=1, open_since=(NOW - DAY).date())

    def count(_: int) -> None:
        try:
            daily_counts.count(now=NOW, clock=time.monotonic)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as counters:
        list(counters.map(count, range(4)))
    assert daily_counts.per_day([search], days=2, now=NOW)[search] == (20, 40)


def test_a_row_that_became_visible_late_is_counted_when_its_day_is_over(market: Market) -> None:
    search = market.search()
    late, *_ = market.match(search, [NOW] * 3)
    number = late.pk
    late.delete()
    daily_counts.count(now=NOW, clock=time.monotonic)
    late.pk = number
    late.save(force_insert=True)
    daily_counts.count(now=NOW, clock=time.monotonic)
    assert daily_counts.per_day([search], days=1, now=NOW)[search] == (2,)
    market.match(search, [NOW + DAY])
    daily_counts.count(now=NOW + DAY, clock=time.monotonic)
    assert daily_counts.per_day([search], days=2, now=NOW + DAY)[search] == (3, 1)
    assert CountedMatches.objects.get().open_since == date(2026, 11, 17)


def test_a_day_is_closed_some_minutes_after_its_end_and_once(market: Market) -> None:
    search = market.search()
    daily_counts.count(now=NOW, clock=time.monotonic)
    market.match(search, [NOW])
    midnight = datetime(2026, 11, 17, tzinfo=UTC)
    daily_counts.count(now=midnight + timedelta(minutes=9), clock=time.monotonic)
    assert CountedMatches.objects.get().open_since == date(2026, 11, 16)
    daily_counts.count(now=midnight + timedelta(minutes=10), clock=time.monotonic)
    assert CountedMatches.objects.get().open_since == date(2026, 11, 17)
    DailyCount.objects.update(count=7)
    daily_counts.count(now=midnight + timedelta(minutes=11), clock=time.monotonic)
    assert daily_counts.per_day([search], days=2, now=midnight)[search] == (7, 0)


def test_days_missed_while_the_system_was_down_are_all_closed(market: Market) -> None:
    search = market.search()
    daily_counts.count(now=NOW, clock=time.monotonic)
    market.match(search, [NOW, NOW + DAY, NOW + 3 * DAY])
    daily_counts.count(now=NOW + 3 * DAY, clock=time.monotonic)
    assert daily_counts.per_day([search], days=4, now=NOW + 3 * DAY)[search] == (1, 1, 0, 1)
    assert CountedMatches.objects.get().open_since == date(2026, 11, 19)


def test_counts_of_old_days_are_forgotten(market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "ROWS_PER_TRANSACTION", 2)
    search = market.search()
    market.match(search, [NOW - number * DAY for number in range(95)])
    daily_counts.count(now=NOW, clock=time.monotonic)
    assert retention.forget_counts_before((NOW - 89 * DAY).date()) == 5
    assert sum(daily_counts.per_day([search], days=95, now=NOW)[search]) == 90
