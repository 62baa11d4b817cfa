"""Faults come in the order of the seed, and what they cost is charged to the right one."""

from collections.abc import Mapping
from itertools import islice
from math import inf
from random import Random

import pytest

from tests.chaos.causes import NOTHING, Causes
from tests.chaos.history import Publication
from tests.chaos.strikes import KINDS, LEASE_KILLS, Strike, in_order
from tests.chaos.verdict import Fault

KILL, FULL = Strike("worker", 10.0, 10.1), Strike("disk", 30.0, 33.0)


def sent(event: int, began: float) -> Publication:
    return Publication(event, f"lot-{event}", {}, began, began + 0.1)


def causes(*published: tuple[int, float, float], told: Mapping[int, float] | None = None) -> Causes:
    """Of events, when each was sent, and seen to be matched; and when people were told of some."""
    publications = [sent(event, began) for event, began, _ in published]
    seen = {event: seen for event, _, seen in published if seen < inf}
    return Causes([KILL, FULL], publications, seen, told or {})


def test_the_same_seed_gives_the_same_order_and_a_few_rounds_have_all_kinds() -> None:
    first, again, other = (list(islice(in_order(Random(seed)), 400)) for seed in (7, 7, 8))
    assert first == again != other
    assert set(first) == set(KINDS)


def test_when_many_kills_are_asked_for_most_strikes_are_kills_that_are_to_hit_a_lease() -> None:
    drawn = list(islice(in_order(Random(1), many_kills=True), 400))
    assert sum(name in LEASE_KILLS for name in drawn) > 250
    assert set(drawn) == set(KINDS)


@pytest.mark.parametrize(
    ("began", "seen", "name"),
    [
        (1.0, 2.0, NOTHING),  # before all
        (9.0, 20.0, "worker"),  # struck on its way
        (9.0, 40.0, "worker"),  # by two: the first counts
        (12.0, 13.0, "worker"),  # in peace, after it
        (31.0, 34.0, "disk"),
        (29.0, inf, "disk"),  # never matched
    ],
)
def test_an_event_is_charged_to_what_struck_it_first(began: float, seen: float, name: str) -> None:
    assert causes((5, began, seen)).of(5) == name


def test_a_resumption_ends_with_the_first_event_that_was_sent_after_the_fault() -> None:
    found = causes((1, 9.0, 11.0), (2, 10.5, 22.0), (3, 11.0, 12.0), (4, 32.0, 34.0), (5, 35.0, 36.5))
    assert [strike for strike, _ in found.resumptions()] == [KILL, FULL]
    assert [seconds for _, seconds in found.resumptions()] == pytest.approx([12.0 - 10.1, 36.5 - 33.0])
    assert found.late() == []


def test_a_fault_that_nothing_was_sent_after_has_no_resumption() -> None:
    assert [strike for strike, _ in causes((1, 20.0, 21.0)).resumptions()] == [KILL]


def test_who_does_not_resume_within_a_minute_is_late() -> None:
    (fault,) = causes((1, 11.0, 80.0)).late()
    assert fault.kind == "late"
    assert fault.sentence == "after a strike at worker nothing was matched for 69.9 s."
    assert causes((1, 11.0, inf)).late()


def test_telling_resumes_with_the_first_message_about_what_was_sent_after_the_fault() -> None:
    items = ((1, 9.0, 9.5), (2, 10.5, 11.0), (3, 34.0, 34.5))
    found = causes(*items, told={1: 12.0, 2: 20.0, 3: 95.0})
    assert [seconds for _, seconds in found.tellings()] == pytest.approx([20.0 - 10.1, 95.0 - 33.0])
    assert found.tolls([])["worker"].longest_telling == pytest.approx(9.9)
    (fault,) = found.late()
    assert fault.sentence == "after a strike at disk nobody was told anything for 62.0 s."


def test_the_tolls_say_what_each_kind_cost() -> None:
    found = causes((1, 9.0, 80.0), (2, 12.0, 13.0), (3, 34.0, 35.0))
    faults = [Fault("lost", "x", 1), Fault("doubled", "x", 3), Fault("doubled", "x", 3), Fault("failed", "x")]
    worker, disk = found.tolls(faults)["worker"], found.tolls(faults)["disk"]
    assert (worker.strikes, worker.lost, worker.doubled, worker.late) == (1, 1, 0, 1)
    assert worker.longest_wait == pytest.approx(80.0 - 9.1)
    assert (disk.lost, disk.doubled, disk.late) == (0, 2, 0)
    assert disk.longest_resumption == pytest.approx(2.0)
