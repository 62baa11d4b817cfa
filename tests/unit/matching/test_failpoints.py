"""A place in the code kills its process when a file says so, and only then."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running_system import ROOT

REACH = """
import sys
from django.conf import settings
settings.configure(FAILPOINTS=sys.argv[1])
from matching.failpoints import reached
reached("match.leased", 7)
"""


def end_of_a_process_that_comes_by(directory: Path | str) -> int:
    return subprocess.run([sys.executable, "-c", REACH, str(directory)], cwd=ROOT, timeout=600).returncode


def test_nothing_happens_where_no_directory_is_named_or_no_file_lies(tmp_path: Path) -> None:
    assert end_of_a_process_that_comes_by("") == 0
    assert end_of_a_process_that_comes_by(tmp_path) == 0


def test_an_empty_file_kills_once(tmp_path: Path) -> None:
    (tmp_path / "match.leased").touch()
    assert end_of_a_process_that_comes_by(tmp_path) == -signal.SIGKILL
    assert end_of_a_process_that_comes_by(tmp_path) == 0


@pytest.mark.parametrize(("subject", "end"), [("7", -signal.SIGKILL), ("77", 0)])
def test_a_file_that_names_a_subject_kills_each_time_that_subject_comes_by(
    tmp_path: Path, subject: str, end: int
) -> None:
    (tmp_path / "match.leased").write_text(subject)
    assert end_of_a_process_that_comes_by(tmp_path) == end
    assert end_of_a_process_that_comes_by(tmp_path) == end
