"""Every claim of the five papers, and what became of it here.

A figure's claims are answered from its rows (see `figure.Claim`). What a paper says elsewhere, in its
abstract, its sections or its conclusion, stands in `claims_000` to `claims_004`: as a `Derived` claim if it
can be decided from what was measured, as a `Judged` one with our verdict and its reason if it cannot.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module

from benchmarks.performance.results import Results as Performance
from benchmarks.reproduce.figure import Claim, Figure, Rows, with_why
from benchmarks.reproduce.results import Results

OUR_OWN = "(Our own"
PERFORMANCE = "performance"


class Verdict(StrEnum):
    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not confirmed"
    NOT_APPLICABLE = "not applicable"
    NOT_MEASURED = "not measured yet"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was measured: for the papers' figures, and for the page on performance."""

    figures: dict[str, Figure]
    results: Results
    performance: Performance

    def rows(self, figure: str) -> Rows:
        """Raises LookupError if some of its cells are not measured."""
        rows = self.results.rows(self.figures[figure])
        if len(rows) < len(self.figures[figure].cells):
            raise LookupError(f"{figure} is not measured, or not wholly")
        return rows

    def matrix(self, group: str, algorithm: str, key: str = "us_per_event") -> float:
        """A figure of the matrix of all matchers, workloads and sizes. Raises LookupError."""
        figure = self.performance.figure(group, key, algorithm=algorithm)
        if figure is None:
            raise LookupError(f"{algorithm} is not measured on {group}")
        return figure


@dataclass(frozen=True, slots=True)
class Judged:
    """`because` is Markdown, with links relative to the page."""

    where: str
    said: str
    verdict: Verdict
    because: str


@dataclass(frozen=True, slots=True)
class Derived:
    """`measured` and `holds` may raise LookupError where something is not measured; `why` says why it does
    not hold, if it does not: a sentence, or one made of the evidence. `figures` are where to look: names of
    figures, or PERFORMANCE.
    """

    where: str
    said: str
    figures: tuple[str, ...]
    measured: Callable[[Evidence], str]
    holds: Callable[[Evidence], bool]
    why: str | Callable[[Evidence], str] = ""


Stated = Judged | Derived


@dataclass(frozen=True, slots=True)
class Paper:
    number: str
    title: str
    statements: tuple[Stated, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """A claim with what we say to it; `figures` are where it was measured, if anywhere."""

    where: str
    said: str
    verdict: Verdict
    remark: str
    figures: tuple[str, ...] = ()


def papers() -> list[Paper]:
    return [import_module(f"benchmarks.reproduce.claims_{number:03}").PAPER for number in range(5)]


def answered(paper: Paper, evidence: Evidence) -> Iterator[Answered]:
    """What the paper's text says, then what its figures show; claims that are our own are left out."""
    for statement in paper.statements:
        yield _judged(statement) if isinstance(statement, Judged) else _derived(statement, evidence)
    for figure in evidence.figures.values():
        if figure.name.startswith(f"{paper.number}-"):
            for claim in figure.claims:
                if not claim.said.startswith(OUR_OWN):
                    yield _of_figure(figure, claim, evidence)


def _judged(statement: Judged) -> Answered:
    return Answered(statement.where, statement.said, statement.verdict, statement.because)


def _derived(claim: Derived, evidence: Evidence) -> Answered:
    try:
        verdict, remark = _verdict(claim.holds(evidence)), claim.measured(evidence)
    except LookupError:
        verdict, remark = Verdict.NOT_MEASURED, ""
    if verdict == Verdict.NOT_CONFIRMED:
        remark = with_why(remark, claim.why, evidence)
    return Answered(claim.where, claim.said, verdict, remark, claim.figures)


def _of_figure(figure: Figure, claim: Claim, evidence: Evidence) -> Answered:
    """A claim may need some of the cells only; then it is answered as soon as they are there."""
    rows = evidence.results.rows(figure)
    try:
        verdict, remark = _verdict(claim.holds(rows)), claim.measured(rows)
    except LookupError:
        verdict, remark = Verdict.NOT_MEASURED, ""
    if verdict != Verdict.NOT_MEASURED and len(rows) < len(figure.cells):
        remark += f" ({len(rows)} of {len(figure.cells)} cells are measured.)"
    if verdict == Verdict.NOT_CONFIRMED:
        remark = with_why(remark, claim.why, rows)
    where = figure.source[figure.source.index("section") :].rstrip(".")
    return Answered(where, claim.said, verdict, remark, (figure.name,))


def _verdict(holds: bool) -> Verdict:
    return Verdict.CONFIRMED if holds else Verdict.NOT_CONFIRMED
