"""The judge of an overload finds what is wrong."""

from dataclasses import replace

import pytest

from tests.chaos.flood import Flood
from tests.chaos.overload import End, judge

GOOD = Flood(
    began=100.0,
    ended=112.0,
    sending=10.0,
    sent=3_000,
    statuses={"202": 2, "429": 8, "503": 2_990},
    silent_refusals=0,
    accepted=("a", "b"),
    answer=None,
)
ENDS: list[End] = [("a", "matched", "", 105.0), ("b", "parked", "It was tried 5 times.", None)]


def kinds(flood: Flood, ends: list[End], **more: float) -> list[str]:
    figures = {"offer": 300.0, "goodput_share": 0.9, "recovery": 2.0, **more}
    return [fault.kind for fault in judge(flood, ends, **figures)]


def test_a_good_one_has_no_faults() -> None:
    assert kinds(GOOD, ENDS) == []


@pytest.mark.parametrize(
    ("ends", "count"),
    [
        (ENDS[:1], 1),
        ([], 2),
        ([ENDS[0], ("b", "accepted", "", None)], 1),
        ([ENDS[0], ("b", "parked", "", None)], 1),
        ([*ENDS, ("c", "accepted", "", None)], 0),  # nobody was told that it is taken
    ],
)
def test_what_was_accepted_and_is_not_settled_is_lost(ends: list[End], count: int) -> None:
    assert kinds(GOOD, ends) == ["lost"] * count


@pytest.mark.parametrize(
    ("flood", "kind"),
    [
        (replace(GOOD, silent_refusals=1), "silent"),
        (replace(GOOD, statuses={**GOOD.statuses, "500": 1}), "wrong"),
        (replace(GOOD, statuses={**GOOD.statuses, "0": 1}), "wrong"),
        (replace(GOOD, sent=2_000), "unproven"),
        (replace(GOOD, statuses={"202": 3_000}), "unrefused"),
    ],
)
def test_wrong_answers_are_faults(flood: Flood, kind: str) -> None:
    assert kinds(flood, ENDS) == [kind]


def test_a_collapse_and_a_late_recovery_are_faults() -> None:
    assert kinds(GOOD, ENDS, goodput_share=0.69, recovery=61.0) == ["collapsed", "late"]
