"""What clients note comes back as it was, and the outcome of runs is one sentence."""

from pathlib import Path

from tests.chaos.causes import Toll
from tests.chaos.history import Change, History, Ledger, Publication
from tests.chaos.outcome import Outcome, Plan
from tests.chaos.page import BEGIN, END, PAGE, shown
from tests.chaos.report import verdict_line
from tests.chaos.saved import is_done, runs_in, save
from tests.chaos.verdict import Fault, Verdict


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
        strikes=[],
        tolls={"worker": Toll(strikes=25, longest_resumption=12.34), "flush": Toll(strikes=5)},
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
        "matched again after 12.3 s at most (worker) (sqlite and postgresql, seed 7; left out: disk)"
    )


def test_the_verdict_of_a_bad_run_says_what_and_where() -> None:
    said = verdict_line([outcome("sqlite", Fault("lost", "x")), outcome("postgresql")])
    assert said.startswith("VERDICT: 1 lost on sqlite; nothing lost, nothing doubled on postgresql: ")


def test_runs_of_one_plan_are_kept_together_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "chaos-7.json"
    save(file, outcome("sqlite", Fault("lost", "x")))
    assert not is_done(file, Plan(seed=7), "sqlite")
    save(file, outcome("sqlite"))
    save(file, outcome("postgresql"))
    assert [each["database"] for each in runs_in(file)] == ["sqlite", "postgresql"]
    assert is_done(file, Plan(seed=7), "sqlite")
    assert not is_done(file, Plan(seed=8), "sqlite")
    page = shown(f"before\n{BEGIN}\nold\n{END}\nafter\n", tmp_path)
    assert page.startswith("before\n")
    assert page.endswith("\nafter\n")
    assert "old" not in page
    assert "| worker | 25 | 0 | 0 | 0 | 0.0 s | 12.3 s |" in page
    assert "Left out: disk, since nobody may mount one." in page
    assert shown(page, tmp_path) == page


def test_the_docs_show_the_runs_that_are_saved() -> None:
    assert PAGE.read_text() == shown(PAGE.read_text()), "run: python -m tests.chaos.page"
