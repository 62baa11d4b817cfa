"""The page of figures says what was measured, what was missed and what is missing, and nothing else."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.own_process import ROOT
from benchmarks.performance import page
from benchmarks.performance.__main__ import RESULTS
from benchmarks.performance.results import Results
from benchmarks.performance.tables import HELD_BY_TESTS
from benchmarks.performance.targets import Target, targets
from matching import registry, workloads
from tests.unit.benchmarks.saved import MACHINE, save, times


def text_of(results: Path) -> str:
    return page.made_of(Results.read(results)).text()


def line_of(text: str, *words: str) -> str:
    """The one line with all of these."""
    (line,) = [line for line in text.splitlines() if all(word in line for word in words)]
    return line


def test_without_results_everything_is_not_measured(tmp_path: Path) -> None:
    text = text_of(tmp_path)
    assert " 0 hold, 0 are missed" in text
    assert "| yes |" not in text
    assert "**no**" not in text
    assert ".svg" not in text
    assert "*Not measured.*" in text


def test_a_figure_that_is_reached_holds_and_another_is_missed_plainly(tmp_path: Path) -> None:
    save(tmp_path, "dexin-1M", times(engine=120.0, quarantining=480.0, limit=100.0))
    text = text_of(tmp_path)
    assert line_of(text, "`dexin`, time over that of `limit`").endswith("| ≤ 1.5 x | 1.2 x | yes |")
    ahead = line_of(text, "`dexin`, time of the next fastest")
    assert ahead.endswith("| ≥ 5 x | 4 x (quarantining) | **no** |")
    assert line_of(text, "`topss`, time over that of `limit`").endswith("| - | not measured |")
    assert "1 hold, 1 are missed" in text


def test_being_the_fastest_everywhere_holds_only_if_everything_was_measured(tmp_path: Path) -> None:
    what = "the fastest on every workload at every size"
    save(tmp_path, "auction-1M", times(engine=10.0, naive=20.0))
    assert "| not measured |" in line_of(text_of(tmp_path), what)
    save(tmp_path, "auction-10k", times(engine=10.0, quarantining=8.0))
    line = line_of(text_of(tmp_path), what)
    assert "0.8 x (least on auction-10k (quarantining); 25 of 27 not measured)" in line
    assert line.endswith("| **no** |")
    for workload in workloads.names():
        for size in ("10k", "100k", "1M"):
            save(tmp_path, f"{workload}-{size}", times(engine=10.0, quarantining=80.0))
    assert line_of(text_of(tmp_path), what).endswith("| yes |")


def test_a_baseline_is_no_matcher_to_be_ahead_of(tmp_path: Path) -> None:
    save(tmp_path, "peers-eq-1M", times(engine=10.0, pyroaring=50.0, naive=400.0, limit=5.0))
    results = Results.read(tmp_path)
    assert results.next_fastest("peers-eq-1M") == "naive"
    assert results.ratio("peers-eq-1M", "pyroaring") == 5


def test_what_cannot_or_fails_is_said_in_its_place(tmp_path: Path) -> None:
    rows = [
        *times(engine=10.0),
        {"algorithm": "pyroaring", "error": "pyroaring counts equalities only"},
        {"algorithm": "quarantining", "error": "took longer than 120 s", "failed": True},
    ]
    save(tmp_path, f"{workloads.names()[0]}-1M", rows)
    text = text_of(tmp_path).partition("## Against every matcher")[2].partition("## Memory")[0]
    assert line_of(text, "| pyroaring |").startswith("| pyroaring | cannot |")
    assert line_of(text, "| quarantining |").startswith("| quarantining | failed |")


def test_an_engine_that_fails_at_a_size_misses_it(tmp_path: Path) -> None:
    save(tmp_path, "auction-5M", [{"algorithm": "engine", "error": "out of memory", "failed": True}])
    assert line_of(text_of(tmp_path), "| Sizes |").endswith("| 0 (failed: auction-5M) | **no** |")


def test_every_matcher_has_a_line_and_every_workload_a_column(tmp_path: Path) -> None:
    text = text_of(tmp_path)
    for name in registry.algorithms():
        assert f"| {name} |" in text or f"| **{name}** |" in text
    assert f"| {' | '.join(workloads.names())} |" in text


def test_batches_threads_changes_and_starts_have_their_figures(tmp_path: Path) -> None:
    batches = {
        "us_per_event": {"1": 60.0, "10": 50.0, "100": 30.0, "1000": 25.0},
        "events_per_second": {"1": 30_000.0, "2": 54_000.0},
    }
    save(tmp_path, "batches-auction", [batches])
    save(tmp_path, "changes-auction", [{"add_us": 60.5, "fresh_ratio": 1.1, "merge_ratio": 1.9}])
    parts = {"imports": 0.6, "kernels": 0.3, "opening": 0.2, "first match": 0.01}
    save(tmp_path, "start-auction", [{"seconds": 1.11, "parts": parts, "seconds_without_cache": 61.0}])
    text = text_of(tmp_path)
    assert "| ≥ 20,000 events/s | 40,000 events/s | yes |" in text
    assert line_of(text, "over that of single calls").endswith("| 2.4 x | yes |")
    assert line_of(text, "`auction`, rate of two threads").endswith("| 1.8 x | yes |")
    assert line_of(text, "`auction`, adding one").endswith("| ≤ 50 us | 60.5 us | **no** |")
    assert line_of(text, "`auction`, the same, all kernels").endswith("| 61 s | **no** |")
    assert "| auction | 60 | 50 | 30 | 25 |" in text
    assert "| auction | 0.6 | 0.3 | 0.2 | 0.01 | 1.11 | 61 |" in text
    assert "added to three million in 60.5 us" in text


def test_each_section_says_when_where_and_at_which_commit(tmp_path: Path) -> None:
    save(tmp_path, "start-auction", [{"seconds": 1.0}])
    text = text_of(tmp_path)
    assert "*Measured on 2026-11-17 at `abc1234`, seed 0: An abacus, 2 cores" in text
    assert "busy" not in text
    save(tmp_path, "start-auction", [{"seconds": 1.0}], machine={**MACHINE, "load_before": 9.0})
    assert "busy with other things too (load 9.0)" in text_of(tmp_path)


def test_a_trial_is_marked_as_one(tmp_path: Path) -> None:
    save(tmp_path, "auction-1M", times(engine=10.0), quick=True)
    assert "its figures say nothing" in text_of(tmp_path)


def test_pictures_are_well_formed_and_old_ones_go(tmp_path: Path) -> None:
    results, docs = tmp_path / "results", tmp_path / "docs"
    for size, time in (("10k", 5.0), ("1M", 30.0), ("5M", 150.0)):
        save(results, f"auction-{size}", times(engine=time, limit=2 * time, fair_predicate=9 * time))
    save(results, "batches-auction", [{"us_per_event": {"1": 60.0}, "events_per_second": {"1": 3, "2": 5}}])
    save(results, "start-auction", [{"parts": {"imports": 0.6, "opening": 0.2}, "seconds": 0.8}])
    page.write(results, into=docs)
    pictures = docs / "pictures" / "performance"
    names = {path.stem for path in pictures.iterdir()}
    assert {"matchers", "scaling", "add_us", "remove_us", "batches", "threads", "start"} <= names
    text = (docs / "performance.md").read_text()
    for path in pictures.iterdir():
        assert ElementTree.fromstring(path.read_text()).tag.endswith("svg")
        assert f"(pictures/performance/{path.name})" in text
    (results / "start-auction.json").unlink()
    page.write(results, into=docs)
    assert not (pictures / "start.svg").exists()


def test_the_same_results_give_the_same_page(tmp_path: Path) -> None:
    save(tmp_path, "auction-1M", times(engine=10.0, naive=20.0))
    first, second = (page.made_of(Results.read(tmp_path)) for _ in range(2))
    assert first.text() == second.text()
    assert {name: each.svg() for name, each in first.drawings.items()} == {
        name: each.svg() for name, each in second.drawings.items()
    }


def test_the_page_in_docs_is_that_of_the_saved_results() -> None:
    said = "Run: python -m benchmarks.performance page"
    assert text_of(RESULTS) == (ROOT / "docs" / page.PAGE).read_text(), said


def test_tests_that_hold_something_up_are_there() -> None:
    assert all((ROOT / path).exists() for path in HELD_BY_TESTS.values())


@pytest.mark.parametrize(
    ("sense", "reached", "is_whole", "verdict"),
    [
        ("at most", 2.0, True, "holds"),
        ("at most", 2.1, True, "missed"),
        ("at least", 2.0, True, "holds"),
        ("at least", 1.9, False, "missed"),
        ("at least", 2.1, False, "not measured"),
        ("at least", None, True, "not measured"),
    ],
)
def test_a_figure_holds_up_to_its_bound(
    sense: str, reached: float | None, is_whole: bool, verdict: str
) -> None:
    target = Target(
        about="",
        what="",
        sense="at most" if sense == "at most" else "at least",
        bound=2.0,
        unit="x",
        reached=reached,
        is_whole=is_whole,
    )
    assert target.verdict == verdict


def test_every_target_is_judged(tmp_path: Path) -> None:
    assert {target.verdict for target in targets(Results.read(tmp_path))} == {"not measured"}
