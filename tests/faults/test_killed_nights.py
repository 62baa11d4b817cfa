"""A night whose loader is killed is finished by the next one, and done again it changes nothing."""

import subprocess
import sys

import pytest

from tests.running_system import ROOT


@pytest.mark.parametrize("place", ["load.after-commit"])
def test_a_night_that_was_killed_is_done_exactly_once(place: str) -> None:
    """In short; `python -m tests.chaos.nights --kills 20` is the whole of it."""
    command = [sys.executable, "-m", "tests.chaos.nights", "--place", place]
    ended = subprocess.run(
        [*command, "--rows", "300", "--subscriptions", "200"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    print(ended.stdout, ended.stderr)
    assert ended.returncode == 0
    assert "1 kills (0 of the driver)" in ended.stdout
