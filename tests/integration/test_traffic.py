"""A publisher's traffic: each item is counted once, in its minute and its hour, with how long it waited."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from matching import failpoints
from matching.models import PublishedEvent, Traffic, TrafficPosition
from matching.recent.settling import Settling
from matching.traffic import counting, forgetting
from matching.traffic.selectors import RANGES, Shown, traffic
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, 30, 20, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ACCEPTED, MATCHED = PublishedEvent.State.ACCEPTED, PublishedEvent.State.MATCHED


class House:
    def __init__(self, name: str = "Maison Belleroche") -> None:
        self.publisher = publisher_named(name, state=Publisher.State.APPROVED)
        self._items = 0

    def sends(
        self, count: int, *, at: datetime = NOW, waits: float | None = 0.5, state: str = MATCHED
    ) -> list[PublishedEvent]:
        """Items, and after how many seconds each was matched."""
        matched_at = None if waits is None else at + timedelta(seconds=waits)
        rows = []
        for _ in range(count):
            self._items += 1
            rows.append(
                PublishedEvent.objects.create(
                    publisher=self.publisher,
                    external_id=str(self._items),
                    revision=1,
                    schema_version=1,
                    document={},
                    accepted_at=at,
                    state=state,
                    matched_at=matched_at,
                )
            )
        return rows

    def shown(self, name: str = "hour", *, now: datetime = NOW) -> Shown:
        return traffic(self.publisher, RANGES[name], now=now)


@pytest.fixture
def house() -> House:
    return House()


def count(*, now: datetime = NOW, seconds: float = float("inf")) -> bool:
    return counting.count(Settling(), now=now, clock=time.monotonic, seconds=seconds)


def test_items_are_shown_in_their_minute_their_hour_and_on_their_day(house: House) -> None:
    house.sends(3)
    house.sends(2, at=NOW - MINUTE)
    house.sends(4, at=NOW - HOUR)
    house.sends(5, at=NOW - 13 * DAY)
    House("Another house").sends(9)
    assert count()
    minutes, hours, days = (house.shown(name).points for name in RANGES)
    assert [len(points) for points in (minutes, hours, days)] == [60, 24, 14]
    assert [point.accepted for point in minutes][-3:] == [0, 2, 3]
    assert [point.accepted for point in hours][-2:] == [4, 5]
    assert [point.accepted for point in days] == [5, *[0] * 12, 9]
    assert days[-1].begins_at == datetime(2026, 11, 16, tzinfo=UTC)


def test_how_long_items_waited_is_shown_by_when_they_came(house: House) -> None:
    house.sends(95, waits=0.2)
    house.sends(5, waits=30)
    house.sends(10, at=NOW - MINUTE, waits=8)
    count()
    *_, before, now = house.shown().points
    assert now.half == now.most == pytest.approx(0.2, rel=0.1)
    assert before.half == pytest.approx(8, rel=0.1)
    total = house.shown("day").total
    assert total.half == pytest.approx(0.2, rel=0.1)
    assert total.most == pytest.approx(8, rel=0.1)


def test_an_item_that_still_waits_is_accepted_at_once_and_its_wait_counts_when_it_is_matched(
    house: House,
) -> None:
    (slow,) = house.sends(1, state=ACCEPTED, waits=None)
    house.sends(1, waits=0.5)
    count()
    assert house.shown().total.accepted == 2
    assert house.shown().total.half is None
    PublishedEvent.objects.filter(pk=slow.pk).update(state=MATCHED, matched_at=NOW + 4 * MINUTE)
    count(now=NOW + 5 * MINUTE)
    total = house.shown(now=NOW + 5 * MINUTE).total
    assert total.accepted == 2
    assert total.most == pytest.approx(240, rel=0.1)


def test_nobody_waits_for_an_item_that_is_never_matched(house: House) -> None:
    house.sends(1, state=ACCEPTED, waits=None)
    house.sends(1, state=PublishedEvent.State.PARKED, waits=None)
    house.sends(2, waits=0.5)
    count(now=NOW + 9 * MINUTE)
    assert house.shown(now=NOW + 9 * MINUTE).total.half is None
    count(now=NOW + 11 * MINUTE)
    total = house.shown(now=NOW + 11 * MINUTE).total
    assert total.half == pytest.approx(0.5, rel=0.1)
    assert total.most == 600


def test_each_item_is_counted_once_however_often_and_in_whatever_portions(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "EVENTS_AT_ONCE", 3)
    house.sends(8)
    assert not count(seconds=0)
    assert house.shown().total.accepted == 3
    for _ in range(3):
        assert count()
    house.sends(1)
    count()
    assert house.shown().total.accepted == 9
    (row,) = Traffic.objects.filter(span=Traffic.Span.MINUTE)
    assert sum(row.waits.values()) == 9


class KilledError(Exception):
    """As if the process had ended here."""


@pytest.mark.parametrize("place", ["traffic.before-commit", "traffic.after-commit"])
def test_who_is_killed_while_counting_loses_and_doubles_nothing(
    house: House, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(reached: str, subject: object = "") -> None:
        if reached == place:
            raise KilledError

    house.sends(5)
    with monkeypatch.context() as patched:
        patched.setattr(failpoints, "reached", die)
        with pytest.raises(KilledError):
            count()
    count()
    assert house.shown().total.accepted == 5


@pytest.mark.django_db(transaction=True)
def test_several_who_count_at_once_add_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "EVENTS_AT_ONCE", 5)
    house = House()
    house.sends(40)
    counting.begin(now=NOW)

    def count_and_close(_: int) -> None:
        try:
            while not count():
                pass
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as counters:
        list(counters.map(count_and_close, range(4)))
    count()  # those who met may each have left something
    assert house.shown().total.accepted == 40
    assert sum(sum(row.waits.values()) for row in Traffic.objects.filter(span=Traffic.Span.HOUR)) == 40


def test_what_was_there_long_before_the_first_count_is_left_out(house: House) -> None:
    house.sends(3, at=NOW - 20 * DAY)
    house.sends(2, at=NOW - 2 * DAY)
    count()
    assert Traffic.objects.filter(span=Traffic.Span.HOUR).count() == 1
    assert TrafficPosition.objects.get().accepted_up_to == PublishedEvent.objects.latest("pk").pk


def test_old_minutes_and_hours_are_forgotten_and_shown_ones_stay(house: House) -> None:
    counting.begin(now=NOW)
    for at in (NOW - 16 * DAY, NOW - 13 * DAY, NOW - 4 * HOUR, NOW - 50 * MINUTE, NOW):
        house.sends(1, at=at)
        count(now=at)
    before = [house.shown(name).total.accepted for name in RANGES]
    assert forgetting.forget(now=NOW) == 4  # three old minutes, one old hour
    assert [house.shown(name).total.accepted for name in RANGES] == before == [2, 3, 4]


@pytest.mark.any_database
class TestThePage:
    @pytest.fixture
    def member(self, house: House, client: Client) -> Client:
        person = User.objects.create_user("member@example.org")
        add_member(house.publisher, person)
        client.force_login(person)
        return client

    def ask(self, client: Client, house: House, **options: Any) -> str:
        return client.get(f"/publish/{house.publisher.pk}/traffic", **options).content.decode()

    def test_it_has_a_row_for_each_minute_from_which_the_plots_are_drawn(
        self, house: House, member: Client
    ) -> None:
        now = datetime.now(UTC)
        house.sends(1_200 // 100, at=now, waits=0.5)
        count(now=now)
        page = self.ask(member, house, query_params={"range": "hour"})
        assert page.count('<tr><th scope="row">') == 60
        assert 'data-value="12">12</td>' in page
        assert "0.47 s</td>" in page
        assert '<a href="?range=hour" aria-current="page">' in page

    def test_an_update_has_the_rows_and_the_totals_only(self, house: House, member: Client) -> None:
        update = self.ask(member, house, headers={"HX-Request": "true"})
        assert "<html" not in update
        assert update.count("<tr>") == 24
        assert 'id="traffic-totals" class="totals" hx-swap-oob="true"' in update

    def test_it_never_looks_at_the_events_themselves(
        self, house: House, member: Client, django_assert_max_num_queries: Any
    ) -> None:
        house.sends(3)
        count()
        with django_assert_max_num_queries(8) as asked:
            self.ask(member, house)
        assert not any('FROM "matching_publishedevent"' in query["sql"] for query in asked.captured_queries)

    def test_an_unknown_time_is_the_usual_one(self, house: House, member: Client) -> None:
        page = self.ask(member, house, query_params={"range": "century"})
        assert '<a href="?range=day" aria-current="page">' in page
