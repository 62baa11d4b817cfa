"""Another number of shards: what was accepted for the old one and waits is finished under the new one."""

import pytest
from pytest_django import Settings

from matching import leases, recording, services, tasks
from matching.models import Announcement, MatchWork, PublishedEvent
from matching.shards import split
from matching.splitting import split_anew
from schema_registry.accounts.models import User
from tests.integration.lots import make_lots
from tests.integration.sharding import PRICES, drained, pairs, publish_lot, state_of, subscribed

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(settings: Settings) -> User:
    settings.MATCHING_SHARDS = 2
    make_lots()
    return User.objects.create_user("reader@example.org")


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (2, 3), (3, 2)])
@pytest.mark.parametrize("done", [0, 1])
def test_what_waits_is_finished_under_the_new_one(
    owner: User,
    settings: Settings,
    before: int,
    after: int,
    done: int,
) -> None:
    """Also what some of the old shards had done, or held when they were stopped."""
    numbers = subscribed(owner)
    settings.MATCHING_SHARDS = before
    events = [publish_lot(price) for price in PRICES]
    drained(*split(before)[: done if before > 1 else 0])
    held = leases.take(split(before)[-1])
    settings.MATCHING_SHARDS = after
    fresh = publish_lot(7)
    drained(*split(after))
    assert state_of(fresh) == ("matched", 6)
    assert {state_of(event) for event in events} == {("accepted", 0)}
    assert not split_anew(after)
    assert set(MatchWork.objects.values_list("shards", flat=True)) == {after}
    drained(*split(after)[1:])
    recording.record([(work, []) for work in held], shard=split(before)[-1])  # it was not dead
    if after > 1:
        assert {state_of(event) for event in events} == {("accepted", 0)}
    drained(split(after)[0])
    assert {state_of(event) for event in events} == {("matched", 6)}
    assert pairs() == {(event, number) for event in [*events, fresh] for number in numbers}
    assert Announcement.objects.count() == len(events) + 1
    assert not MatchWork.objects.exists()


def test_it_goes_in_small_steps_and_may_be_repeated(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matching.splitting.ROWS_PER_TRANSACTION", 12)
    events = [publish_lot(price) for price in range(10)]
    assert split_anew(3, seconds=0)
    assert MatchWork.objects.filter(shards=3).count() == 6
    assert MatchWork.objects.filter(shards=2).count() == 16
    assert not split_anew(3)
    assert not split_anew(3)
    rows = MatchWork.objects.order_by("event", "shard").values_list("event", "shard", "shards")
    assert list(rows) == [(event, number, 3) for event in events for number in range(3)]


def test_what_ended_meanwhile_gets_no_new_work(owner: User) -> None:
    done, withdrawn, waiting = (publish_lot(price) for price in (1, 2, 3))
    MatchWork.objects.filter(event=done).delete()
    PublishedEvent.objects.filter(pk=done).update(state="matched")
    services.withdraw(PublishedEvent.objects.get(pk=withdrawn))
    assert not split_anew(1)
    assert [work.event_id for work in MatchWork.objects.all()] == [waiting]


def test_the_sweeper_does_it(owner: User, settings: Settings) -> None:
    event = publish_lot(5)
    settings.MATCHING_SHARDS = 1
    tasks.sweep()
    assert list(MatchWork.objects.values_list("event", "shards")) == [(event, 1)]
