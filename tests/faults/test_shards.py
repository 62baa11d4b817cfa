"""Shards as processes: two with two workers each find what one would, whoever dies; and others take over."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from prometheus_client.mmap_dict import MmapedDict

from tests.chaos import interleavings
from tests.chaos.history import Ledger
from tests.chaos.kills import MATCH, pool
from tests.faults.auction_house import SECONDS_TO_MATCH, AuctionHouse, a_lot
from tests.faults.failpoints import Failpoints
from tests.running_system import RunningSystem, wait_until

pytestmark = pytest.mark.database

COUNT = 400


@pytest.fixture
def places(tmp_path: Path) -> Failpoints:
    directory = tmp_path / "failpoints"
    directory.mkdir()
    return Failpoints(directory)


@pytest.fixture
def sharded(tmp_path: Path, places: Failpoints) -> Iterator[RunningSystem]:
    fresh = RunningSystem(tmp_path / "var", MATCHING_SHARDS="2", FAILPOINTS=str(places.directory))
    with started(fresh) as running:
        yield running


def test_two_shards_with_two_workers_each_match_as_the_oracle_does_while_workers_are_killed(
    sharded: RunningSystem, places: Failpoints, tmp_path: Path
) -> None:
    """Four clients subscribe, edit, pause, unsubscribe and publish meanwhile."""
    plan = interleavings.Plan(seed=18, count=COUNT)
    ledger = Ledger(tmp_path / "ledger.jsonl")
    with (
        sharded.worker("match-0", "second-0") as second_0,
        sharded.worker("match-1", "second-1") as second_1,
        ThreadPoolExecutor(1) as thread,
    ):
        are_struck = threading.Event()
        running = thread.submit(interleavings.interleave, plan, sharded, ledger, is_enough=are_struck.is_set)
        try:
            strike(sharded, places, [*sharded.services(*MATCH), second_0, second_1])
            assert not running.done(), "they should have been killed in mid-stream"
        finally:
            are_struck.set()
        verdict = running.result()
    assert verdict.is_good, "\n".join(verdict.report())
    assert verdict.events >= COUNT
    assert verdict.matches > COUNT


def strike(system: RunningSystem, places: Failpoints, workers: list[psutil.Process]) -> None:
    """At some of them, when all have matched something, and at last the whole of the last one."""
    assert len(workers) == 4
    wait_until(
        lambda: all(matches_of(system, worker) for worker in workers),
        seconds=SECONDS_TO_MATCH,
        why=lambda: str([matches_of(system, worker) for worker in workers]),
    )
    for place in ("match.leased", "match.before-commit", "match.leased"):
        places.arm(place)
        places.wait_until_struck(place)  # who dies there holds leases, some of events of the others
    workers[-1].kill()


def test_events_that_wait_when_the_number_of_shards_changes_are_matched_once_by_the_new_ones(
    sharded: RunningSystem,
) -> None:
    """First there is one more, then there are two fewer."""
    with closing(AuctionHouse(sharded)) as house:
        wanted = [house.subscribe("price = 7") for _ in range(7)]
        assert house.matches_when_done(house.publish(a_lot(7))) == wanted
        for before, after in ((2, 3), (3, 1)):
            wait_until_all_know(sharded, f"engine: 7 subscriptions on {before} shards, 0 changes behind")
            answer = house.publisher.ask("POST", "events?dry_run=true", a_lot(7), good={200})
            assert answer.document["match_count"] == 7
            waiting = stopped_before_the_second_shard_has_matched(house, wanted, before)
            sharded.start(MATCHING_SHARDS=str(after))
            wait_until(
                lambda: not house.records.waiting(),
                seconds=SECONDS_TO_MATCH,
                why=lambda: sharded.log[-3000:],
            )
            ends = {(event.state, event.match_count) for event in house.records.recorded().events}
            assert ends == {("matched", 7)}
            assert [sorted(house.records.matches_of(event)) for event in waiting] == [wanted] * len(waiting)
            wait_until(lambda: matcher_of(sharded).get("ok"), seconds=SECONDS_TO_MATCH)
            assert "QueueNotFound" not in sharded.log


def wait_until_all_know(system: RunningSystem, told: str) -> None:
    wait_until(lambda: matcher_of(system).get("detail") == told, seconds=SECONDS_TO_MATCH)


def matcher_of(system: RunningSystem) -> dict[str, Any]:
    """Nothing while the web process is slow to answer."""
    found: dict[str, Any] = system.ready_parts().get("matcher", {})
    return found


def stopped_before_the_second_shard_has_matched(
    house: AuctionHouse, wanted: list[int], shards: int
) -> list[int]:
    """The system is stopped; the events wait for one of so many shards, and all others are done with them."""
    with house.nobody_matching("match-1"):
        waiting = [house.publish(a_lot(7)) for _ in range(5)]
        of_the_others = [number for number in wanted if number % shards != 1]
        found = [of_the_others] * len(waiting)
        wait_until(
            lambda: [sorted(house.records.matches_of(event)) for event in waiting] == found,
            seconds=SECONDS_TO_MATCH,
        )
        assert {house.event(event)["state"] for event in waiting} == {"accepted"}
        house.system.stop()
    return waiting


@contextmanager
def started(system: RunningSystem) -> Iterator[RunningSystem]:
    system.start()
    try:
        yield system
    finally:
        if system.process.poll() is None:
            system.stop()


def matches_of(system: RunningSystem, worker: psutil.Process) -> float:
    """How many matches the processes of this worker have written, by their own figures."""
    return sum(
        value
        for child in pool(worker)
        for key, value, *_ in _figures(system.var / "metrics" / f"counter_{child.pid}.db")
        if "lesubscribe_matches_total" in key
    )


def _figures(file: Path) -> list[tuple[str, float, float, int]]:
    if not file.exists() or not file.stat().st_size:  # it is empty at first
        return []
    return list(MmapedDict.read_all_values_from_file(str(file)))  # type: ignore[no-untyped-call]  # it has no types
