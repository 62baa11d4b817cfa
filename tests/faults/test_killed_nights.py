"""A night of which a part is killed is finished by the next one, and done again it changes nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.nights import COMMAND, DRIVER
from tests.limits.measuring import Measured
from tests.running_system import ROOT

pytestmark = pytest.mark.database

# Whom, and how that is ordered: a night takes long, so each database has another one. The stage is Spark's
# first, so that its driver is still there should we come some seconds late.
KILLS = {
    "sqlite": (COMMAND, ["--place", "load.after-commit"]),
    "postgresql": (DRIVER, ["--victim", DRIVER, "--kills", "1", "--stage", "looking at the files"]),
}


def test_a_night_that_was_killed_is_done_exactly_once(
    tmp_path: Path, database: str, measured: Measured
) -> None:
    """In short; `python -m tests.chaos.nights --kills 20` is the whole of it. It prints its seed."""
    victim, order = KILLS[database]
    figures = tmp_path / "outcome.json"
    command = [sys.executable, "-m", "tests.chaos.nights", *order, "--database", database]
    ended = subprocess.run(
        [*command, "--rows", "300", "--subscriptions", "200", "--json", str(figures)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    print(ended.stdout, ended.stderr)
    assert figures.exists(), "it broke off"
    outcome = json.loads(figures.read_text())
    assert [each.partition(" at ")[0] for each in outcome["killed_at"]] == [victim]
    measured("lost by a night that was killed", outcome["lost"], at_most=0)
    measured("wrong or doubled by a night that was killed", outcome["wrong"], at_most=0)
    changed = outcome["changed_by_running_again"]
    measured("changed by running a night that was killed twice more", changed, at_most=0)
    assert ended.returncode == 0
