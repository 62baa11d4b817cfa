"""`manage.py loadtest` drives a running system and tells what came of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.running_system import RunningSystem

pytestmark = pytest.mark.any_database

QUICKLY = ("--subscriptions", "300", "--rate", "20", "--seconds", "2")
COUNTS = """
from notifications.models import Attempt, Channel, Delivery, SendingSwitch
active = Channel.objects.filter(owner__email__startswith="crowd-", state="active")
is_halted = SendingSwitch.objects.get().is_halted
print(Delivery.objects.count(), Attempt.objects.count(), active.count(), is_halted)
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSystem]:
    """A system of its own, since the load test wants its own schema."""
    running = RunningSystem(tmp_path_factory.mktemp("loaded") / "var").start()
    yield running
    running.stop()


def report_of(system: RunningSystem, directory: Path, *words: str) -> dict[str, Any]:
    path = directory / "report.json"
    answer = system.manage("loadtest", *words, "--json", str(path))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    report: dict[str, Any] = json.loads(path.read_text())
    assert report["machine"]["cores"] >= 1
    return report


def test_intake_is_measured_on_a_database_of_its_own(loaded: RunningSystem, tmp_path: Path) -> None:
    intake = report_of(loaded, tmp_path, "--intake", "300")["intake"]
    assert intake["share"] == intake["batch_per_second"] / intake["bare_per_second"]
    count = "from matching.models import PublishedEvent; print(PublishedEvent.objects.count())"
    assert loaded.manage("shell", "-v", "0", "-c", count).stdout.strip() == "0"


def test_it_plans_for_everybody_and_leaves_nothing_to_be_sent(loaded: RunningSystem, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    words = ("--fanout", "200", "--seconds", "1", "--subscriptions", "0")
    answer = loaded.manage("loadtest", *words, "--json", str(path))
    assert answer.returncode == 0, answer.stdout + answer.stderr
    figures = json.loads(path.read_text())["fanout"]
    assert figures["deliveries"] == 200
    assert 0 < figures["seconds_from_match"] <= figures["seconds_from_acceptance"]
    assert figures["others"]["p50"] <= figures["others"]["p99"]
    assert figures["sustained_matches"] >= 500
    deliveries, attempts, active, is_halted = loaded.manage("shell", "-v", "0", "-c", COUNTS).stdout.split()
    assert int(deliveries) >= 200 + 20 * 4 + 500
    assert (attempts, active, is_halted) == ("0", "0", "False")


@pytest.mark.parametrize(("batch", "answers"), [("1", {"202": 40}), ("10", {"200": 4})])
def test_it_sends_all_and_reports_what_was_matched(
    loaded: RunningSystem, tmp_path: Path, batch: str, answers: dict[str, int]
) -> None:
    figures = report_of(loaded, tmp_path, *QUICKLY, "--batch", batch)["figures"]
    assert figures["statuses"] == answers
    assert (figures["accepted"], figures["unmatched"]) == (40, 0)
    assert figures["matches_per_event"] > 0
    assert figures["publish_to_match"]["p50"] <= figures["publish_to_match"]["p99"]


def test_what_makes_no_sense_is_said_in_a_sentence(loaded: RunningSystem) -> None:
    nowhere = loaded.manage("loadtest", "--url", "http://127.0.0.1:9", "--seconds", "0.1")
    assert nowhere.returncode == 1
    assert "Nothing was accepted; is the system at http://127.0.0.1:9 running?" in nowhere.stderr
    assert "--rate must be above 0." in loaded.manage("loadtest", "--rate", "0").stderr
