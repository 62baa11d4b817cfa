"""Figures of papers: cells are measured once, kept, and set beside the paper's claims."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from rich.console import Console

from benchmarks.own_process import NoResultError, Report
from benchmarks.reproduce import cell, hitting, overlapping, page, registry, running
from benchmarks.reproduce.figure import Claim, Figure, Line, Plot
from benchmarks.reproduce.results import Results
from matching.operators.yardstick import least_evaluations
from matching.workloads.debs07 import Debs07

TINY = {"subscriptions": 200, "predicates": 300, "zipf": 1.0, "max_length": 5, "popularity": "Zipf 1"}


def silent(stage: str, share: float) -> None:
    pass


def squared(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    report("squaring", 0.5)
    if cell["side"] < 0:
        raise NoResultError("no such square")
    return {"area": cell["side"] ** 2, "often": paper}


def squares(*sides: int) -> Figure:
    return Figure(
        name="999-fig1",
        title="Areas of squares",
        source="Paper 999, figure 1.",
        claims=(
            Claim(
                "A square of side 3 has the area 9.",
                lambda rows: f"It has {rows.one(side=3)['area']}.",
                lambda rows: rows.one(side=3)["area"] == 9,
            ),
            Claim(
                "All squares are small.",
                lambda rows: f"One has {max(rows.column('area'))}.",
                lambda rows: max(rows.column("area")) < 10,
            ),
            Claim("One is of side 99.", lambda rows: f"{rows.one(side=99)}", lambda rows: True),
        ),
        cells=tuple({"side": side} for side in sides),
        measure=squared,
        plot=Plot("side", "side", "area", (Line("ours", "area", paper={3: 9}),)),
        columns={"side": "side", "area": "area"},
        notes=lambda rows: f"The largest is {max(rows.column('area')):,}.",
        is_in_own_process=False,
    )


def run(figure: Figure, results: Results, **options: bool) -> tuple[list[running.Failure], str]:
    said = StringIO()
    failures = running.run([figure], results, Console(file=said, width=200), **options)
    return failures, said.getvalue()


def test_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    results = Results(tmp_path)
    run(squares(1, 2), results)
    with results.path(squares()).open("a") as lines:
        lines.write('{"figure": "999-fig1", "vers')  # cut off in the middle
        lines.write("\n")
    _, said = run(squares(1, 2, 40), results)
    assert "2 of 3 cells are measured already." in said
    assert "side=40" in said
    assert "side=1 " not in said
    assert results.rows(squares(1, 2, 40)).column("area") == [1, 4, 1600]


def test_what_is_measured_as_often_as_the_paper_did_counts_more(tmp_path: Path) -> None:
    results = Results(tmp_path)
    run(squares(1, 2), results)
    run(squares(1), results, paper=True)
    assert results.rows(squares(1, 2)).column("often") == [True, False]
    assert len(results.rows(replace(squares(1, 2), version=2))) == 0


def test_a_cell_without_result_does_not_stop_the_others(tmp_path: Path) -> None:
    results = Results(tmp_path)
    failures, said = run(squares(-1, 3), results)
    assert [failure.reason for failure in failures] == ["no such square"]
    assert "no such square" in said
    assert results.rows(squares(-1, 3)).column("area") == [9]


def test_the_page_sets_claims_beside_numbers(tmp_path: Path) -> None:
    results = Results(tmp_path / "results")
    run(squares(3, 40, 5), results)
    written = page.write(squares(3, 40, 5, 6), results, tmp_path).read_text()
    assert "| A square of side 3 has the area 9. | It has 9. | yes |" in written
    assert "| All squares are small. | One has 1600. | **no** |" in written
    assert "| One is of side 99. | not measured yet |  |" in written
    assert "The largest is 1,600." in written
    assert "1 of 4 cells are not measured yet." in written
    assert (
        tmp_path / "999-fig1.csv"
    ).read_text() == "side,area,often\n3,9,False\n40,1600,False\n5,25,False\n"
    assert (tmp_path / "999-fig1.png").read_bytes().startswith(b"\x89PNG")
    page.write_index([squares(3, 40, 5, 6), squares(7)], results, tmp_path)
    assert "| [999-fig1](999-fig1.md) | Areas of squares | 1 of 3 |" in (tmp_path / "README.md").read_text()
    with pytest.raises(LookupError):
        page.write(squares(3), Results(tmp_path / "empty"), tmp_path)


def test_a_cell_of_paper_001_is_measured_in_a_process_of_its_own() -> None:
    numbers = cell.numbers_of(registry.figure("001-fig8"), TINY, paper=False, report=silent)
    json.dumps(numbers)
    assert 0 < numbers["floor"] <= numbers["yardstick"] <= numbers["suborder"]
    assert numbers["suborder"] <= numbers["naive"] <= numbers["used_predicates"]


@pytest.mark.parametrize("seed", range(5))
def test_no_algorithm_can_go_below_the_floor(seed: int) -> None:
    sets = Debs07(predicates=40, seed=seed).predicate_sets(40)
    least = least_evaluations(overlapping.as_mapping(sets), lambda literal: False)
    assert 0.5 * least < hitting.floor(sets) <= least


def test_an_unknown_figure_is_named_with_the_nearest() -> None:
    with pytest.raises(CommandError, match=r"There is no figure '001-fg4'; did you mean 001-fig4\?"):
        call_command("reproduce", "001-fg4")
    with pytest.raises(CommandError, match="--list says which there are"):
        call_command("reproduce")
