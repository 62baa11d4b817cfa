"""A change that is interrupted half-way, as by a time limit, spoils nothing; trying again does it."""

import threading
from typing import Any

import pytest

from matching.engine import engine as production
from matching.engine import fresh
from matching.engine.engine import Engine
from matching.engine.single import SingleProgram
from tests.unit.matching.engine.lots import SCHEMA, lot, search

WISH = search("seller = x or price < 5")


class Interruption(BaseException):
    pass


def interrupted_at(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, call: int) -> None:
    """The method is interrupted when it is called for the so-manieth time."""
    plain, calls = getattr(owner, name), []

    def sometimes(*args: Any) -> Any:
        calls.append(name)
        if len(calls) == call:
            raise Interruption
        return plain(*args)

    monkeypatch.setattr(owner, name, sometimes)


@pytest.mark.parametrize(
    ("owner", "name", "call"),
    [(SingleProgram, "compile", 2), (fresh.Fresh, "_append", 1), (fresh.Fresh, "_append", 2)],
)
def test_an_addition_that_was_interrupted_can_be_made_again(
    owner: Any, name: str, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(SCHEMA, merging="when asked")
    engine.add(7, search("seller = x"))
    with monkeypatch.context() as patched:
        interrupted_at(patched, owner, name, call)
        with pytest.raises(Interruption):
            engine.add(1, WISH)
    assert engine.match(lot(seller="x", price=3)) == {7}
    engine.add(1, WISH)
    engine.add(2, search("seller = x"))
    for event, expected in ((lot(seller="x"), {1, 2, 7}), (lot(price=3), {1}), (lot(seller="y"), set())):
        assert engine.match(event) == expected
    engine.merge()
    engine.check_invariants()
    assert engine.match(lot(seller="x")) == {1, 2, 7}


def test_what_cannot_be_compiled_leaves_the_version_before_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(SCHEMA, merging="when asked")
    engine.add(1, WISH)
    with monkeypatch.context() as patched:
        interrupted_at(patched, SingleProgram, "compile", 1)
        with pytest.raises(Interruption):
            engine.add(1, search("seller = z"))
    engine.add(2, search("seller = y"))
    assert engine.match(lot(seller="x")) == {1}


def test_a_number_too_large_for_an_id_is_refused_and_forgotten() -> None:
    engine = Engine(SCHEMA, merging="when asked")
    with pytest.raises(OverflowError):
        engine.add(1 << 63, WISH)
    assert 1 << 63 not in engine
    engine.add(1, WISH)
    assert engine.match(lot(seller="x")) == {1}


def test_more_come_singly_than_one_part_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "ROOM", 5)
    monkeypatch.setattr(production, "ROOM", 5)
    fresh._constants.cache_clear()
    engine = Engine(SCHEMA, merging="when asked")
    for number in range(20):
        engine.add(number, WISH)
    for number in range(0, 20, 3):
        engine.remove(number)
    assert engine.match(lot(seller="x")) == {number for number in range(20) if number % 3}
    fresh._constants.cache_clear()


def test_without_a_thread_for_it_what_came_since_is_merged_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more_threads(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(production, "MOST_FRESH", 1)
    engine = Engine(SCHEMA)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", no_more_threads)
        engine.add(1, WISH)
    engine.merge()
    assert engine.match(lot(seller="x")) == {1}
