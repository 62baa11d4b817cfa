"""The small measurements measure what they say, on small engines."""

import json
import threading
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks import batches, cell, changes, own_process, start
from benchmarks.batches import Batches
from benchmarks.cell import Cell
from benchmarks.changes import Changes
from benchmarks.ready import ready_engine
from benchmarks.start import Start
from matching import workloads
from matching.engine.engine import Engine
from matching.workloads import Workload

SUBSCRIPTIONS = 300
ENDLESS = Cell(workload="lesubscribe", algorithm="naive", subscriptions=3_000_000, events=1)


def silent(stage: str, share: float) -> None:
    pass


@pytest.fixture(scope="module")
def workload() -> Workload:
    return workloads.create("lesubscribe")


@pytest.fixture(scope="module")
def engine(workload: Workload) -> Engine:
    return ready_engine(workload, SUBSCRIPTIONS, silent)


def test_changes_are_timed_and_all_made() -> None:
    asked = Changes(workload="lesubscribe", subscriptions=SUBSCRIPTIONS, events=3, fresh=10)
    row = changes.measure(asked, silent)
    assert all(figure > 0 for figure in row.values())
    assert row["fresh_ratio"] == row["us_per_event_with_fresh"] / row["us_per_event"]
    assert row["merge_ratio"] == row["p99_us_beside_merge"] / row["p99_us"]


def test_matches_go_on_until_the_work_beside_them_is_done(workload: Workload, engine: Engine) -> None:
    matched = threading.Event()
    events = workload.events(2)

    class Listening(Engine):
        def match_ids(self, event):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            matched.set()
            return engine.match_ids(event)

    listening = Listening(workload.schema)
    times = changes.matching_times_beside(lambda: matched.wait(60), listening, events)
    assert matched.is_set()
    assert len(times) >= 1


def test_batches_of_every_size_and_threads_are_timed() -> None:
    row = batches.measure(Batches(workload="peers-eq", subscriptions=SUBSCRIPTIONS, events=12), silent)
    assert set(row["us_per_event"]) == {"1", "10", "100", "1000"}
    assert set(row["events_per_second"]) == {"1", "2"}
    assert min(*row["us_per_event"].values(), *row["events_per_second"].values()) > 0


def test_the_steps_of_a_start_are_timed_one_after_the_other(
    workload: Workload, engine: Engine, tmp_path: Path
) -> None:
    engine.save(tmp_path / "snapshot")
    (tmp_path / "event.json").write_text(json.dumps(workload.events(1)[0].to_dict()))
    moments = start.first_answer(tmp_path / "snapshot", tmp_path / "event.json")
    assert len(moments) == len(start.STEPS)
    assert moments == sorted(moments)


def test_a_start_is_that_of_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "TIMES", 1)
    asked = Start(workload="lesubscribe", subscriptions=SUBSCRIPTIONS, without_cache=False)
    row = start.measure(asked, silent)
    assert set(row["parts"]) == set(start.STEPS)
    assert row["seconds"] == pytest.approx(sum(row["parts"].values()))
    assert row["snapshot_bytes"] > 0


def test_what_is_slow_is_timed_on_fewer_events() -> None:
    events = range(100)
    passes, matches = cell._timed_passes(lambda event: [event], events, 0.0, silent)
    assert [len(each) for each in passes] == [cell.FEWEST_EVENTS]
    assert matches == 1
    passes, _ = cell._timed_passes(lambda event: [event], events, 60.0, silent)
    assert [len(each) for each in passes] == [100] * cell.MOST_PASSES


def test_a_process_that_takes_too_long_is_ended() -> None:
    with pytest.raises(own_process.NoResultError, match="took longer"):
        own_process.row_of("benchmarks.cell", asdict(ENDLESS), silent, most_seconds=0.01)


def test_a_process_without_a_result_is_said_to_have_none() -> None:
    with pytest.raises(own_process.NoResultError, match="exit code 1"):
        own_process.row_of("benchmarks.nothing", {}, silent)
