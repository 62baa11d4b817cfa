"""The matcher of a worker is merged and saved beside its work, and the log cut that nobody needs."""

import random
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings
from structlog.testing import capture_logs

from matching import change_log, keeping, services, tasks
from matching.keeping import MERGED_EVERY, SAVED_EVERY, Keeper
from matching.live import LiveMatcher
from matching.models import ChangeCounter, KeptSnapshot, SubscriptionChange
from matching.shards import WHOLE
from schema_registry.accounts.models import User
from tests.integration.following import NOW, answer, expected, random_change
from tests.integration.lots import make_lots
from tests.integration.snapshots import SECONDS_TO_SAVE, saved, started


@pytest.fixture
def owner(db: None) -> User:
    make_lots()
    return User.objects.create_user("reader@example.org")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "engine"


@pytest.fixture
def keep_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_log, "KEPT_CHANGES", 0)


def numbers_in_the_log() -> list[int]:
    return list(SubscriptionChange.objects.order_by("sequence").values_list("sequence", flat=True))


def subscribe(owner: User, count: int) -> None:
    for number in range(count):
        services.subscribe(owner, f"price = {number}", now=NOW)


class TestSaving:
    def test_it_is_saved_at_first_and_then_when_something_has_changed_for_a_while(
        self, owner: User, folder: Path
    ) -> None:
        keeper, live = Keeper(folder), started(folder)
        first = saved(live, keeper, now=NOW)
        later = NOW + 2 * SAVED_EVERY
        keeper.tend(live, now=later)
        assert live.snapshot == first
        subscribe(owner, 1)
        live.catch_up()
        keeper.tend(live, now=NOW + SAVED_EVERY + timedelta(seconds=2))
        assert live.snapshot == first
        assert saved(live, keeper, now=later) != first

    def test_the_database_knows_the_one_that_is_there(self, owner: User, folder: Path) -> None:
        keeper, live = Keeper(folder), started(folder)
        for turn in range(3):
            subscribe(owner, 2)
            kept = saved(live, keeper, now=NOW + turn * timedelta(hours=1))
            assert list(KeptSnapshot.objects.values_list("token", "sequence")) == [
                (kept.token, 2 * (turn + 1))
            ]
        assert [path.name for path in folder.glob("expiries-*") if path.name == kept.expiries]

    def test_of_two_workers_one_saves_and_the_other_takes_over_when_it_has_gone(
        self, owner: User, folder: Path
    ) -> None:
        first, second = Keeper(folder), Keeper(folder)
        live, other = started(folder), started(folder)
        saved(live, first, now=NOW)
        second.tend(other, now=NOW)
        assert other.snapshot is None
        first.leave()
        kept = saved(other, second, now=NOW + SAVED_EVERY)
        assert [row.token for row in KeptSnapshot.objects.all()] == [kept.token]

    def test_a_disk_that_cannot_be_written_stops_nobody(self, owner: User, folder: Path) -> None:
        keeper, live = Keeper(folder), started(folder)
        first = saved(live, keeper, now=NOW)
        (folder / "segments").rename(folder / "aside")
        (folder / "segments").touch()
        subscribe(owner, 1)
        live.catch_up()
        with capture_logs() as log:
            keeper.tend(live, now=NOW + timedelta(hours=1))
            keeper.wait(SECONDS_TO_SAVE)
        assert "matcher_not_kept" in [line["event"] for line in log]
        assert answer(live, 0, NOW) == expected(0, NOW)
        (folder / "segments").unlink()
        (folder / "aside").rename(folder / "segments")
        keeper.tend(live, now=NOW + timedelta(days=1))
        assert first != saved(live, keeper, now=NOW + timedelta(days=1))
        assert KeptSnapshot.objects.count() == 1

    def test_a_matcher_without_snapshots_is_left_alone(self, owner: User, folder: Path) -> None:
        live = LiveMatcher("quarantining", snapshots=folder)
        Keeper(folder).tend(live, now=NOW)
        assert not folder.exists()
        assert not KeptSnapshot.objects.exists()

    def test_the_task_does_it(
        self, owner: User, folder: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
    ) -> None:
        settings.SNAPSHOTS = folder
        keeper = Keeper(folder)
        monkeypatch.setattr(tasks, "_live", {})
        monkeypatch.setattr(tasks, "_keepers", {WHOLE: keeper})
        tasks.keep_matcher()
        keeper.wait(SECONDS_TO_SAVE)
        assert started(folder).snapshot == tasks.live_matcher(WHOLE).snapshot


class TestMerging:
    def test_it_is_merged_after_many_changes_and_after_some_hours(
        self, owner: User, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(keeping, "FEW_CHANGES", 10)
        keeper, live = Keeper(folder), started(folder)
        saved(live, keeper, now=NOW)
        assert live.merged_at == NOW + SAVED_EVERY
        subscribe(owner, 11)
        live.catch_up()
        soon = NOW + timedelta(hours=1)
        keeper.tend(live, now=soon)
        keeper.wait(SECONDS_TO_SAVE)
        assert (live.merged_at, live.changes) == (soon, 0)
        assert answer(live, 5, NOW) == expected(5, NOW)
        saved(live, keeper, now=soon)
        assert started(folder).merged_at == soon
        keeper.tend(live, now=soon + MERGED_EVERY)
        assert live.merged_at == soon + MERGED_EVERY
        keeper.wait(SECONDS_TO_SAVE)


class TestCutting:
    def test_nothing_is_cut_that_the_oldest_snapshot_needs(
        self, owner: User, folder: Path, tmp_path: Path, keep_nothing: None
    ) -> None:
        subscribe(owner, 3)
        saved(started(folder), Keeper(folder), now=NOW)
        subscribe(owner, 3)
        saved(started(tmp_path / "other"), Keeper(tmp_path / "other"), now=NOW)
        assert not change_log.cut(now=NOW)
        assert numbers_in_the_log() == [4, 5, 6]
        assert started(folder).snapshot is not None
        assert len(started(folder)) == 6

    def test_without_snapshots_the_newest_changes_stay(
        self, owner: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(change_log, "KEPT_CHANGES", 2)
        change_log.cut(now=NOW)
        assert ChangeCounter.objects.count() == 0
        subscribe(owner, 5)
        change_log.cut(now=NOW)
        assert numbers_in_the_log() == [4, 5]
        assert change_log.cut_up_to() == 3

    def test_a_snapshot_that_nobody_has_seen_for_days_holds_up_nothing(
        self, owner: User, folder: Path, keep_nothing: None
    ) -> None:
        keeper, live = Keeper(folder), started(folder)
        saved(live, keeper, now=NOW)
        subscribe(owner, 3)
        change_log.cut(now=NOW + timedelta(days=2))
        assert numbers_in_the_log() == [1, 2, 3]
        change_log.cut(now=NOW + timedelta(days=4))
        assert numbers_in_the_log() == []
        assert started(folder).snapshot is None

    def test_one_in_use_says_that_it_is_there(self, owner: User, folder: Path) -> None:
        keeper, live = Keeper(folder), started(folder)
        saved(live, keeper, now=NOW)
        keeper.tend(live, now=NOW + timedelta(days=5))
        keeper.wait(SECONDS_TO_SAVE)
        keeper.tend(live, now=NOW + timedelta(days=5, minutes=1))
        change_log.cut(now=NOW + timedelta(days=6))
        assert KeptSnapshot.objects.exists()

    def test_stopped_anywhere_it_goes_on_where_it_was(
        self, owner: User, monkeypatch: pytest.MonkeyPatch, keep_nothing: None
    ) -> None:
        monkeypatch.setattr(change_log, "ROWS_PER_TRANSACTION", 2)
        subscribe(owner, 7)
        left = []
        while change_log.cut(now=NOW, seconds=0):
            left.append(len(numbers_in_the_log()))
        assert left == [5, 3, 1, 0]

    def test_one_that_was_too_far_behind_starts_anew(
        self, owner: User, folder: Path, keep_nothing: None
    ) -> None:
        lagging = [started(folder), LiveMatcher("engine"), LiveMatcher("quarantining")]
        subscribe(owner, 4)
        saved(started(folder), Keeper(folder), now=NOW)
        change_log.cut(now=NOW)
        services.subscribe(owner, "price < 10", now=NOW)
        for live in lagging:
            with capture_logs() as log:
                live.catch_up()
            assert "log_was_cut" in [line["event"] for line in log]
            assert (len(live), live.behind()) == (5, 0)
            assert answer(live, 3, NOW) == expected(3, NOW)
        assert lagging[0].snapshot is not None

    @pytest.mark.parametrize("seed", range(4))
    def test_however_far_a_worker_lags_no_change_is_lost(
        self, owner: User, folder: Path, seed: int, keep_nothing: None
    ) -> None:
        rng = random.Random(seed)
        keeper = Keeper(folder)
        workers = [started(folder), started(folder), LiveMatcher("quarantining")]
        for step in range(40):
            now = NOW + step * timedelta(hours=1)
            for _ in range(rng.randrange(4)):
                random_change(owner, rng, now)
            match rng.randrange(4):
                case 0:
                    saved(workers[0], keeper, now=now)
                case 1:
                    change_log.cut(now=now)
                case 2:
                    workers[1] = started(folder)
            live = rng.choice(workers)
            live.catch_up()
            price = rng.choice([3, 5, 12, 25])
            assert answer(live, price, now) == expected(price, now), f"seed {seed}, step {step}"

    def test_the_task_does_it(self, owner: User, keep_nothing: None) -> None:
        subscribe(owner, 3)
        KeptSnapshot.objects.create(token="one", sequence=2, seen_at=timezone.now())
        tasks.cut_log()
        assert numbers_in_the_log() == [3]
