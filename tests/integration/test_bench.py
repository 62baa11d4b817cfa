"""`manage.py bench` measures what it says, in the format that others read."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from matching import registry, workloads
from tests.running_system import ROOT

FIGURES = {
    "us_per_event",
    "p99_us",
    "us_per_event_batch",
    "matches_per_event",
    "load_seconds",
    "add_us",
    "remove_us",
    "bytes_per_subscription",
    "residual_share",
}


def bench(tmp_path: Path, *words: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    file = tmp_path / "bench.json"
    answer = subprocess.run(
        [sys.executable, "manage.py", "bench", "--json", str(file), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return answer, json.loads(file.read_text()) if file.exists() else {}


def test_every_algorithm_gets_a_row_of_figures(tmp_path: Path) -> None:
    words = ["--workload", "peers-eq", "--subscriptions", "2000", "--events", "20", "--seed", "3"]
    algorithms = ["naive", "quarantining", "pyroaring", "limit"]
    answer, report = bench(tmp_path, *words, *(word for name in algorithms for word in ("--algorithm", name)))
    assert answer.returncode == 0, answer.stderr
    assert (report["workload"], report["subscriptions"], report["events"], report["seed"]) == (
        "peers-eq",
        2000,
        20,
        3,
    )
    assert report["machine"]["cores"] >= 1
    rows = {row["algorithm"]: row for row in report["rows"]}
    assert set(rows) == set(algorithms)
    for name in ("naive", "quarantining", "pyroaring"):
        assert set(rows[name]) >= FIGURES
    found = {rows[name]["matches_per_event"] for name in ("naive", "quarantining", "pyroaring")}
    assert len(found) == 1
    assert rows["limit"]["us_per_event"] > 0
    assert rows["naive"]["evaluations_per_event"] == evaluations_of_naive("peers-eq", 2000, 20, seed=3)
    assert "quarantining" in answer.stdout


def evaluations_of_naive(workload: str, subscriptions: int, events: int, *, seed: int) -> float:
    """Counted here, once for each event, however many passes a benchmark makes."""
    made = workloads.create(workload, seed=seed)
    matcher = registry.create("naive", made.schema)
    matcher.load(made.subscriptions(subscriptions))
    for event in made.events(events):
        matcher.match_ids(event)
    return matcher.work.predicate_evaluations / events


def test_what_a_baseline_cannot_do_is_said_in_its_row(tmp_path: Path) -> None:
    words = ["--workload", "peers-range", "--subscriptions", "500", "--events", "5"]
    answer, report = bench(tmp_path, *words, "--algorithm", "pyroaring", "--algorithm", "naive")
    assert answer.returncode == 0, answer.stderr
    assert report["rows"][0]["error"] == "pyroaring counts equalities only"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--workload", "nothing"], "invalid choice: 'nothing'"),
        (["--workload", "topss", "--algorithm", "magic"], "invalid choice: 'magic'"),
        (["--workload", "topss", "--subscriptions", "0"], "--subscriptions must be at least 1"),
        (["--workload", "lesubscribe", "--parameter", "p"], "Write NAME=VALUE"),
        (["--workload", "lesubscribe", "--parameter", "q=1", "--algorithm", "naive"], "no parameter 'q'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(tmp_path: Path, words: list[str], says: str) -> None:
    answer, _ = bench(tmp_path, *words)
    assert answer.returncode != 0
    assert says in answer.stdout + answer.stderr
    assert "Traceback" not in answer.stderr
