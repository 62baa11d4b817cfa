"""Small commands of docs/workloads.md and docs/feeds.md work as they stand there."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.documented import blocks_run_by
from tests.running_system import ROOT

pytestmark = pytest.mark.any_database

SELF = "tests/integration/test_documented_commands.py"


def printed(page: str, var: Path) -> str:
    """What its commands print, with another directory for what they write."""
    commands = "\n".join(blocks_run_by(SELF, page))
    commands = commands.replace(".venv/bin/python", sys.executable).replace(" var/", f" {var}/")
    answer = subprocess.run(["bash", "-e", "-c", commands], cwd=ROOT, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_a_workload_is_measured(tmp_path: Path) -> None:
    assert "10,000 subscriptions made" in printed("docs/workloads.md", tmp_path)


def test_a_feed_to_try_is_written(tmp_path: Path) -> None:
    printed("docs/feeds.md", tmp_path)
    assert len(list((tmp_path / "feeds" / "demo" / "2026-11-17").glob("*.gz"))) == 4
