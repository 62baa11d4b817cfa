"""What goes round matching knows of shards: snapshots, wake-ups, dry runs, probes, the scheduler."""

from pathlib import Path

import pytest
from django_celery_beat.models import IntervalSchedule, PeriodicTask
from pytest_django import Settings
from structlog.testing import capture_logs

from lesubscribe import health
from lesubscribe.celery import app
from lesubscribe.scheduler import Scheduler
from matching import dry_run, leases, shedding, tasks, wakeups
from matching.envelopes import read_envelope
from matching.intake import checked
from matching.keeping import Keeper
from matching.live import LiveMatcher
from matching.probing import probe_matcher
from matching.shards import WHOLE, Shard, split
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.integration import cached
from tests.integration.following import NOW, answer, expected
from tests.integration.lots import make_lots
from tests.integration.sharding import FIRST, PRICES, SECOND, drained, matcher, publish_lot, subscribed
from tests.integration.snapshots import SECONDS_TO_SAVE, saved

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(settings: Settings) -> User:
    settings.MATCHING_SHARDS = 2
    make_lots()
    return User.objects.create_user("reader@example.org")


class TestSnapshots:
    def test_a_shard_starts_from_its_own(self, owner: User, tmp_path: Path) -> None:
        subscribed(owner)
        for shard in split(2):
            folder = shard.folder_in(tmp_path)
            live = LiveMatcher("engine", snapshots=folder, shard=shard)
            saved(live, Keeper(folder), now=NOW)
            numbers = subscribed(owner, 2)
            again = LiveMatcher("engine", snapshots=folder, shard=shard)
            assert again.snapshot == live.snapshot
            assert (again.snapshot.shard, again.snapshot.shards) == (shard.number, 2)  # type: ignore[union-attr]
            assert {number for number in expected(5, NOW) if shard.holds(number)} == answer(again, 5, NOW)
            assert len(again) == len(live) + sum(map(shard.holds, numbers))

    @pytest.mark.parametrize("other", [Shard(1, 2), Shard(0, 3), WHOLE])
    def test_one_of_another_shard_or_split_is_refused_with_a_sentence(
        self, owner: User, tmp_path: Path, other: Shard
    ) -> None:
        subscribed(owner)
        keeper = Keeper(tmp_path)
        saved(LiveMatcher("engine", snapshots=tmp_path, shard=other), keeper, now=NOW)
        with capture_logs() as log:
            live = LiveMatcher("engine", snapshots=tmp_path, shard=FIRST)
        (refused,) = [line for line in log if line["event"] == "snapshot_refused"]
        assert f"is of {other}, and needed is shard 0 of 2." in refused["reason"]
        assert live.snapshot is None
        assert answer(live, 5, NOW) == {number for number in expected(5, NOW) if FIRST.holds(number)}
        saved(live, keeper, now=NOW)  # and takes its place
        assert LiveMatcher("engine", snapshots=tmp_path, shard=FIRST).snapshot == live.snapshot

    def test_the_task_keeps_that_of_its_shard(
        self, owner: User, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.SNAPSHOTS = tmp_path
        keepers: dict[Shard, Keeper] = {}
        monkeypatch.setattr(tasks, "_live", {})
        monkeypatch.setattr(tasks, "_keepers", keepers)
        tasks.keep_matcher(1)
        keepers[SECOND].wait(SECONDS_TO_SAVE)
        assert [path.name for path in tmp_path.iterdir()] == ["shard-1"]
        assert LiveMatcher("engine", snapshots=tmp_path / "shard-1", shard=SECOND).snapshot is not None


class TestRoundAbout:
    def test_an_event_that_waits_on_several_shards_waits_once(self, owner: User) -> None:
        for price in PRICES:
            publish_lot(price)
        assert leases.waiting() == len(PRICES)
        backlog = shedding.Backlog(len(PRICES))
        assert not backlog.is_too_long()
        drained(FIRST)
        assert leases.waiting() == len(PRICES)
        drained(SECOND)
        assert leases.waiting() == 0

    def test_publishing_wakes_each_shard(self, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
        """With one message, as long as it waits."""
        cached.forget()
        sent: list[tuple[object, ...]] = []

        class Sender:
            def send_task(self, task: str, arguments: tuple[int], *, queue: str, expires: float) -> None:
                sent.append((task, *arguments, queue))

        monkeypatch.setattr(wakeups, "current_app", Sender())
        monkeypatch.setattr(wakeups, "_MARK_SECONDS", 600)
        wakeups.wake_matchers()
        wakeups.wake_matchers()
        drain = "matching.tasks.drain"
        assert sent == [(drain, 0, "match-0"), (drain, 1, "match-1")]
        wakeups.of_shard(SECOND).arrived()
        wakeups.wake_matchers()
        assert sent[2:] == [(drain, 1, "match-1")]

    def test_a_dry_run_adds_the_shards_up(self, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
        subscribed(owner, 5)
        publisher = publisher_named("House", state=Publisher.State.APPROVED)
        envelope = read_envelope({"external_id": "x", "event": {"event_type": ["lot"], "price": 1}})

        class Workers:
            """They answer at once."""

            def send_task(self, task: str, arguments: list[object], *, queue: str, expires: float) -> None:
                token, number = arguments
                assert queue == split(2)[int(str(number))].queue
                dry_run.answer(str(token), matcher(split(2)[int(str(number))]))

        monkeypatch.setattr(dry_run, "current_app", Workers())
        monkeypatch.setattr(dry_run, "PATIENCE_SECONDS", 600)
        ready = checked(publisher, envelope, current_schema())
        assert dry_run.match_count(ready, now=NOW) == 5

    def test_readyz_needs_a_matcher_of_each_shard(self, owner: User) -> None:
        cached.forget()
        subscribed(owner, 5)
        health.record_matcher(probe_matcher(matcher(FIRST)))
        states = {part.name: part for part in health.part_states()}
        assert states["matcher"].detail == "no worker of shard 1 of 2 has matched a probe event yet"
        health.record_matcher(probe_matcher(matcher(SECOND)))
        states = {part.name: part for part in health.part_states()}
        assert states["matcher"].ok
        assert states["matcher"].detail == "engine: 5 subscriptions on 2 shards, 0 changes behind"


@pytest.mark.django_db(transaction=True)
def test_the_scheduler_forgets_queues_that_are_no_more() -> None:
    every, _ = IntervalSchedule.objects.get_or_create(every=5, period=IntervalSchedule.SECONDS)
    for name, task in (("probe match-7", "lesubscribe.tasks.probe"), ("by hand", "someone.elses")):
        PeriodicTask.objects.create(name=name, task=task, interval=every)
    Scheduler(app=app)
    names = set(PeriodicTask.objects.values_list("name", flat=True))
    assert {"probe match", "keep match", "sweep", "by hand"} <= names
    assert "probe match-7" not in names
