"""docs/reliability.md shows what was measured, all of it, and nothing else."""

import ast
import json
from collections.abc import Iterator
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from tests.bombs.arsenal import bombs
from tests.chaos import page as runs
from tests.limits import page as limits
from tests.limits.measuring import Figure, Measured
from tests.running_system import ROOT

PAGE = runs.PAGE.read_text()
BOTH, ANY = ("PostgreSQL", "SQLite"), ("",)
LOSSES = (
    "a flush of Redis",
    "a full disk",
    "a stop or lock of the database",
    "the loss of Redis and its files",
)
# What each table must have, and for which databases.
BY_TESTS = {
    "attempts of a delivery that never arrives": BOTH,
    "changed by running a night that was killed twice more": BOTH,
    "effects of a task that is delivered three times": BOTH,
    "events of 50 equal publications at once": BOTH,
    "from make up to the first notification, install and compiling apart": ANY,
    "from the first attempt of a delivery to its last": BOTH,
    "length of a lease": BOTH,
    "lost by a night that was killed": BOTH,
    "matches that a night adds when it is loaded again": BOTH,
    "memory for a request that is refused": ANY,
    "notices of a slot with three schedulers": BOTH,
    "processor time for a request that is refused": ANY,
    "read of a receiver's answer of 5 MB": ANY,
    "time until a publisher is refused while SQLite is locked": ANY,
    **{f"time until matching and telling go on after {loss}": BOTH for loss in LOSSES},
    "time for 80 receivers beside 20 that drip": BOTH,
    "times that an event which kills its worker is tried": BOTH,
    "wrong or doubled by a night that was killed": BOTH,
}
BOMBS = len(bombs())
BY_LONG_RUNS = {
    "accepted at 3 times the sustainable rate and lost": BOTH,
    "events doubled, with 1,000 kills": BOTH,
    "events lost, with 1,000 kills": BOTH,
    "faults of any kind, with 1,000 kills": BOTH,
    "longest time until events are matched again, with 1,000 kills": BOTH,
    "longest time until people are told again, with 1,000 kills": BOTH,
    "longest commit of others while much is written": ("SQLite",),
    "matched at 3 times the sustainable rate, of the peak": BOTH,
    f"memory of a web process for a request that is refused, of {BOMBS}": ANY,
    "normal again after 3 times the sustainable rate": BOTH,
    "other faults at 3 times the sustainable rate": BOTH,
    f"processor time for a request that is refused, of {BOMBS}": ANY,
    f"requests made to cost much and not refused as they should be, of {BOMBS}": ANY,
    "server errors and other wrong answers to at least 100,000 hostile requests": BOTH,
}
OF_KILLED_NIGHTS = (
    "rows of nights that are lost",
    "rows of nights that are wrong or doubled",
    "rows that change when a night is run again",
)
KILLS_OF_NIGHTS = {"PostgreSQL": 40, "SQLite": 40}
Key = tuple[str, str]


def required(databases_of: dict[str, tuple[str, ...]]) -> set[Key]:
    return {(what, database) for what, databases in databases_of.items() for database in databases}


def listed(keys: set[Key]) -> str:
    return "\n" + "\n".join(" ".join(key).rstrip() for key in sorted(keys))


def figures_in(results: Path, **more: Any) -> dict[Key, float]:
    """Of files with these names and documents."""
    for name, document in more.items():
        (results / f"{name.replace('_', '-')}.json").write_text(json.dumps(document))
    return {(figure.what, figure.database): figure.figure for figure, _command in limits.rows(results)}


def test_its_runs_are_those_that_were_saved() -> None:
    assert runs.shown(PAGE) == PAGE, "say: python -m tests.chaos.page"


def test_its_limits_are_those_that_were_measured() -> None:
    assert limits.with_table(PAGE) == PAGE, "say: python -m tests.limits.page"


def test_all_that_tests_measure_was_saved_and_nothing_that_they_no_longer_do() -> None:
    saved = {(row.what, row.database) for row, command in limits.rows() if command == limits.TESTS}
    assert not (missing := required(BY_TESTS) - saved), listed(missing)
    assert not (stale := saved - required(BY_TESTS)), listed(stale)


def test_all_long_runs_were_saved() -> None:
    nights = {
        (f"{what}, with {kills} kills", database)
        for what in OF_KILLED_NIGHTS
        for database, kills in KILLS_OF_NIGHTS.items()
    }
    saved = {(row.what, row.database) for row, _command in limits.rows()}
    assert not (missing := (required(BY_LONG_RUNS) | nights) - saved), listed(missing)


def test_every_figure_is_within_its_limit() -> None:
    assert [str(row) for row, _command in limits.rows() if not row.is_within] == []


def test_the_figures_that_must_be_saved_are_those_that_tests_hand_over() -> None:
    handed = list(names_in_tests())
    assert [name for name in handed if not any(fnmatch(what, name) for what in BY_TESTS)] == []
    assert [what for what in BY_TESTS if not any(fnmatch(what, name) for name in handed)] == []


def names_in_tests() -> Iterator[str]:
    """What is given to `measured`, with a star for what is put into it."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        if "from tests.limits.measuring import" not in (text := path.read_text()):
            continue
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Name(id="measured"), args=[ast.Constant(value=name), *_]):
                    yield str(name)
                case ast.Call(func=ast.Name(id="measured"), args=[ast.JoinedStr(values=parts), *_]):
                    yield "".join(
                        str(part.value) if isinstance(part, ast.Constant) else "*" for part in parts
                    )
                case ast.Call(func=ast.Name(id="measured")):
                    raise AssertionError(f"{path}:{node.lineno}: its name cannot be read")


def test_of_several_with_a_name_the_worst_counts(tmp_path: Path) -> None:
    handed = [
        Figure(what=what, figure=figure, at_most=most, at_least=least)
        for what, most, least, all_of_them in (
            ("seconds", 9, None, (3, 5, 4)),
            ("hours", None, 1, (3, 2, 4)),
            ("effects", 1, 1, (1, 0, 1)),
        )
        for figure in all_of_them
    ]
    lines = (json.dumps(asdict(each) | {"machine": {}}) for each in handed)
    (tmp_path / "limits.jsonl").write_text("\n".join(lines))
    assert figures_in(tmp_path) == {("seconds", ""): 5, ("hours", ""): 2, ("effects", ""): 0}


def test_beside_others_a_test_may_take_longer_but_the_figure_is_not_within_its_limit() -> None:
    figures: list[Figure] = []
    hand_over = Measured(figures, "")
    hand_over("seconds", 20, at_most=9, slowness=3)
    with pytest.raises(AssertionError, match="seconds"):
        hand_over("seconds", 28, at_most=9, slowness=3)
    assert [(figure.figure, figure.at_most, figure.is_within) for figure in figures] == [
        (20, 9, False),
        (28, 9, False),
    ]


def test_what_chaos_lost_is_added_up_over_all_causes(tmp_path: Path) -> None:
    toll = {"lost": 1, "doubled": 2, "longest_resumption": 5.5, "longest_telling": 7.5}
    run = {
        "database": "sqlite",
        "plan": {"kills": 9},
        "lease_kills": 8,
        "tolls": {"web": toll, "redis": toll | {"longest_telling": 6.5}},
        "verdict": {"faults": [{"kind": "lost"}] * 6},
    }
    untold = {"lost": 0, "doubled": 0, "longest_resumption": 1.5}
    older = run | {"database": "postgresql", "tolls": {"web": untold}}
    figures = figures_in(tmp_path, chaos_9={"runs": [run, older]})
    assert {what: figure for (what, database), figure in figures.items() if database == "SQLite"} == {
        "events lost, with 8 kills": 2,
        "events doubled, with 8 kills": 4,
        "faults of any kind, with 8 kills": 6,
        "longest time until events are matched again, with 8 kills": 5.5,
        "longest time until people are told again, with 8 kills": 7.5,
    }
    assert sum(database == "PostgreSQL" for _what, database in figures) == 4


HOSTILE = {
    "database": "sqlite",
    "asked": 1_000,
    "is_finished": True,
    "requests": 1_020,
    "faults": {"not_a_server_error": 2, "no_answer": 1},
    "broken": ["x"],
}


def test_every_fault_that_hostile_requests_found_counts(tmp_path: Path) -> None:
    what = "server errors and other wrong answers to at least 1,000 hostile requests"
    assert figures_in(tmp_path, hostile_sqlite=HOSTILE) == {(what, "SQLite"): 4}


@pytest.mark.parametrize("more", [{"is_finished": False}, {"is_finished": None}, {"requests": 999}])
def test_hostile_requests_that_were_not_all_sent_have_no_row(tmp_path: Path, more: dict[str, Any]) -> None:
    assert figures_in(tmp_path, hostile_sqlite=HOSTILE | more) == {}


def test_killed_nights_of_a_database_are_added_up(tmp_path: Path) -> None:
    night = {"database": "sqlite", "kills": 20, "lost": 1, "wrong": 2, "changed_by_running_again": 3}
    night["kills_missed"] = 0
    missed = [night | {"kills_missed": 1}, {name: night[name] for name in night if name != "kills_missed"}]
    runs = [night, night, night | {"database": "postgresql"}, *missed]
    figures = figures_in(tmp_path, nights_killed={"runs": runs})
    assert [figures[f"{what}, with 40 kills", "SQLite"] for what in OF_KILLED_NIGHTS] == [2, 4, 6]
    assert [figures[f"{what}, with 20 kills", "PostgreSQL"] for what in OF_KILLED_NIGHTS] == [1, 2, 3]


def test_an_overload_has_its_rows(tmp_path: Path) -> None:
    overload = {
        "database": "sqlite",
        "plan": {"times": 3.0},
        "goodput": 320.0,
        "peak": 400.0,
        "recovery": 4.5,
        "faults": [{"kind": "lost"}, {"kind": "late"}, {"kind": "wrong"}],
    }
    (tmp_path / "overload.json").write_text(json.dumps({"runs": [overload]}))
    table = limits.with_table(PAGE, tmp_path)
    assert "| matched at 3 times the sustainable rate, of the peak, on SQLite | at least 70 | 80 % |" in table
    assert "| normal again after 3 times the sustainable rate, on SQLite | at most 60 | 4.5 s |" in table
    assert "| accepted at 3 times the sustainable rate and lost, on SQLite | at most 0 | 1 |" in table
    assert "| other faults at 3 times the sustainable rate, on SQLite | at most 0 | 2 |" in table


def test_a_section_needs_both_of_its_marks() -> None:
    assert runs.with_section("a[old]b", ["", "new", ""], begin="[", end="]") == "a[\n\nnew\n\n]b"
    with pytest.raises(ValueError, match="unpack"):
        runs.with_section("a[old", ["new"], begin="[", end="]")
