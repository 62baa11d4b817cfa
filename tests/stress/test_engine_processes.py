"""Snapshots among processes: killed in the middle of saving, and shared by several."""

import multiprocessing
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine.engine import Engine
from tests.stress import engine_processes
from tests.stress.engine_processes import SCHEMA, answer, cheaper_than, ids_at, save_without_end

USUAL_KILLS = 12
PATIENCE = 600.0  # seconds for a process to start


@pytest.fixture(scope="module")
def processes() -> multiprocessing.context.ForkServerContext:
    """They are forked from one that has all imported, so that starting many takes no time."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([engine_processes.__name__])
    return context


@contextmanager
def running(
    processes: multiprocessing.context.ForkServerContext,
    work: Callable[[Path, Connection], None],
    directory: Path,
) -> Iterator[tuple[BaseProcess, Connection]]:
    ours, theirs = processes.Pipe()
    process = processes.Process(target=work, args=(directory, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join()
        ours.close()


def said_by(connection: Connection) -> object:
    assert connection.poll(PATIENCE)
    return connection.recv()


def start(directory: Path) -> Engine:
    """A snapshot with the subscriptions 0 to 2, 1 gone, beside many that are never asked for."""
    engine = Engine(SCHEMA)
    many = ((10_000_000 + each, cheaper_than(-each)) for each in range(2_000))
    engine.load(SubscriptionColumns.of([*many, (0, cheaper_than(5)), (2, cheaper_than(5))]))
    engine.save(directory, number=2)
    return engine


def test_a_process_killed_while_it_saves_leaves_a_snapshot_that_opens(
    processes: multiprocessing.context.ForkServerContext, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    rng = random.Random(seed)
    start(tmp_path)
    newest = 2
    for _ in range(pytestconfig.getoption("deep") or USUAL_KILLS):
        with running(processes, save_without_end, tmp_path) as (process, connection):
            for _ in range(rng.randint(1, 4)):
                told = said_by(connection)
                assert isinstance(told, int)
                newest = told
            connection.poll(rng.random() * 0.02)
            process.kill()
            process.join()
            while connection.poll():
                try:
                    newest = connection.recv()
                except EOFError:
                    break
        engine = Engine.open(tmp_path)
        found = engine.facts["number"]
        assert found in (newest, newest + 1)
        assert ids_at(engine, 1) == [each for each in range(found + 1) if each != found - 1]
        engine.check_invariants()
        newest = found
    engine.save(tmp_path)
    assert not list(tmp_path.glob("manifest.json.*"))  # what the killed ones left behind


def test_two_processes_share_a_snapshot_and_keep_theirs_when_the_next_one_comes(
    processes: multiprocessing.context.ForkServerContext, tmp_path: Path
) -> None:
    engine = start(tmp_path)
    names = {path.name for path in tmp_path.glob("segment-*")}
    with (
        running(processes, answer, tmp_path) as (_, first),
        running(processes, answer, tmp_path) as (_, second),
    ):
        for each in (first, second):
            mapped = said_by(each)
            assert isinstance(mapped, dict)
            assert mapped.keys() >= names
            assert all("w" not in rights for rights in mapped.values())
        engine.remove(0)
        engine.add(9, cheaper_than(7))
        engine.merge()
        engine.save(tmp_path, number=3)
        assert not names & {path.name for path in tmp_path.iterdir()}
        for each in (first, second):
            each.send(1)
            assert said_by(each) == [0, 2]
        with running(processes, answer, tmp_path) as (_, third):
            said_by(third)
            third.send(1)
            assert said_by(third) == [2, 9]


def test_an_opened_engine_saves_where_others_have_the_old_one_mapped(
    processes: multiprocessing.context.ForkServerContext, tmp_path: Path
) -> None:
    start(tmp_path)
    with running(processes, answer, tmp_path) as (_, other):
        said_by(other)
        engine = Engine.open(tmp_path)
        engine.add(3, cheaper_than(5))
        engine.remove(2)
        engine.save(tmp_path)
        engine.merge()
        engine.save(tmp_path)
        other.send(1)
        assert said_by(other) == [0, 2]
    assert ids_at(Engine.open(tmp_path), 1) == [0, 3]
