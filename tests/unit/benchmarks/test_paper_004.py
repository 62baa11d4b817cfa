"""The figures of paper 004 can be measured; at a size at which their numbers say nothing."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.reproduce import page, ranges, registry, running
from benchmarks.reproduce.figure import Figure
from benchmarks.reproduce.results import Results


def tiny(name: str) -> Figure:
    """The figure with its first cell alone, of a thousand subscriptions, measured in this process."""
    figure = registry.figure(name)
    cell = {**figure.cells[0], "subscriptions": 1_000}
    return replace(figure, cells=(cell,), is_in_own_process=False)


@pytest.mark.parametrize("variant", ["tama", "dexin, linked"])
def test_a_cell_gives_times_memory_and_what_was_reported_wrongly(variant: str) -> None:
    cell = {"variant": variant, "subscriptions": 1_000, "attributes": 4, "zipf": 1.0}
    numbers = ranges.measure(cell, paper=False, report=lambda stage, share: None)
    json.dumps(numbers)
    assert numbers["ms"] > 0
    assert numbers["add_us"] > 0
    assert 0 < numbers["matching"] < 1
    assert (numbers["wrong"] > 0) == (variant == "tama")


def test_figures_that_share_their_cells_are_measured_once(tmp_path: Path) -> None:
    results, said = Results(tmp_path), StringIO()
    figures = [tiny("004-fig15"), tiny("004-fig16")]
    assert running.run(figures, results, Console(file=said, width=200)) == []
    assert said.getvalue().count("attributes=2") == 1
    for figure in figures:
        assert "not measured yet" not in page.text(figure, results)


def test_every_figure_from_2_to_17_is_there_and_says_something_to_every_claim() -> None:
    names = [name for name in registry.figures() if name.startswith("004-")]
    assert names == [f"004-fig{number}" for number in range(2, 18)]
    assert all(registry.figure(name).claims for name in names)
