"""README.md, followed to the letter in a fresh clone, leads to a first notification."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest

from lesubscribe.demo import DEMO_EMAIL
from tests.documented import blocks_run_by
from tests.limits.measuring import Measured
from tests.running_system import ROOT, RunningSystem

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.skipif(not (ROOT / ".venv" / "installed").exists(), reason="make has installed nothing here"),
    pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on PATH"),
]

SELF = "tests/integration/test_newcomer.py"
KERNELS = Path("matching", "engine", "__pycache__")
SECONDS_TO_A_NOTIFICATION = 300


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What is committed, as `git clone` brings it. Only the install, which takes minutes, is of this tree."""
    place = tmp_path / "lesubscribe"
    subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(place)], check=True)
    (place / ".venv").symlink_to(sys.prefix)
    os.utime(place / "requirements.lock", (0, 0))  # older than the install, so that make is content
    for kernels in (ROOT / KERNELS).glob("kernels-*"):  # named after the code that they are of
        half = shutil.ignore_patterns("*.tmp.*")  # what another test is just writing
        shutil.copytree(kernels, place / KERNELS / kernels.name, ignore=half)
    return place


@pytest.fixture
def system(clone: Path) -> Iterator[RunningSystem]:
    start, _ = blocks_run_by(SELF, "README.md")
    assert start == "make up\n"
    running = RunningSystem(
        clone / "var", command=("make", "up"), is_bare=True, DEMO_DATA="", DATABASE_URL=""
    )
    running.root = clone
    yield running
    if running.is_running:
        running.stop()


def test_the_readme_leads_from_a_clone_to_the_first_notification(
    system: RunningSystem, clone: Path, measured: Measured
) -> None:
    began = time.monotonic()
    system.start()
    assert "The demo is there: 2,400 items of 3 auction houses, and 40 searches" in system.log
    assert f"Demo login: {DEMO_EMAIL} / {system.demo_password()}" in system.log

    _, commands = blocks_run_by(SELF, "README.md")
    answer = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", commands.replace("http://localhost:8000", system.url)],
        cwd=clone,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=600,
    )
    seconds = time.monotonic() - began
    assert answer.returncode == 0, answer.stdout + answer.stderr
    *answers, mail = answer.stdout.splitlines()
    documents = [json.loads(line) for line in answers if line]
    assert [document for document in documents if "status" in document] == []
    newest = documents[-1]["results"][0]
    assert newest["event"]["attributes"]["furniture_category"] == "dining table"
    told = message_from_bytes((clone / mail).read_bytes(), policy=policy.default)
    assert told["To"] == DEMO_EMAIL
    assert "A dining table" in str(told["Subject"])
    measured(
        "from make up to the first notification, install and compiling apart",
        seconds,
        "s",
        at_most=SECONDS_TO_A_NOTIFICATION,
    )

    key = system.manage("issue_key", "subscriber", DEMO_EMAIL).stdout.split()[-1]
    assert len(results(system, "subscriptions", key)) == 41
    system.stop()
    system.start()
    assert "Loading the demo" not in system.log


def results(system: RunningSystem, what: str, key: str) -> list[dict[str, Any]]:
    request = urllib.request.Request(
        f"{system.url}/api/v1/{what}", headers={"Authorization": f"Bearer {key}"}
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        found: list[dict[str, Any]] = json.load(answer)["results"]
    return found
