"""What was published before a search began is put into its owner's feed, once, and nobody is told."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from matching import bulk, existing, services
from matching.draining import drain
from matching.envelopes import read_envelope
from matching.intake import checked, publish
from matching.live import LiveMatcher
from matching.models import Announcement, Match, PublishedEvent, Subscription
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.integration.lots import make_lots

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def owner() -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


def post(name: str, price: int, *, at: datetime = NOW - DAY) -> int:
    house = publisher_named("House", state=Publisher.State.APPROVED)
    envelope = read_envelope({"external_id": name, "event": {"event_type": ["lot"], "price": price}})
    return publish(house, checked(house, envelope, current_schema()), now=at).number


def search(owner: User, text: str = "price < 20") -> Subscription:
    return services.subscribe(owner, text, now=NOW).subscription


def found(search: Subscription) -> list[int]:
    """The events of its matches, as a feed shows them: the last row first."""
    return list(Match.objects.filter(subscription=search).order_by("-pk").values_list("event", flat=True))


def test_the_items_of_the_last_days_are_there_the_newest_on_top(owner: User) -> None:
    older, newer = post("1", 5, at=NOW - 20 * DAY), post("2", 5)
    post("3", 50)
    post("4", 5, at=NOW - 40 * DAY)
    mine = search(owner)
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 2
    assert found(mine) == [newer, older]
    assert not Match.objects.exclude(owner=owner).exists()
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 0


def test_withdrawn_items_and_older_revisions_are_left_out(owner: User) -> None:
    post("1", 5)
    revised = post("1", 6)
    services.withdraw(PublishedEvent.objects.get(pk=post("2", 5)))
    mine = search(owner)
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 1
    assert found(mine) == [revised]


def test_what_the_live_matcher_finds_too_is_there_once_whoever_comes_first(owner: User) -> None:
    mine = search(owner)
    post("1", 5)
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 1
    drain(LiveMatcher("naive"))
    post("2", 5)
    drain(LiveMatcher("naive"))
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 0
    assert len(found(mine)) == 2


def test_nothing_is_announced(owner: User) -> None:
    post("1", 5)
    drain(LiveMatcher("naive"))
    Announcement.objects.all().delete()  # people were told of it
    mine = search(owner)
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 1
    assert not Announcement.objects.exists()


def test_only_the_newest_are_added(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(existing, "MOST_ITEMS", 3)
    numbers = [post(str(number), 5, at=NOW - number * DAY) for number in range(1, 6)]
    mine = search(owner)
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 3
    assert found(mine) == numbers[:3]


def test_a_removed_search_gets_nothing(owner: User) -> None:
    post("1", 5)
    mine = search(owner)
    bulk.unsubscribe(owner, [mine.pk])
    assert existing.add_existing(mine, now=NOW, clock=time.monotonic) == 0
    assert not Match.objects.exists()
