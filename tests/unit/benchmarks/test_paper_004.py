"""The figures of paper 004 can be measured; at a size at which their numbers say nothing."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from rich.console import Console

from benchmarks.reproduce import page, ranges, registry, running
from benchmarks.reproduce.figure import Figure
from benchmarks.reproduce.passes import passes_of
from benchmarks.reproduce.results import Results
from matching import registry as matchers
from matching.algorithms.dexin import DexinMatcher
from matching.algorithms.intervals import Intervals, Mask
from matching.workloads.dexin import Dexin


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


def test_what_dexin_traverses_differs_less_from_event_to_event_than_what_counting_and_striking_out_do() -> (
    None
):
    workload = Dexin()
    traversed: dict[str, list[int]] = {}
    for name in ("dexin", "tama", "opindex", "rein"):
        matcher = matchers.create(name, workload.schema)
        matcher.load(workload.subscriptions(1_000))
        for event in workload.events(100):
            matcher.work.reset()
            matcher.match_ids(event)
            traversed.setdefault(name, []).append(matcher.work.predicate_evaluations)
    deviations = {name: stdev(numbers) for name, numbers in traversed.items()}
    assert min(deviations, key=deviations.__getitem__) == "dexin"


@pytest.mark.parametrize("workload", [Dexin(), Dexin(min_width=0.9, max_width=0.9)], ids=["", "wide"])
def test_passes_over_all_marks_are_counted_as_dexin_makes_them(
    workload: Dexin, monkeypatch: pytest.MonkeyPatch
) -> None:
    matcher = DexinMatcher(workload.schema)
    matcher.load(workload.subscriptions(1_000))
    made = 0
    run_meets = Intervals.run_meets

    def counted(*arguments: Any) -> Mask:
        nonlocal made
        made += 1
        return run_meets(*arguments)

    monkeypatch.setattr(Intervals, "run_meets", counted)
    for event in workload.events(30):
        made = 0
        matcher.match_ids(event)
        assert made == passes_of(matcher.rates_of(event)[0])
