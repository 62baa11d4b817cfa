"""Figures of a load test are worked out from what was sent and what became of it."""

from datetime import UTC, datetime, timedelta

from lesubscribe.loadtest.figures import Outcome, Percentiles, figures
from lesubscribe.loadtest.sending import Sent
from lesubscribe.loadtest.setting import auction

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def test_percentiles_are_durations_that_occurred() -> None:
    assert Percentiles.of(range(100, 0, -1)) == Percentiles(p50=51, p95=96, p99=100, most=100)
    assert Percentiles.of([7]) == Percentiles(7, 7, 7, 7)
    assert Percentiles.of([]) is None


def test_what_was_matched_after_the_last_answer_does_not_count_as_meanwhile() -> None:
    outcomes = [
        Outcome(after(0), after(1), 3),
        Outcome(after(1), after(11), 5),
        Outcome(after(2), None, 0),
    ]
    sent = [Sent(202, 0.1, 1), Sent(202, 0.2, 1), Sent(503, 0.3, 1), Sent(202, 0.4, 1)]
    found = figures(sent, outcomes, began=NOON, ended=after(10))
    assert found.statuses == {"202": 3, "503": 1}
    assert (found.accepted, found.accepted_per_second) == (3, 0.3)
    assert (found.matched_meanwhile, found.matched_per_second, found.left_at_the_end) == (1, 0.1, 2)
    assert found.unmatched == 1
    assert found.matches_per_event == 4
    assert found.publish_to_match == Percentiles(10, 10, 10, 10)


def test_the_workload_is_tuned_to_about_twenty_matches_an_event() -> None:
    parameters = [auction(count, seed=0).parameters()["words"] for count in (1_000, 100_000, 1_000_000)]
    assert 0 < parameters[0] < parameters[1] < parameters[2] <= 1
    assert round(parameters[1], 4) == 0.9933
