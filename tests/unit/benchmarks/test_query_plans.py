"""The plans of databases are written as docs/algorithms.md shows them."""

from pathlib import Path

import pytest

from benchmarks import query_plans


def test_each_matcher_has_a_plan_of_each_embedded_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_plans, "FOLDER", tmp_path)
    monkeypatch.setattr(query_plans, "SUBSCRIPTIONS", 50)
    monkeypatch.setenv("DATABASE_URL", "")
    query_plans.main()
    plans = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert plans.keys() == {
        f"dbms-{how}-{database}.txt"
        for how in ("sequential", "grouping")
        for database in ("sqlite", "duckdb")
    }
    for plan in plans.values():
        assert "subs" in plan
        assert max(map(len, plan.splitlines())) <= query_plans.WIDTH


def test_names_of_relations_have_no_numbers_and_lines_are_cut() -> None:
    plan = query_plans.readable("SCAN subs_preds_12 USING preds_7\n" + "x" * 200)
    assert plan.splitlines() == ["SCAN subs_preds USING preds", "x" * 96 + " ..."]
