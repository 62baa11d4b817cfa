"""Far more comes than can be matched: what was taken is kept, the rest is told when to come again.

In short, beside other tests: how much is done meanwhile, and how soon it is over, says only
`python -m tests.chaos.overload` on a machine that does nothing else.
"""

import secrets
from pathlib import Path

import pytest

from tests.chaos.overload import Overload, Plan, summary
from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database

TIMES = 10.0
# What a fault of these kinds says depends on what else the machine does.
OF_THE_MACHINE = {"collapsed", "late", "unproven"}
# So few that some are refused on any machine.
BACKLOG_LIMIT = "5"


def test_what_was_taken_in_an_overload_is_kept_and_who_is_refused_knows_when_to_come_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = secrets.randbelow(1_000_000)
    print(f"seed {seed}")
    plan = Plan(seed=seed, seconds=3, trial=1, times=TIMES, subscriptions=200, most=64, least=64)
    system = RunningSystem(tmp_path / "var", BACKLOG_LIMIT=BACKLOG_LIMIT).start()
    try:
        outcome = Overload(plan, system, print).outcome()
    finally:
        system.stop()
    with capsys.disabled():
        print(f"\n{summary(outcome)}")
    assert [fault for fault in outcome.faults if fault.kind not in OF_THE_MACHINE] == []
    assert outcome.accepted > 0
