"""What clients note comes back as it was, and the outcome of runs is one sentence."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos import __main__ as command
from tests.chaos import saved
from tests.chaos.causes import Toll
from tests.chaos.history import Change, History, Ledger, Publication
from tests.chaos.outcome import Outcome, Plan
from tests.chaos.page import BEGIN, END, shown
from tests.chaos.report import verdict_line
from tests.chaos.saved import outcome_in, runs_in, save
from tests.chaos.verdict import Fault, Verdict

VERSIONS: saved.Versions = {
    "machine": {"commit": "1234567", "date": "2026-11-18", "cores": 2, "processor": "AMD EPYC 9B14"},
    "judge": "89abcde",
}


Chaos = Callable[..., tuple[int, list[Plan]]]


def outcome(database: str, *faults: Fault) -> Outcome:
    return Outcome(
        database=database,
        plan=Plan(seed=7),
        verdict=Verdict(events=2_500, matches=30_000, duties={}, sharp=0, faults=faults),
        seconds=60,
        hits={"worker child": 20, "worker": 5, "web": 3, "flush": 5},
        misses=0,
        unanswered=0,
        seconds_to_settle=3,
        most_attempts=2,
        longest_wait=11,
        longest_wait_began=20,
        strikes=[(1.5, "worker child"), (2.0, "flush")],
        tolls={
            "worker": Toll(strikes=25, longest_resumption=12.34, longest_telling=15.0),
            "flush": Toll(strikes=5),
        },
        left_out={} if database == "sqlite" else {"disk": "nobody may mount one"},
        deliveries=400,
    )


def test_a_ledger_gives_back_what_was_noted(tmp_path: Path) -> None:
    lot = Publication(7, "lot-7", {"price": 12, "title": "désk"}, began=1.5, ended=2.25)
    change = Change(3, None, began=0.1, ended=0.2)
    Ledger(tmp_path / "ledger").note(change, lot)
    assert Ledger(tmp_path / "ledger").history() == History((lot,), (change,))


def test_the_verdict_of_good_runs_adds_up_what_they_did() -> None:
    assert verdict_line([outcome("sqlite"), outcome("postgresql")]) == (
        "VERDICT: nothing lost, nothing doubled: 5,000 events, 60,000 matches, 800 deliveries, "
        "50 kills that hit a held lease, 6 that hit a request in flight, 16 other strikes, "
        "matched again after 12.3 s at most (worker), told again after 15.0 s at most (worker) "
        "(sqlite and postgresql, seed 7; left out: disk)"
    )


def test_the_verdict_of_a_bad_run_says_what_and_where() -> None:
    said = verdict_line([outcome("sqlite", Fault("lost", "x")), outcome("postgresql")])
    assert said.startswith("VERDICT: 1 lost on sqlite; nothing lost, nothing doubled on postgresql: ")


def test_runs_of_one_plan_are_kept_together_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "chaos-7.json"
    save(file, outcome("sqlite", Fault("lost", "x")), VERSIONS)
    assert outcome_in(file, Plan(seed=7), "sqlite", VERSIONS) is None
    save(file, outcome("sqlite"), VERSIONS)
    save(file, outcome("postgresql"), VERSIONS)
    assert [each["database"] for each in runs_in(file)] == ["sqlite", "postgresql"]
    assert outcome_in(file, Plan(seed=7), "sqlite", VERSIONS) == outcome("sqlite")
    assert outcome_in(file, Plan(seed=8), "sqlite", VERSIONS) is None
    page = shown(f"before\n{BEGIN}\nof yesterday\n{END}\nafter\n", tmp_path)
    assert page.startswith("before\n")
    assert page.endswith("\nafter\n")
    assert "of yesterday" not in page
    assert "| worker | 25 | 0 | 0 | 0 | 0.0 s | 12.3 s | 15.0 s |" in page
    assert "Left out: disk, since nobody may mount one." in page
    assert shown(page, tmp_path) == page


@pytest.mark.parametrize(
    "now",
    [
        VERSIONS | {"machine": VERSIONS["machine"] | {"commit": "7654321"}},
        VERSIONS | {"judge": "edcba98"},
        VERSIONS | {"judge": "89abcde-dirty"},
    ],
)
def test_a_run_of_another_program_or_judge_is_run_again(tmp_path: Path, now: saved.Versions) -> None:
    file = tmp_path / "chaos-7.json"
    save(file, outcome("sqlite"), VERSIONS)
    assert outcome_in(file, Plan(seed=7), "sqlite", now) is None


def test_what_is_not_committed_may_have_changed_between_two_runs(tmp_path: Path) -> None:
    dirty = VERSIONS | {"judge": "89abcde-dirty"}
    save(tmp_path / "chaos-7.json", outcome("sqlite"), dirty)
    assert outcome_in(tmp_path / "chaos-7.json", Plan(seed=7), "sqlite", dirty) is None


@pytest.fixture
def chaos(monkeypatch: pytest.MonkeyPatch) -> Chaos:
    """The command, with systems that are not started; its exit code, and the plans that were run."""

    def run(*words: str, faults: tuple[Fault, ...] = ()) -> tuple[int, list[Plan]]:
        plans: list[Plan] = []

        def pretend(plan: Plan, database: str) -> Outcome:
            plans.append(plan)
            return replace(outcome(database, *faults), plan=plan)

        monkeypatch.setattr(sys, "argv", ["tests.chaos", *words])
        monkeypatch.setattr(command, "_outcome", pretend)
        monkeypatch.setattr(saved, "versions", lambda: VERSIONS)
        return command.main(), plans

    return run


def test_the_command_runs_both_databases_for_a_minute(
    chaos: Chaos, capsys: pytest.CaptureFixture[str]
) -> None:
    code, plans = chaos("--seed", "7")
    assert (code, plans) == (0, [Plan(seed=7, seconds=60.0)] * 2)
    assert (
        capsys.readouterr().out.splitlines()[-1].startswith("VERDICT: nothing lost, nothing doubled: 5,000")
    )


def test_what_the_command_has_in_its_file_is_not_run_again_and_still_counts(
    chaos: Chaos, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--events", "100", "--kills", "3", "--seed", "7", "--json", str(tmp_path / "chaos.json"))
    (code, plans), (again, plans_again) = chaos(*words, "--database", "sqlite"), chaos(*words)
    plan = Plan(seed=7, seconds=0.0, events=100, kills=3)
    assert (code, plans) == (0, [plan])
    assert (again, plans_again) == (0, [plan])  # PostgreSQL's, which was not there
    assert "(sqlite and postgresql, seed 7" in capsys.readouterr().out.splitlines()[-1]


def test_a_fault_is_the_exit_code(chaos: Chaos) -> None:
    code, _plans = chaos("--seed", "7", faults=(Fault("lost", "x"),))
    assert code == 1
