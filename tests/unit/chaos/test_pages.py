"""docs/reliability.md shows what was measured, and nothing else."""

import json
from pathlib import Path

from tests.chaos import page as runs
from tests.limits import page as limits

PAGE = runs.PAGE.read_text()


def test_its_runs_are_those_that_were_saved() -> None:
    assert runs.shown(PAGE) == PAGE, "say: python -m tests.chaos.page"


def test_its_limits_are_those_that_were_measured() -> None:
    assert limits.with_table(PAGE) == PAGE, "say: python -m tests.limits.page"


def test_an_overload_has_its_rows(tmp_path: Path) -> None:
    (tmp_path / "bombs.json").write_text(json.dumps({"bombs": [{"cpu_ms": 1, "memory_mb": 1}]}))
    overload = {
        "database": "sqlite",
        "plan": {"times": 3.0},
        "goodput": 320.0,
        "peak": 400.0,
        "recovery": 4.5,
        "faults": [{"kind": "lost"}, {"kind": "late"}],
    }
    (tmp_path / "overload.json").write_text(json.dumps({"runs": [overload]}))
    table = limits.with_table(PAGE, tmp_path)
    assert "| matched at 3 times the sustainable rate, of the peak, on SQLite | at least 70 | 80 % |" in table
    assert "| normal again after 3 times the sustainable rate, on SQLite | at most 60 | 4.5 s |" in table
    assert "| accepted at 3 times the sustainable rate and lost, on SQLite | at most 0 | 1 |" in table
