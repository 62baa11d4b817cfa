"""Snapshots: what is saved comes back, and the next one costs only what is new."""

import resource
from pathlib import Path
from typing import Any

import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine import snapshots
from matching.engine.engine import Engine
from tests.unit.matching.engine.filled import LOTS, filled
from tests.unit.matching.engine.lots import SCHEMA, search


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    engine = filled()
    expected = engine.match_many(LOTS)
    engine.save(tmp_path / "deep" / "snapshot", epoch=7, since="yesterday")
    again = Engine.open(tmp_path / "deep" / "snapshot")
    assert again.match_many(LOTS) == expected == engine.match_many(LOTS)
    assert len(again) == len(engine)
    assert again.facts == {"epoch": 7, "since": "yesterday"}
    assert again.schema.to_dict() == SCHEMA.to_dict()
    assert 0 not in again
    assert 1 in again
    again.check_invariants()


def test_an_empty_engine_comes_back_empty(tmp_path: Path) -> None:
    Engine(SCHEMA).save(tmp_path)
    again = Engine.open(tmp_path)
    assert (len(again), again.match_many(LOTS), dict(again.facts)) == (0, [set()] * len(LOTS), {})
    again.add(1, search("price < 5"))
    assert again.match(LOTS[0]) == {1}


def test_an_opened_engine_lives_on(tmp_path: Path) -> None:
    filled().save(tmp_path)
    engine = Engine.open(tmp_path, merging="when asked")
    engine.remove(1)
    engine.add(2, search("price = 9"))
    engine.load(SubscriptionColumns.of([(3_000, search("price = 9"))]))
    expected = engine.match_many(LOTS)
    assert {2, 3_000} <= expected[2]
    assert 1 not in expected[0]
    engine.save(tmp_path)
    again = Engine.open(tmp_path, merging="when asked")
    assert again.match_many(LOTS) == expected
    again.merge()
    assert again.match_many(LOTS) == expected
    again.check_invariants()


def test_the_next_snapshot_writes_only_what_is_new(tmp_path: Path) -> None:
    engine = filled()
    engine.save(tmp_path)
    before = {path.name: path.stat().st_ino for path in tmp_path.glob("segment-*")}
    engine.remove(1)
    engine.add(4_000, search("price < 1"))
    engine.save(tmp_path)
    after = {path.name: path.stat().st_ino for path in tmp_path.glob("segment-*")}
    assert before.items() < after.items()
    assert len(after) == len(before) + 1


def test_what_no_longer_belongs_to_it_is_deleted(tmp_path: Path) -> None:
    engine = filled()
    engine.save(tmp_path)
    engine.merge()
    engine.save(tmp_path)
    assert len(list(tmp_path.glob("segment-*"))) == 1
    assert len(list(tmp_path.glob("documents-*"))) == 1
    assert not list(tmp_path.glob("died-*"))
    assert Engine.open(tmp_path).match_many(LOTS) == engine.match_many(LOTS)


def test_a_save_that_fails_leaves_the_old_snapshot_and_the_next_one_is_whole(tmp_path: Path) -> None:
    """As on a full disk: files end in the middle."""
    engine = filled()
    engine.save(tmp_path, turn=1)
    engine.load(SubscriptionColumns.of((5_000 + at, search(f"price = {at}")) for at in range(2_000)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            engine.save(tmp_path, turn=2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert Engine.open(tmp_path).facts == {"turn": 1}
    engine.save(tmp_path, turn=3)
    again = Engine.open(tmp_path)
    assert again.facts == {"turn": 3}
    assert again.match_many(LOTS) == engine.match_many(LOTS)


def test_a_change_made_while_it_is_written_is_not_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are written beside the writers: here one comes at the worst moment."""
    engine = filled()
    expected = engine.match_many(LOTS)
    victim = next(iter(expected[0]))
    write = snapshots.save

    def interrupted(directory: Path, snapshot: snapshots.Snapshot, **options: Any) -> None:
        engine.remove(victim)
        write(directory, snapshot, **options)

    monkeypatch.setattr(snapshots, "save", interrupted)
    engine.save(tmp_path)
    again = Engine.open(tmp_path)
    assert again.match_many(LOTS) == expected
    again.check_invariants()
    again.remove(victim)
    assert victim not in again.match(LOTS[0])
