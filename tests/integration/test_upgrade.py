"""A database of former versions, with data in it, is brought up to this one, and work goes on."""

from pathlib import Path

import pytest

from tests.running_system import RunningSystem

pytestmark = pytest.mark.database


def test_data_of_former_versions_is_kept_and_work_that_waited_is_done(tmp_path: Path) -> None:
    not_started = RunningSystem(tmp_path / "var", is_bare=True)
    script = "from tests.integration.older_database import check_upgrade; check_upgrade()"
    answer = not_started.manage("shell", "--verbosity", "0", "-c", script)
    assert (answer.returncode, answer.stdout.strip()) == (0, "upgraded"), answer.stderr
