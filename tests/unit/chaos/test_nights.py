"""The judge of killed nights is judged itself: by rows that are lost, doubled or wrong, and by nights that
prove nothing.
"""

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from tests.chaos.night_market import compared, tellings
from tests.chaos.nights import COMMAND, DRIVER, Kill, Nights, Outcome, is_done, run_again, was_loaded

GOOD = Outcome(
    seed=1,
    database="sqlite",
    kills=1,
    kills_of_the_driver=1,
    kills_missed=0,
    killed_at=["driver at matching"],
    events=300,
    matches=4_000,
    deliveries=201,
    lost=0,
    wrong=0,
    changed_by_running_again=0,
    seconds=60.0,
)
# Two matches of event 1 and one of event 2, all on channel 5; the second event came into digest 21.
MATCHES = [(10, 1, 5), (11, 1, 5), (12, 2, 5)]
ENTRIES = [(10, 1, 5, 20), (11, 1, 5, 20), (12, 2, 5, 21)]
DELIVERIES = [(1, 5, 20)]


@pytest.mark.parametrize(
    ("found", "faults"),
    [
        ("ab", (0, 0)),
        ("abc", (0, 0)),
        ("a", (1, 0)),
        ("abb", (0, 1)),
        ("abccc", (0, 2)),
        ("abd", (0, 1)),
        ("add", (1, 2)),
    ],
)
def test_what_is_lost_and_what_is_wrong_or_doubled_is_counted(found: str, faults: tuple[int, int]) -> None:
    assert compared(Counter(found), must=set("ab"), may=set("abc")) == faults


def test_where_nothing_is_left_open_only_what_must_be_there_may() -> None:
    assert compared(Counter("abc"), must=set("ab")) == (0, 1)


def test_each_match_in_one_entry_and_each_event_in_one_delivery_is_good() -> None:
    assert tellings(MATCHES, ENTRIES, DELIVERIES) == (0, 0)


@pytest.mark.parametrize(
    ("entries", "deliveries", "faults"),
    [
        (ENTRIES[1:], DELIVERIES, (1, 0)),  # one of an event's matches is not told
        (ENTRIES[:2], DELIVERIES, (2, 0)),  # an event is not told at all, nor is its match
        (ENTRIES, [*DELIVERIES, (1, 5, 22)], (0, 1)),  # a second delivery, which tells of nothing
        (ENTRIES, [*DELIVERIES, (2, 5, 22)], (0, 1)),  # one more than the digest
        ([(10, 1, 5, 22), *ENTRIES[1:]], DELIVERIES, (0, 1)),  # the matches of an event in two deliveries
        ([*ENTRIES, (12, 2, 5, 21)], DELIVERIES, (0, 1)),  # a match twice in one delivery
        ([*ENTRIES, (12, 2, 6, 23)], DELIVERIES, (0, 2)),  # on another's channel, in a delivery for that
    ],
)
def test_whoever_is_told_twice_or_not_at_all_is_found(
    entries: list[tuple[int, int, int, int]],
    deliveries: list[tuple[int, int, int]],
    faults: tuple[int, int],
) -> None:
    assert tellings(MATCHES, entries, deliveries) == faults


def test_a_night_without_a_fault_is_good() -> None:
    assert GOOD.is_good


@pytest.mark.parametrize(
    "bad",
    [
        replace(GOOD, lost=1),
        replace(GOOD, wrong=1),
        replace(GOOD, changed_by_running_again=1),
        replace(GOOD, kills_missed=1),
        replace(GOOD, deliveries=0),
    ],
)
def test_a_night_with_a_fault_or_that_proves_nothing_is_not_good(bad: Outcome) -> None:
    assert not bad.is_good


def test_a_kill_that_hit_nobody_or_another_is_missed() -> None:
    assert not Kill("matching", (COMMAND, DRIVER), COMMAND).is_missed
    assert Kill("matching", (DRIVER,), COMMAND).is_missed
    assert Kill("matching", (COMMAND, DRIVER), None).is_missed


@pytest.mark.parametrize(
    ("code", "said", "done", "loaded"),
    [
        (0, "market, 2026-11-16\n  preparing\n  loaded: 0 events, 290 repeats", True, True),
        (0, "market, 2026-11-16\n  The night of market, 2026-11-16 is loaded already.", True, False),
        (0, "market, 2026-11-16\n  Another process is running market, 2026-11-16.", False, False),
        (1, "market, 2026-11-16\n  Spark was killed by signal 9 before it was done", False, False),
        (1, "ModuleNotFoundError: No module named 'pyspark'", False, False),
        (1, "  loaded: 0 events\nTraceback (most recent call last):", False, False),
    ],
)
def test_what_the_command_says_tells_whether_the_night_was_done(
    code: int, said: str, done: bool, loaded: bool
) -> None:
    assert (is_done(code, said), was_loaded(code, said)) == (done, loaded)


class NightsThatSay(Nights):
    """Instead of the command, one that only speaks."""

    def __init__(self, said: str) -> None:
        self._said = said

    def begin(self, *more: str) -> "subprocess.Popen[str]":
        assert more == ("--again",)
        words = [sys.executable, "-S", "-c", f"print({self._said!r})"]
        return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)


def test_a_night_that_was_not_run_again_proves_nothing() -> None:
    run_again(NightsThatSay("loaded: 0 events"))
    with pytest.raises(RuntimeError, match="Another process is running"):
        run_again(NightsThatSay("Another process is running market, 2026-11-16."))
