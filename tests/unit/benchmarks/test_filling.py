"""Cells that saved tables lack are measured one by one; the guide is made of the tables."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.own_process import ROOT
from benchmarks.performance import filling, guide, measuring
from benchmarks.performance.__main__ import RESULTS
from benchmarks.performance.matrix import Group
from benchmarks.performance.results import Results
from matching import registry
from tests.unit.benchmarks.saved import save, times


def table(name: str, *algorithms: str) -> Group:
    arguments = {"workload": "dexin", "subscriptions": 10, "events": 1, "seconds": 3.0}
    return Group(name=name, module="benchmarks.cell", arguments=arguments, algorithms=algorithms)


TABLES = [table(f"dexin-{size}", "naive", "rein", "tama", "limit") for size in ("1M", "10k", "100k")]


def filled(into: Path, **options: Any) -> tuple[list[tuple[str, str]], str]:
    """What was measured, in its order; `rein` fails with 100,000."""
    asked, said = [], StringIO()

    def row_of(group: Group, algorithm: str, console: Console) -> filling.Row:
        asked.append((group.name, algorithm))
        if (group.name, algorithm) == ("dexin-100k", "rein"):
            return {"algorithm": algorithm, "error": "took longer than 60 s", "failed": True}
        return {"algorithm": algorithm, "us_per_event": 5.0}

    filling.fill(TABLES, only=(), into=into, console=Console(file=said), row_of=row_of, **options)
    return asked, said.getvalue()


def rows(into: Path, group: str) -> dict[str, dict[str, Any]]:
    record = json.loads((into / f"{group}.json").read_text())
    assert record["algorithms"] == [row["algorithm"] for row in record["rows"]]
    return {row["algorithm"]: row for row in record["rows"]}


def test_only_what_is_missing_is_measured_small_sizes_first_and_once(tmp_path: Path) -> None:
    for group in TABLES:
        save(tmp_path, group.name, times(naive=9.0, limit=1.0))
    asked, _ = filled(tmp_path)
    assert asked == [
        *(("dexin-10k", name) for name in ("rein", "tama")),
        *(("dexin-100k", name) for name in ("rein", "tama")),
        ("dexin-1M", "tama"),  # rein has failed with fewer
    ]
    assert list(rows(tmp_path, "dexin-10k")) == ["naive", "rein", "tama", "limit"]
    assert rows(tmp_path, "dexin-10k")["naive"]["us_per_event"] == 9.0
    assert rows(tmp_path, "dexin-10k")["tama"]["measured"]["commit"]
    assert rows(tmp_path, "dexin-1M")["rein"]["error"] == "failed with 100,000 already"
    assert filled(tmp_path)[0] == []


def test_it_stops_after_its_time_and_goes_on_later(tmp_path: Path) -> None:
    for group in TABLES:
        save(tmp_path, group.name, times(naive=9.0, tama=4.0, limit=1.0))
    asked, said = filled(tmp_path, most_minutes=0)
    assert asked == []
    assert "the same command goes on" in said
    assert filled(tmp_path)[0] == [("dexin-10k", "rein"), ("dexin-100k", "rein")]


def test_a_table_that_was_measured_is_known_by_its_question(tmp_path: Path) -> None:
    def rows_of_group(group: Group, console: Console) -> list[dict[str, Any]]:
        return times(naive=9.0)

    measuring.measure(
        TABLES[:1], only=(), into=tmp_path, console=Console(file=StringIO()), rows_of_group=rows_of_group
    )
    (path,) = tmp_path.glob("*.json")
    commit = json.loads(path.read_text())["machine"]["commit"]
    assert measuring.is_saved(TABLES[0], tmp_path, commit=commit)


def test_the_guide_in_docs_is_that_of_the_saved_results_and_has_every_matcher() -> None:
    text = (ROOT / "docs" / guide.PAGE).read_text()
    assert f"{guide.BEGIN}\n\n{guide.made_of(Results.read(RESULTS))}\n\n{guide.END}" in text
    assert set(guide.MATCH) == set(registry.algorithms())


def test_the_guide_names_the_fastest(tmp_path: Path) -> None:
    save(tmp_path, "dexin-100k", times(engine=2.0, rein=6.0, tama=4.0, naive=90.0, dexin=3.0, limit=1.0))
    text = guide.made_of(Results.read(tmp_path))
    assert "| dexin | 2 | dexin 3, tama 4, rein 6 | - | - |" in text
    assert "| rein | excluded, for each attribute, + all | 3 |" in text
