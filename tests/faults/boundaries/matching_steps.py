"""From intake to match: publishing, leases, recording, parking, splitting; and changes of subscriptions."""

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from matching import (
    bulk,
    change_log,
    existing,
    expiring,
    leases,
    parked,
    recording,
    retention,
    services,
    splitting,
)
from matching.drafts import drafted
from matching.intake import publish, publish_many
from matching.keeping import MERGED_EVERY, Keeper
from matching.live import LiveMatcher
from matching.live_snapshots import Facts
from matching.models import (
    Announcement,
    ChangeCounter,
    Match,
    MatchWork,
    PublishedEvent,
    Subscription,
    SubscriptionChange,
)
from matching.shards import split
from schema_registry.selectors import current_schema
from tests.faults.boundaries.world import Action, World, assert_knows_all, matches, states, step
from tests.integration.following import NOW, answer, expected
from tests.integration.snapshots import SECONDS_TO_SAVE, saved, started

State = Subscription.State


@step("publish")
def one_is_published(world: World) -> Iterator[Action]:
    wanted, ready = world.subscribe(), world.lot()
    yield lambda: publish(world.house, ready, now=NOW, idempotency_key="once")
    event = PublishedEvent.objects.get()
    world.drain()
    assert matches() == [(event.pk, wanted.pk)]


@step("publish-batch")
def many_are_published(world: World) -> Iterator[Action]:
    wanted, batch = world.subscribe(), [world.lot() for _ in range(3)]
    yield lambda: publish_many(world.house, batch, now=NOW)
    assert states() == ["accepted"] * 3
    world.drain()
    assert matches() == [(event.pk, wanted.pk) for event in PublishedEvent.objects.order_by("pk")]


@step("withdraw")
def one_is_withdrawn(world: World) -> Iterator[Action]:
    world.subscribe()
    event = world.publish()
    yield lambda: services.withdraw(event)
    world.drain()
    assert (states(), matches(), MatchWork.objects.count()) == (["withdrawn"], [], 0)


@step("match")
def some_are_matched(world: World) -> Iterator[Action]:
    world.patch.setattr(recording, "ROWS_PER_TRANSACTION", 2)
    wanted = [world.subscribe() for _ in range(3)]
    events = [world.publish() for _ in range(2)]
    yield world.drain
    while MatchWork.objects.exists():  # from its second attempt one is taken alone
        world.let_leases_run_out()
        world.drain()
    assert states() == ["matched"] * 2
    assert matches() == [(event.pk, each.pk) for event in events for each in wanted]
    assert set(PublishedEvent.objects.values_list("match_count", flat=True)) == {3}
    assert Announcement.objects.count() == 2


@step("park")
def one_is_parked(world: World) -> Iterator[Action]:
    wanted, poison = world.subscribe(), world.publish()
    MatchWork.objects.update(attempts=leases.MOST_ATTEMPTS, leased_until=timezone.now() - timedelta(hours=1))
    after = world.publish()
    yield world.drain
    world.let_leases_run_out()
    world.drain()
    poison.refresh_from_db()
    assert (states(), poison.reason) == (["parked", "matched"], "No worker survived matching it 5 times.")
    assert matches() == [(after.pk, wanted.pk)]


def _parked(world: World) -> PublishedEvent:
    event = world.publish()
    MatchWork.objects.all().delete()
    PublishedEvent.objects.update(state="parked", reason="It was too large.")
    return event


@step("retry")
def a_parked_one_is_tried_again(world: World) -> Iterator[Action]:
    wanted, event = world.subscribe(), _parked(world)

    def retry() -> None:
        with suppress(parked.NotParked):
            parked.retry(event)

    yield retry
    world.drain()
    assert (states(), matches()) == (["matched"], [(event.pk, wanted.pk)])


@step("retry-all")
def parked_ones_are_tried_again(world: World) -> Iterator[Action]:
    world.subscribe()
    _parked(world), _parked(world)
    yield lambda: parked.retry_all("It was too large.", most=10)
    world.drain()
    assert (states(), len(matches())) == (["matched"] * 2, 2)


@step("split")
def what_waits_is_split_anew(world: World) -> Iterator[Action]:
    wanted = [world.subscribe() for _ in range(4)]
    event = world.publish()
    yield lambda: splitting.split_anew(2)
    assert sorted(MatchWork.objects.values_list("shard", "shards")) == [(0, 2), (1, 2)]
    for shard in split(2):
        world.drain(shard)
    assert (states(), matches()) == (["matched"], [(event.pk, each.pk) for each in wanted])


@step("existing")
def what_is_there_already_comes_into_the_feed(world: World) -> Iterator[Action]:
    event = world.publish()
    world.drain()
    wanted = world.subscribe()
    yield lambda: existing.add_existing(wanted, now=NOW + timedelta(minutes=1), clock=time.monotonic)
    assert matches() == [(event.pk, wanted.pk)]


@step("subscriptions")
def subscribing(world: World) -> Iterator[Action]:
    follower = _follower(world)
    drafts = [drafted(text, current_schema()) for text in ("price < 10", "price = 5")]
    yield lambda: services.subscribe_missing(world.owner, drafts, now=NOW)
    assert Subscription.objects.count() == 2
    assert_knows_all(follower)


@step("subscriptions")
def subscribing_to_one(world: World) -> Iterator[Action]:
    """Who was told nothing asks again, and may have two."""
    follower = _follower(world)
    yield lambda: world.subscribe("price < 10")
    assert Subscription.objects.count() == (1 if world.place.endswith("before-commit") else 2)
    assert_knows_all(follower)


@step("subscriptions")
def changing(world: World) -> Iterator[Action]:
    row = world.subscribe("price < 4")
    follower = _follower(world)
    yield lambda: services.change(row, now=NOW, text="price > 4", state=State.MUTED)
    assert answer(follower, 3, NOW) == {row.pk}
    assert_knows_all(follower)
    assert (answer(follower, 3, NOW), answer(follower, 5, NOW)) == (set(), {row.pk})


@step("subscriptions")
def renewing(world: World) -> Iterator[Action]:
    row = world.subscribe(valid_days=1)
    follower = _follower(world)
    yield lambda: services.renew(row, now=NOW, valid_days=30)
    assert_knows_all(follower)
    assert answer(follower, 5, NOW + timedelta(days=29)) == {row.pk}


@step("subscriptions")
def unsubscribing(world: World) -> Iterator[Action]:
    row = world.subscribe()
    follower = _follower(world)

    def unsubscribe() -> None:
        with suppress(Subscription.DoesNotExist):
            services.unsubscribe(row)

    yield unsubscribe
    assert_knows_all(follower)
    assert len(follower) == 0


@step("subscriptions")
def restoring(world: World) -> Iterator[Action]:
    row = world.subscribe()
    services.unsubscribe(row)
    follower = _follower(world)

    def restore() -> None:
        with suppress(Subscription.DoesNotExist):
            services.restore(row.pk, owner=world.owner)

    yield restore
    assert_knows_all(follower)
    assert len(follower) == 1


@step("subscriptions")
def changing_many(world: World) -> Iterator[Action]:
    """The second time those that are done are passed over."""
    world.patch.setattr(bulk, "CHANGES_AT_ONCE", 2)
    numbers = [world.subscribe().pk for _ in range(5)]
    follower = _follower(world)

    def change() -> None:
        bulk.change(world.owner, numbers, state=State.PAUSED, now=NOW)
        bulk.renew(world.owner, numbers[:2], now=NOW)
        bulk.unsubscribe(world.owner, numbers[2:])
        bulk.restore(world.owner, numbers[3:])

    yield change
    assert_knows_all(follower)
    rows = Subscription.objects.order_by("pk").values_list("state", flat=True)
    assert list(rows) == ["paused", "paused", "removed", "paused", "paused"]


@step("subscriptions")
def expiring_some(world: World) -> Iterator[Action]:
    kept, _ended = world.subscribe(valid_days=9), world.subscribe(valid_days=1)
    follower = _follower(world)
    yield lambda: expiring.expire(now=NOW + timedelta(days=2))
    assert_knows_all(follower)
    assert answer(follower, 5, NOW) == {kept.pk}


@step("cut-log")
def the_log_is_cut(world: World) -> Iterator[Action]:
    world.patch.setattr(change_log, "KEPT_CHANGES", 2)
    world.patch.setattr(change_log, "ROWS_PER_TRANSACTION", 2)
    far_behind = _follower(world)
    for price in range(7):
        world.subscribe(f"price = {price}")
    yield lambda: change_log.cut(now=NOW)
    assert list(SubscriptionChange.objects.values_list("sequence", flat=True)) == [6, 7]
    assert ChangeCounter.objects.get().cut_up_to == 5
    assert_knows_all(far_behind)


@step("snapshot")
def the_matcher_is_saved(world: World) -> Iterator[Action]:
    folder = world.folder / "engine"
    world.subscribe("price < 10")
    before = _saved(folder, hours=0)
    world.subscribe("price = 5", valid_days=1)
    yield lambda: _saved(folder, hours=1)
    again = started(folder)
    assert again.snapshot is not None
    assert again.snapshot.sequence > before.sequence
    assert_knows_all(again)
    assert not list(folder.rglob("unfinished-*"))


@step("merge")
def the_matcher_is_merged(world: World) -> Iterator[Action]:
    folder = world.folder / "engine"
    for price in range(4):
        world.subscribe(f"price = {price}")
    _saved(folder, hours=0)
    world.subscribe("price < 10")
    later = NOW + 2 * MERGED_EVERY

    def merge() -> LiveMatcher:
        live, keeper = started(folder), Keeper(folder)
        keeper.tend(live, now=later)
        keeper.wait(SECONDS_TO_SAVE)
        return live

    yield merge
    merged = merge()
    assert merged.merged_at == later
    assert answer(merged, 3, NOW) == expected(3, NOW)
    assert_knows_all(started(folder))


@step("forget-matches")
@step("forget-events")
def old_ones_are_forgotten(world: World) -> Iterator[Action]:
    world.patch.setattr(retention, "_EVENTS_AT_ONCE", 2)
    world.subscribe()
    for _ in range(3):
        world.publish()
    world.drain()
    PublishedEvent.objects.update(accepted_at=NOW - timedelta(days=400))
    kept = world.publish()
    world.drain()
    yield lambda: retention.forget_before(NOW - timedelta(days=365))
    assert list(PublishedEvent.objects.values_list("pk", flat=True)) == [kept.pk]
    assert list(Match.objects.values_list("event", flat=True)) == [kept.pk]


def _saved(folder: Path, *, hours: int) -> Facts:
    """By a process that ends afterwards, so others may save."""
    keeper = Keeper(folder)
    try:
        return saved(started(folder), keeper, now=NOW + timedelta(hours=hours))
    finally:
        keeper.leave()


def _follower(world: World) -> LiveMatcher:
    """A worker that has begun before, and reads what changes from the log."""
    assert world.owner
    return LiveMatcher("quarantining")
