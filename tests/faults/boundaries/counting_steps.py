"""What is counted beside matching: traffic, refusals, days, demand."""

import time
from collections.abc import Iterator
from datetime import timedelta

import redis
from django.conf import settings
from django.test import Client
from django.utils import timezone

from matching import daily_counts, retention
from matching.demand import keeping as demand
from matching.demand.models import Demand
from matching.models import CountedMatches, DailyCount, Match, Traffic
from matching.recent.settling import Settling
from matching.traffic import counting
from matching.traffic.noting import COUNTS, SAMPLES
from tests.faults.boundaries.world import Action, World, step
from tests.integration.following import NOW
from tests.integration.refused import a_house, a_lot, collect

YESTERDAY = NOW - timedelta(days=1)


@step("traffic")
@step("traffic-waits")
def traffic_is_counted(world: World) -> Iterator[Action]:
    world.patch.setattr(counting, "EVENTS_AT_ONCE", 3)
    for _ in range(5):
        world.publish()
    world.drain()
    yield lambda: counting.count(Settling(), now=NOW, clock=time.monotonic)
    rows = Traffic.objects.filter(span=Traffic.Span.HOUR)
    assert sum(row.accepted for row in rows) == 5
    assert sum(sum(row.waits.values()) for row in rows) == 5


@step("refusals")
def refusals_are_collected(world: World) -> Iterator[Action]:
    redis.Redis.from_url(settings.REDIS_URL).delete(COUNTS, SAMPLES)
    assert world.owner
    house = a_house("Hôtel des ventes", Client())
    house.sends_lines(*(a_lot(number, "dear") for number in range(4)))
    yield collect
    assert house.refused() == 4


@step("daily-counts")
def matches_are_counted(world: World) -> Iterator[Action]:
    found = _found(world, 5)
    world.patch.setattr(daily_counts, "MATCHES_AT_ONCE", 2)
    yield _count_days
    assert dict(DailyCount.objects.values_list("subscription", "count")) == {found: 5}


@step("day-mended")
@step("day-closed")
def a_day_that_is_over_is_counted_anew(world: World) -> Iterator[Action]:
    found = _found(world, 5)
    CountedMatches.objects.create(pk=1, open_since=YESTERDAY.date() - timedelta(days=1))
    daily_counts._add_some()
    DailyCount.objects.update(count=3)  # some came late, and were passed over
    yield _count_days
    assert dict(DailyCount.objects.values_list("subscription", "count")) == {found: 5}
    assert CountedMatches.objects.get().open_since == NOW.date()


@step("forget-counts")
def old_days_are_forgotten(world: World) -> Iterator[Action]:
    _found(world, 2)
    _count_days()
    yield lambda: retention.forget_counts_before(NOW.date())
    assert not DailyCount.objects.exists()


@step("demand")
def demand_is_counted(world: World) -> Iterator[Action]:
    world.subscribe("price < 100")
    now = timezone.now()
    yield lambda: demand.DemandKeeper().tend(now=now, clock=time.monotonic, seconds=float("inf"))
    assert Demand.objects.get().counted_at == now


def _found(world: World, count: int) -> int:
    """The subscription that so many items of yesterday match."""
    wanted = world.subscribe()
    for _ in range(count):
        world.publish()
    world.drain()
    Match.objects.update(matched_at=YESTERDAY)
    return wanted.pk


def _count_days() -> None:
    assert daily_counts.count(now=NOW, clock=time.monotonic)
