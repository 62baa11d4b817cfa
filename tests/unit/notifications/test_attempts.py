"""When something is tried again."""

from datetime import timedelta
from itertools import pairwise

import pytest

from notifications.core import attempts
from notifications.core.attempts import GAPS, MOST_ATTEMPTS, asked_for, gap


def test_twelve_attempts_go_over_four_days_and_each_gap_is_longer_than_the_one_before() -> None:
    assert MOST_ATTEMPTS == 12
    assert len(GAPS) == MOST_ATTEMPTS - 1
    assert sum(GAPS, timedelta()) >= timedelta(hours=96)
    assert all(earlier < later for earlier, later in pairwise(GAPS))


@pytest.mark.parametrize("failures", range(1, MOST_ATTEMPTS))
def test_chance_makes_a_gap_longer_by_a_fifth_at_most_and_never_shorter(failures: int) -> None:
    shortest, longest = (gap(failures, pace=1.0, chance=chance) for chance in (0.0, 1.0))
    assert shortest == GAPS[failures - 1]
    assert longest == GAPS[failures - 1] * 1.2


def test_after_the_last_gap_it_stays_at_that() -> None:
    assert gap(500, pace=1.0, chance=0.0) == GAPS[-1]


def test_a_receiver_is_left_alone_for_an_hour_at_most() -> None:
    assert attempts.rest(1, pace=1.0, chance=0.0) == GAPS[0]
    assert attempts.rest(9, pace=1.0, chance=1.0) == timedelta(hours=1)


def test_a_faster_pace_shortens_the_gaps() -> None:
    assert gap(1, pace=0.001, chance=0.0) == GAPS[0] * 0.001


def test_failing_for_too_long_needs_days_and_several_failures() -> None:
    assert attempts.has_failed_for_too_long(5, timedelta(days=5))
    assert not attempts.has_failed_for_too_long(50, timedelta(days=4))
    assert not attempts.has_failed_for_too_long(2, timedelta(days=9))


def test_the_twelfth_is_the_last() -> None:
    assert [attempts.is_last(number) for number in (1, 11, 12, 13)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", timedelta(minutes=2)),
        ("0", timedelta(0)),
        ("86400", timedelta(days=1)),
        ("86401", None),
        ("9" * 400, None),
        ("-1", None),
        ("1.5", None),
        ("", None),
        ("²", None),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_a_wait_is_granted_if_it_is_a_number_of_seconds_within_a_day(
    header: str, wait: timedelta | None
) -> None:
    assert asked_for(header) == wait
