from datetime import UTC, datetime, timedelta

import pytest

from matching.validity import LONGEST_ACCEPTANCE, State, expiry, expiry_cutoff, state_at

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


def test_no_days_mean_never() -> None:
    assert expiry(NOW, None) is None
    assert expiry(NOW, 30) == NOW + timedelta(days=30)


@pytest.mark.parametrize("state", [State.ACTIVE, State.PAUSED, State.MUTED])
def test_whatever_its_state_it_has_expired_from_the_moment_of_its_expiry_on(state: State) -> None:
    assert state_at(state, None, now=NOW) == state
    assert state_at(state, NOW + MOMENT, now=NOW) == state
    assert state_at(state, NOW, now=NOW) == State.EXPIRED


def test_what_was_removed_stays_removed_and_what_is_marked_as_expired_stays_so() -> None:
    assert state_at(State.REMOVED, NOW - MOMENT, now=NOW) == State.REMOVED
    assert state_at(State.EXPIRED, NOW + MOMENT, now=NOW) == State.EXPIRED


def test_nothing_is_settled_before_the_longest_acceptance_is_over() -> None:
    assert expiry_cutoff(now=NOW, oldest_waiting=None) == NOW - LONGEST_ACCEPTANCE
    assert expiry_cutoff(now=NOW, oldest_waiting=NOW) == NOW - LONGEST_ACCEPTANCE


def test_an_event_that_waits_for_long_holds_the_cutoff_back() -> None:
    accepted = NOW - timedelta(days=2)
    assert expiry_cutoff(now=NOW, oldest_waiting=accepted) == accepted
