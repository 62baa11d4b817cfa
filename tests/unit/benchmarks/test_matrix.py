"""The matrix of measurements has everything, and what was interrupted goes on where it was."""

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks.cell import BASELINES
from benchmarks.performance import matrix, measuring
from benchmarks.performance.matrix import Group
from matching import registry, workloads

QUIET = Console(quiet=True)


def cells(size: str) -> dict[str, set[str]]:
    """By workload the algorithms that are asked at this size."""
    return {
        group.arguments["workload"]: set(group.algorithms)
        for group in matrix.groups()
        if group.algorithms and group.arguments["subscriptions"] == matrix.SIZES[size]
    }


def test_every_matcher_and_baseline_is_measured_on_every_workload() -> None:
    for size in ("10k", "100k"):
        assert cells(size) == {name: {*registry.algorithms(), *BASELINES} for name in workloads.names()}
    assert cells("1M") == {
        name: {*registry.algorithms(), *BASELINES} - set(matrix.TOO_SLOW_AT_1M) for name in workloads.names()
    }


def test_the_engine_is_measured_at_every_size() -> None:
    for size in matrix.SIZES:
        found = cells(size)
        assert set(found) == set(workloads.names())
        assert all({"engine", "limit"} <= algorithms for algorithms in found.values())


def test_a_new_matcher_joins_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "algorithms", lambda: ["naive", "engine", "brand-new"])
    assert "brand-new" in cells("1M")["auction"]


def test_a_trial_has_the_same_groups_with_a_hundredth_of_the_subscriptions() -> None:
    for group, quick in zip(matrix.groups(), matrix.groups(quick=True), strict=True):
        assert quick.name == group.name
        assert quick.arguments["subscriptions"] * 100 == group.arguments["subscriptions"]


def test_names_are_different() -> None:
    names = [group.name for group in matrix.groups()]
    assert len(set(names)) == len(names)


def test_groups_are_chosen_by_a_part_of_their_name() -> None:
    found = measuring.chosen(matrix.groups(), ["auction-1M", "start"])
    assert {group.name for group in found} == {"auction-1M", "start-auction", "start-lesubscribe"}
    assert measuring.chosen(matrix.groups(), []) == matrix.groups()


def test_a_name_that_is_no_groups_is_refused_with_those_there_are() -> None:
    with pytest.raises(measuring.UnknownGroupError, match=r"'nothing' .* auction-1M"):
        measuring.chosen(matrix.groups(), ["auction", "nothing"])


class Interrupted:
    """Measures so many groups, then is stopped."""

    def __init__(self, after: int) -> None:
        self.after, self.asked = after, list[str]()

    def __call__(self, group: Group, console: Console) -> list[dict[str, Any]]:
        if len(self.asked) == self.after:
            raise KeyboardInterrupt
        self.asked.append(group.name)
        return [{"algorithm": "engine", "us_per_event": 1.0}]


def group(name: str, **arguments: Any) -> Group:
    return Group(name=name, module="benchmarks.cell", arguments=arguments, estimate=1)


def measured(every: list[Group], into: Path, *only: str, after: int = 100) -> list[str]:
    """The groups that were asked for."""
    fake = Interrupted(after)
    try:
        measuring.measure(every, only=only, into=into, console=QUIET, rows_of_group=fake)
    except KeyboardInterrupt:
        assert len(fake.asked) == after
    return fake.asked


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    every = [group(name) for name in ("a", "b", "c")]
    assert measured(every, tmp_path, after=2) == ["a", "b"]
    assert measured(every, tmp_path) == ["c"]
    assert measured(every, tmp_path) == []


def test_a_group_that_is_named_is_measured_again(tmp_path: Path) -> None:
    every = [group(name) for name in ("a", "b")]
    measured(every, tmp_path)
    assert measured(every, tmp_path, "b") == ["b"]


def test_another_question_or_another_commit_is_measured_anew(tmp_path: Path) -> None:
    measured([group("a", events=1), group("b")], tmp_path)
    assert measured([group("a", events=2), group("b")], tmp_path) == ["a"]
    saved = json.loads((tmp_path / "b.json").read_text())
    saved["machine"]["commit"] = "another"
    (tmp_path / "b.json").write_text(json.dumps(saved))
    assert measured([group("a", events=2), group("b")], tmp_path) == ["b"]


def test_what_is_saved_says_what_it_was_measured_on(tmp_path: Path) -> None:
    measured([group("a", subscriptions=5)], tmp_path)
    saved = json.loads((tmp_path / "a.json").read_text())
    assert {"date", "commit", "processor", "cores", "load_before"} <= set(saved["machine"])
    assert (saved["group"], saved["seed"], saved["subscriptions"]) == ("a", 0, 5)
    assert saved["rows"] == [{"algorithm": "engine", "us_per_event": 1.0}]
