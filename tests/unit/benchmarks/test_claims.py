"""Every claim of the papers gets a verdict: from what is measured, or ours with its reason."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command

from benchmarks.performance.results import Results as Performance
from benchmarks.reproduce import claims_page, page, registry
from benchmarks.reproduce.claims import Answered, Derived, Evidence, Judged, Paper, Verdict, answered, papers
from benchmarks.reproduce.figure import Claim, Figure, Line, Plot
from benchmarks.reproduce.results import Results

DOCS = Path(claims_page.__file__).parents[2] / "docs" / "reproduction"
FIGURE = Figure(
    name="001-fig99",
    title="Squares",
    source="Paper 001, section 9, figure 99.",
    claims=(
        Claim("It is 4.", lambda rows: f"{rows.one(side=2)['area']}.", lambda rows: True),
        Claim("It is 5.", lambda rows: f"{rows.one(side=2)['area']}.", lambda rows: False, "two times two."),
        Claim("(Our own.) It is fine.", lambda rows: "", lambda rows: True),
    ),
    cells=({"side": 2}, {"side": 3}),
    measure=lambda cell, **_: {},
    plot=Plot("side", "side", "area", (Line("ours", "area"),)),
    columns={},
)


SAVED = Path(claims_page.__file__).parents[1] / "results"


def evidence(results: Results, figures: dict[str, Figure] | None = None) -> Evidence:
    return Evidence(registry.figures() if figures is None else figures, results, Performance({}))


def answers(results: Results, *figures: Figure) -> list[Answered]:
    (paper,) = (paper for paper in papers() if paper.number == "001")
    known = {name: figure for name, figure in registry.figures().items() if name.startswith("001")}
    found = answered(paper, evidence(results, {**known, **{figure.name: figure for figure in figures}}))
    return [claim for claim in found if claim.figures == (FIGURE.name,)]


def test_a_figure_s_claims_are_judged_by_its_rows_and_say_why_they_do_not_hold(tmp_path: Path) -> None:
    results = Results(tmp_path)
    assert [claim.verdict for claim in answers(results, FIGURE)] == [Verdict.NOT_MEASURED] * 2
    results.save(FIGURE, {"side": 2}, {"area": 4}, paper=False, seconds=1)
    holds, does_not = answers(results, FIGURE)
    assert (holds.where, holds.verdict) == ("section 9, figure 99", Verdict.CONFIRMED)
    assert holds.remark == "4. (1 of 2 cells are measured.)"
    assert does_not.verdict == Verdict.NOT_CONFIRMED
    assert does_not.remark.endswith("*Why:* two times two.")


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.number)
def test_what_nobody_measured_is_said_to_be_so(paper: Paper, tmp_path: Path) -> None:
    for statement in paper.statements:
        if isinstance(statement, Derived):
            with pytest.raises(LookupError):
                statement.holds(evidence(Results(tmp_path)))
        else:
            assert statement.verdict != Verdict.NOT_MEASURED
            assert statement.because
    assert any(isinstance(statement, Judged) for statement in paper.statements)


def test_the_page_has_all_papers_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    call_command("reproduce", "--claims", "--into", str(tmp_path))
    text = (tmp_path / "claims.md").read_text()
    assert [line[9:12] for line in text.splitlines() if line.startswith("## Paper")] == [
        *("000", "001", "002", "003", "004")
    ]
    for target in set(re.findall(r"\]\(([^)#]+)", text)):
        if not re.fullmatch(r"00\d-\w+\.md", target):  # pages of figures are made when they are measured
            assert (DOCS / target).exists(), target


@pytest.mark.parametrize("paper", papers(), ids=lambda paper: paper.number)
def test_every_claim_that_is_not_confirmed_says_why(paper: Paper) -> None:
    saved = Evidence(
        registry.figures(), Results(SAVED / "reproduce"), Performance.read(SAVED / "performance")
    )
    answers = list(answered(paper, saved))
    assert answers
    silent = [
        f"{claim.where}: {claim.said}"
        for claim in answers
        if claim.verdict == Verdict.NOT_CONFIRMED and "*Why:* " not in claim.remark
    ]
    assert silent == []


def test_a_figure_s_page_says_why_a_claim_does_not_hold(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.save(FIGURE, {"side": 2}, {"area": 4}, paper=False, seconds=1)
    assert "| It is 5. | 4. *Why:* two times two. | **no** |" in page.text(FIGURE, results)
    assert "| It is 4. | 4. | yes |" in page.text(FIGURE, results)
