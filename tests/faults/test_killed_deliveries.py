"""The worker that tells people is killed while it does so: all is told, and nothing twice without need."""

import secrets
from pathlib import Path

import pytest

from tests.chaos.deliveries import Plan, run, summary
from tests.chaos.history import Ledger
from tests.chaos.readers import Sinks
from tests.running_system import UP, RunningSystem

pytestmark = pytest.mark.database


def test_a_deliver_worker_killed_again_and_again_tells_everybody_of_everything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(secrets.randbelow(1_000_000), matches=300, kills=3, readers=6)
    print(f"seed {plan.seed}")
    sinks = Sinks(tmp_path)
    system = RunningSystem(tmp_path / "var", command=UP, is_bare=False, **sinks.environment)
    outcome = run(plan, system, sinks, Ledger(tmp_path / "ledger.jsonl"))
    with capsys.disabled():
        print(f"\n{summary(outcome)}")
    assert outcome.verdict.is_good, "\n".join(outcome.verdict.report())
