"""Counting demand in the database: whose searches count, when a count is published, and who may read it."""

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from matching import services
from matching.demand import keeping
from matching.demand.keeping import DemandCount, DemandKeeper
from matching.models import Demand, Subscription
from schema_registry.accounts.memberships import add_member
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from tests.integration.collector import make_schema
from tests.integration.test_schema_pages import words

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
DAY = timedelta(days=1)
_numbers = itertools.count()
_secret = keeping.secret_margin  # before it is replaced here


@pytest.fixture(autouse=True)
def _schema() -> None:
    make_schema()


@pytest.fixture(autouse=True)
def no_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that numbers here are round; that margins hide them is shown without a database."""
    monkeypatch.setattr(keeping, "secret_margin", lambda cell: 0)


def person(*texts: str) -> User:
    user = User.objects.create_user(f"person{next(_numbers)}@example.org")
    for text in texts:
        services.subscribe(user, text, now=NOW, valid_days=None)
    return user


def crowd(count: int, *texts: str) -> list[User]:
    return [person(*texts) for _ in range(count)]


def counted(*, now: datetime = NOW) -> bool:
    count = DemandCount(now=now)
    assert count.go_on(clock=lambda: 0.0)
    return count.publish()


def told() -> dict[str, int]:
    document = Demand.objects.get().document
    return {value: people for _attribute, value, people in document["places"]}


def test_only_people_whose_searches_are_at_work_are_counted() -> None:
    crowd(17, "category <= table", "category = dining-table and price <= 200")
    muted, paused, expired, removed, left = (person("category <= table") for _ in range(5))
    Subscription.objects.filter(owner=muted).update(state="muted")
    Subscription.objects.filter(owner=paused).update(state="paused")
    Subscription.objects.filter(owner=expired).update(expires_at=NOW)
    Subscription.objects.filter(owner=removed).update(state="removed")
    User.objects.filter(pk=left.pk).update(deleted_at=NOW)
    person("category <= dining-table")
    assert counted()
    assert told() == {}, "nineteen: 17, the muted one, and the one who looks below"
    person("category <= furniture")
    assert counted(now=NOW + DAY)
    assert told() == {"furniture": 20}
    assert Demand.objects.get().document["ranges"] == []


def test_a_new_count_is_published_only_when_twenty_people_have_made_searches_since() -> None:
    crowd(20, "category <= table")
    assert counted()
    first = Demand.objects.get()
    crowd(10, "category <= table")
    regular = User.objects.filter(subscriptions__isnull=False).first()
    assert regular is not None
    for _ in range(30):
        services.subscribe(regular, "title contains oak", now=NOW, valid_days=30)
    assert not counted(now=NOW + DAY)
    kept = Demand.objects.get()
    assert (kept.document, kept.published_at) == (first.document, NOW)
    assert kept.counted_at == NOW + DAY
    crowd(9, "category <= table")
    assert counted(now=NOW + 2 * DAY), "nine, ten, and one of those who were there"
    assert told() == {"table": 30, "furniture": 30}


def test_what_is_a_month_old_is_no_longer_shown() -> None:
    crowd(20, "category <= table")
    counted()
    assert keeping.shown(now=NOW + 30 * DAY) is not None
    assert keeping.shown(now=NOW + 31 * DAY) is None
    assert not counted(now=NOW + 31 * DAY), "or what changed since would be told of fewer than twenty"


def test_people_are_counted_once_however_the_count_is_sliced(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd(12, "category <= table", "title contains oak", "title contains 'oak table'")
    crowd(9, "title contains oak")
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 5)
    ticks = itertools.count()
    keeper, slices = DemandKeeper(), 1
    while not keeper.tend(now=NOW, clock=lambda: float(next(ticks)), seconds=0.5):
        slices += 1
    assert slices > 5
    assert Demand.objects.get().document == {"places": [], "words": [["oak", 20]], "ranges": []}
    assert keeper.tend(now=NOW + DAY / 2, clock=lambda: 0.0, seconds=1), "it is not due yet"
    assert Demand.objects.get().counted_at == NOW


def test_a_count_that_was_left_lying_is_begun_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd(21, "title contains oak")
    monkeypatch.setattr(keeping, "ROWS_AT_ONCE", 5)
    ticks = itertools.count()
    keeper = DemandKeeper()
    assert not keeper.tend(now=NOW, clock=lambda: float(next(ticks)), seconds=0.5)
    Subscription.objects.all().update(state="removed")
    assert keeper.tend(now=NOW + timedelta(hours=2), clock=lambda: 0.0, seconds=1)
    assert Demand.objects.get().document == {"places": [], "words": [], "ranges": []}


def test_the_margin_of_a_cell_stays_and_those_of_cells_differ() -> None:
    cells = [f"word\x1f{number}" for number in range(200)]
    margins = [_secret(cell) for cell in cells]
    assert set(margins) == set(range(10))
    assert margins == [_secret(cell) for cell in cells]


@pytest.mark.any_database
class TestThePage:
    @pytest.fixture
    def house(self, client: Client) -> Publisher:
        house = publisher_named("Maison Belleroche", state=Publisher.State.APPROVED)
        member = User.objects.create_user("member@example.org")
        add_member(house, member)
        client.force_login(member)
        return house

    def test_it_shows_categories_as_a_tree_with_their_prices_and_words(
        self, client: Client, house: Publisher
    ) -> None:
        crowd(20, "category = dining-table and price <= 200", "title contains oak")
        crowd(15, "category <= furniture")
        counted(now=timezone.now())
        page = _words(client.get(f"/publish/{house.pk}/demand"))
        assert "furniture 30+ people" in page
        assert "Tables 20+ people" in page
        assert page.index("furniture 30+") < page.index("Tables 20+") < page.index("Dining table 20+")
        assert "up to 200 EUR 20+ people" in page
        assert "oak 20+ people" in page
        assert "35" not in page

    def test_without_enough_people_it_says_why_there_is_nothing(
        self, client: Client, house: Publisher
    ) -> None:
        crowd(3, "title contains oak")
        assert "counting for the first time" in _words(client.get(f"/publish/{house.pk}/demand"))
        counted(now=timezone.now())
        page = _words(client.get(f"/publish/{house.pk}/demand"))
        assert "fewer than 20 people" in page
        assert "oak" not in page

    def test_it_opens_for_approved_publishers_only(self, client: Client, house: Publisher) -> None:
        crowd(20, "title contains oak")
        counted(now=timezone.now())
        for state in ("pending", "suspended"):
            Publisher.objects.filter(pk=house.pk).update(state=state)
            page = _words(client.get(f"/publish/{house.pk}/demand"))
            assert "once we have approved you" in page
            assert "oak" not in page


def _words(answer: Any) -> str:
    assert answer.status_code == 200
    return words(answer.content.decode())
