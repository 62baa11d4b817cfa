"""The figures of papers 000 and 002: small cells are measured, and claims are answered from rows."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.reproduce import paper_000, paper_002, precision, two_processes
from benchmarks.reproduce.figure import Figure, Rows

FIGURES = (*paper_000.FIGURES, *paper_002.FIGURES)
NUMBERS = (
    *("processing_us", "matching_us", "sending_us", "execution_us", "matches", "evaluations", "add_us"),
    *("visited", "bound", "match_us", "edges", "successors", "space", "load_seconds", "events_taken"),
)


def made_up(figure: Figure, number: Callable[[int], float]) -> Rows:
    return Rows(
        [
            {**cell, **{name: number(place) for name in NUMBERS}, "half_width": 0.05}
            for place, cell in enumerate(figure.cells)
        ]
    )


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_every_claim_is_answered_once_all_cells_are_measured(figure: Figure) -> None:
    rising, falling = made_up(figure, lambda place: 1 + place), made_up(figure, lambda place: 1000 - place)
    for claim in figure.claims:
        assert claim.measured(rising) != claim.measured(falling)
        assert isinstance(claim.holds(rising), bool)
    figure.notes(rising)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_claims_without_their_cells_say_so_by_a_lookup_error(figure: Figure) -> None:
    for claim in figure.claims:
        with pytest.raises(LookupError):
            claim.measured(Rows([]))


def test_the_columns_of_a_page_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_processes, "MOST_EVENTS", 150)
    cell = {"algorithm": "quarantining", "subscriptions": 3_000, "p": 0.5, "adding": True}
    numbers = two_processes.measure(cell, paper=False, report=ignored)
    figure = paper_002.FIGURE_9A
    assert {*cell, *numbers} >= set(figure.columns) - {"strings"}
    assert numbers["matching_us"] < numbers["processing_us"] < numbers["execution_us"]
    assert numbers["matches"] > 0
    assert numbers["events_taken"] == 150


def test_few_strings_make_equalities_less_selective() -> None:
    usual, few = (
        two_processes.FewStrings(p=0.0, strings=strings).subscriptions(200).constants[-1]
        for strings in (200, 2)
    )
    assert len(usual) > len(few) == 2


def test_a_cell_of_the_simulation_has_the_columns_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paper_000, "MOST_EVENTS", 120)
    (figure,) = paper_000.FIGURES
    found = {}
    for optimisation in paper_000.OPTIMISATIONS:
        cell = {"optimisation": optimisation, "subscriptions": 1_000}
        numbers = paper_000.measure(cell, paper=False, report=ignored)
        assert {*cell, *numbers} >= set(figure.columns)
        found[optimisation] = numbers
    assert len({numbers["matches"] for numbers in found.values()}) == 1
    assert found["all"]["visited"] < found["none"]["visited"]


def test_the_interval_of_a_mean() -> None:
    assert precision.half_width([1.0]) == float("inf")
    assert precision.half_width([2.0, 2.0, 2.0]) == 0
    assert precision.half_width([1.0, 3.0] * 50) == pytest.approx(1.96 * (100 / 99) ** 0.5 / 10 / 2)
    assert list(precision.checkpoints(300)) == [100, 150, 225, 300]


def ignored(stage: str, share: float) -> Any:
    """Nobody wants to know how far it is."""
