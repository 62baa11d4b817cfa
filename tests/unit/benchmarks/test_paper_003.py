"""The figures and tables of paper 003 can be measured; at a size at which their numbers say nothing."""

import json
from collections.abc import Callable

import pytest

from benchmarks.reproduce import paper_003, registry, stages
from benchmarks.reproduce.figure import Figure, Rows

NUMBERS = (
    *("predicates", "ms", "satisfied", "mb", "mb_with_removal", "predicates_ms", "subscriptions_ms"),
    *("load_ms", "add_us", "remove_us", "events_taken", "half_width"),
)


def silent(stage: str, share: float) -> None:
    pass


def made_up(figure: Figure, number: Callable[[int], float]) -> Rows:
    return Rows(
        [{**cell, **dict.fromkeys(NUMBERS, number(place))} for place, cell in enumerate(figure.cells)]
    )


@pytest.mark.parametrize("variant", stages.VARIANTS)
def test_a_cell_gives_stages_loading_changes_and_memory(variant: str) -> None:
    cell = {"variant": variant, "subscriptions": 300}
    numbers = stages.measure_subscriptions(cell, paper=False, report=silent)
    json.dumps(numbers)
    assert 0.1 < numbers["matching"] < 0.3  # 17.6% in the long run
    assert min(numbers[name] for name in ("ms", "load_ms", "mb", "add_us", "remove_us")) > 0
    if numbers.get("subscriptions_ms"):
        assert numbers["predicates_ms"] + numbers["subscriptions_ms"] < numbers["ms"]
        assert numbers["mb_with_removal"] >= numbers["mb"]


@pytest.mark.parametrize("workload", ["W0", "W3"])
def test_there_are_about_as_many_different_predicates_as_asked(workload: str) -> None:
    found = {}
    for scheme in ("table", "list"):
        cell = {"workload": workload, "scheme": scheme, "different": 5_000}
        found[scheme] = stages.measure_predicates(cell, paper=False, report=silent)
    assert found["table"]["predicates"] == found["list"]["predicates"] == pytest.approx(5_000, rel=0.03)
    assert found["table"]["mb"] > found["list"]["mb"]


def test_a_workload_without_so_many_predicates_says_how_many_it_has() -> None:
    with pytest.raises(ValueError, match="W0 has only 120,000 different predicates"):
        stages.subscriptions_for("W0", 120_000)


@pytest.mark.parametrize("figure", paper_003.FIGURES, ids=lambda figure: figure.name)
def test_every_claim_is_answered_once_all_cells_are_measured(figure: Figure) -> None:
    rising, falling = made_up(figure, lambda place: 1 + place), made_up(figure, lambda place: 900 - place)
    for claim in figure.claims:
        assert claim.measured(rising) != claim.measured(falling)
        assert isinstance(claim.holds(rising), bool)
        with pytest.raises(LookupError):
            claim.measured(Rows([]))
    assert figure.notes(rising)


def test_all_figures_and_tables_of_the_paper_are_there() -> None:
    names = [name for name in registry.figures() if name.startswith("003-")]
    parts = [f"003-fig2-{number}" for number in range(1, 7)]
    assert names == [*parts, "003-fig3", "003-fig4", "003-table1", "003-table2"]
