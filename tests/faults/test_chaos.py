"""A minute under attack, and some hundred interleavings: nothing lost, nothing doubled, nothing wrong."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.chaos import interleavings
from tests.chaos.grounds import grounds_on
from tests.chaos.history import Ledger
from tests.chaos.outcome import Plan
from tests.chaos.report import describe, verdict_line
from tests.chaos.run import run
from tests.chaos.strikes import KINDS
from tests.faults.conftest import SLOWNESS
from tests.running_system import RunningSystem

pytestmark = pytest.mark.database


@pytest.fixture
def seed() -> int:
    seed = secrets.randbelow(1_000_000)
    print(f"seed {seed}")
    return seed


def test_a_minute_of_all_kinds_of_fault_loses_nothing_and_doubles_nothing(
    seed: int,
    database: str,
    capsys: pytest.CaptureFixture[str],
    say_what_is_left_out: Callable[[Mapping[str, str]], None],
) -> None:
    """On a server of its own: the others' must not be stopped."""
    with grounds_on(database) as grounds:
        outcome = run(Plan(seed=seed), grounds, slowness=SLOWNESS)
        with capsys.disabled():
            print(f"\n{verdict_line([outcome])}")
            if missing := [kind for kind in KINDS if not outcome.hits.get(kind)]:
                print(f"It had no strike of these kinds: {', '.join(missing)}.")
        grounds.clear_away(is_good=outcome.verdict.is_good)
    assert outcome.verdict.is_good, "\n".join(describe(outcome))
    say_what_is_left_out(outcome.left_out)


def test_what_was_acknowledged_before_an_event_counts_for_it_in_all_interleavings(
    seed: int, own_system: RunningSystem, tmp_path: Path
) -> None:
    plan = interleavings.Plan(seed=seed, count=300)
    verdict = interleavings.interleave(plan, own_system, Ledger(tmp_path / "ledger.jsonl"))
    assert verdict.is_good, "\n".join(verdict.report())
    assert verdict.events == plan.count
    # Even where each request takes a second, so that all but its own client's changes are older than that.
    assert 2 * verdict.sharp > plan.count, "most events should have met a change that was just acknowledged"
