"""What a run is given: the keys that are known, and the subscriptions as they are."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from matching import change_log, metrics, services
from matching.engine.engine import Engine
from matching.keeping import Keeper
from matching.live_snapshots import UnfitSnapshotError
from matching.models import KeptSnapshot
from matching.nightly import known_keys, snapshot_for_run
from matching.recent.segments import microseconds
from schema_registry.accounts.models import Publisher, User
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema
from tests.integration.following import NOW
from tests.integration.nightly.nights import MUCH_MEMORY, house, lot, published_live
from tests.integration.snapshots import saved, started

pytestmark = pytest.mark.django_db


def keys_in(folder: Path) -> list[tuple[str, int]]:
    table = pq.read_table(folder)
    assert [str(column.type) for column in table.schema] == ["string", "int32", "string"]
    assert all(len(row["digest"]) == 64 for row in table.to_pylist())
    return [(row["external_id"], row["revision"]) for row in table.to_pylist()]


class TestKnownKeys:
    @pytest.fixture(autouse=True)
    def items(self, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
        """More than fit a batch; an item's revisions lie in several."""
        monkeypatch.setattr(known_keys, "ROWS_AT_ONCE", 3)
        for name, revisions in {"a": 1, "b": 5, "c": 2, "d": 1}.items():
            for price in range(revisions):
                published_live(lot(name, price))

    def test_the_newest_of_each_item_is_exported(self, tmp_path: Path) -> None:
        assert known_keys.export(house().pk, tmp_path / "known", all_revisions=False) == 4
        assert keys_in(tmp_path / "known") == [("a", 1), ("b", 5), ("c", 2), ("d", 1)]

    def test_or_all_of_them(self, tmp_path: Path) -> None:
        assert known_keys.export(house().pk, tmp_path / "known", all_revisions=True) == 9
        assert keys_in(tmp_path / "known")[1:6] == [("b", revision) for revision in range(1, 6)]

    def test_those_of_others_are_not_and_none_make_an_empty_table(self, tmp_path: Path) -> None:
        other = publisher_named("Other", state=Publisher.State.APPROVED)
        assert known_keys.export(other.pk, tmp_path / "known", all_revisions=False) == 0
        assert keys_in(tmp_path / "known") == []


class TestSnapshot:
    def test_it_has_all_that_is_matched_and_the_log_is_kept_from_there_on(
        self, owner: User, tmp_path: Path
    ) -> None:
        kept = services.subscribe(owner, "price < 10", now=NOW, valid_days=1).subscription
        paused = services.subscribe(owner, "price < 10", now=NOW).subscription
        services.change(paused, now=NOW, state=services.State.PAUSED)
        snapshot = snapshot_for_run.write(tmp_path, memory=MUCH_MEMORY, now=NOW)
        assert snapshot_for_run.read(tmp_path) == snapshot
        assert (snapshot.subscriptions, snapshot.shards) == (1, 1)
        event = current_schema().validate({"event_type": ["lot"], "price": 5})
        assert Engine.open(tmp_path / "snapshot-0").match(event) == {kept.pk}
        expiries = snapshot_for_run.expiries(tmp_path, snapshot)
        moments = np.array([microseconds(NOW + timedelta(days=days)) for days in (0, 2)])
        assert expiries.is_alive(np.array([kept.pk] * 2), moments).tolist() == [True, False]
        assert KeptSnapshot.objects.get().sequence == snapshot.sequence == change_log.last_change()
        assert snapshot_for_run.fitting(tmp_path) == snapshot
        snapshot_for_run.renew(tmp_path, now=NOW + timedelta(days=1))
        assert KeptSnapshot.objects.get().seen_at == NOW + timedelta(days=1)
        snapshot_for_run.forget(tmp_path)
        assert not KeptSnapshot.objects.exists()
        with pytest.raises(UnfitSnapshotError, match="does not know the snapshot"):
            snapshot_for_run.fitting(tmp_path)

    def test_it_is_split_where_it_would_not_fit(self, owner: User, tmp_path: Path) -> None:
        numbers = [services.subscribe(owner, "price < 10", now=NOW).subscription.pk for _ in range(7)]
        few = 3 * snapshot_for_run.BYTES_PER_SUBSCRIPTION
        snapshot = snapshot_for_run.write(tmp_path, memory=few, now=NOW)
        assert snapshot.shards == 3
        event = current_schema().validate({"event_type": ["lot"], "price": 5})
        found = [Engine.open(folder).match(event) for folder in snapshot.folders(tmp_path)]
        assert [len(each) for each in found] != [7, 7, 7]
        assert set().union(*found) == set(numbers)
        assert sum(map(len, found)) == 7

    def test_it_starts_from_that_of_a_worker_if_there_is_one(self, owner: User, tmp_path: Path) -> None:
        before = services.subscribe(owner, "price < 10", now=NOW).subscription
        saved(started(tmp_path / "worker"), keeper := Keeper(tmp_path / "worker"), now=NOW)
        keeper.leave()
        after = services.subscribe(owner, "price < 20", now=NOW).subscription
        run = tmp_path / "run"
        run.mkdir()
        starts = metrics.STARTS.labels("snapshot")._value.get()
        snapshot_for_run.write(run, memory=MUCH_MEMORY, now=NOW, snapshots=tmp_path / "worker")
        assert metrics.STARTS.labels("snapshot")._value.get() == starts + 1
        event = current_schema().validate({"event_type": ["lot"], "price": 5})
        assert Engine.open(run / "snapshot-0").match(event) == {before.pk, after.pk}
