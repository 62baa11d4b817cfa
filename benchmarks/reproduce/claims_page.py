"""docs/reproduction/claims.md: every claim of the papers with its verdict, made of what is saved."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.reproduce.claims import PERFORMANCE, Answered, Evidence, Paper, Verdict, answered, papers

PAGE = "claims.md"
HEAD = """\
# Every claim of the five papers

<!-- Made by `manage.py reproduce --claims` of what is measured. Changes belong to benchmarks/reproduce. -->

What the papers say, in their abstracts, sections, figures and conclusions, and what became of it here.
Verdicts that a measurement can give are computed from it; the others are ours, with the reason. Where a
claim has a trend and numbers, *confirmed* means that the trend, or the order of the algorithms, is the same
here: seconds of another machine, language and year are not compared, but ours stand beside. A sentence of
which some may hold and some not is several claims.

- **confirmed**: it holds here too.
- **not confirmed**: it does not, and why.
- **not applicable**: there is nothing to measure (a proof, a statement about other people's work), or our
  copy has lost it, or we did not build what it is about.
- **not measured yet**: `manage.py reproduce` or `python -m benchmarks.performance measure` has still to run.
"""
MARKS = {
    Verdict.CONFIRMED: "confirmed",
    Verdict.NOT_CONFIRMED: "**not confirmed**",
    Verdict.NOT_APPLICABLE: "not applicable",
    Verdict.NOT_MEASURED: "not measured yet",
}


def write(evidence: Evidence, into: Path) -> Path:
    into.mkdir(parents=True, exist_ok=True)
    path = into / PAGE
    path.write_text(text(evidence))
    return path


def text(evidence: Evidence) -> str:
    every = {paper.number: list(answered(paper, evidence)) for paper in papers()}
    parts = [HEAD, _summary(every)]
    for paper in papers():
        parts += [f"## {_heading(paper)}", _table(every[paper.number], evidence)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _heading(paper: Paper) -> str:
    return f"Paper {paper.number}: {paper.title}"


def _summary(every: dict[str, list[Answered]]) -> str:
    lines = [f"| paper | claims | {' | '.join(Verdict)} |", "|---|---:|" + "---:|" * len(Verdict)]
    for paper in papers():
        claims = every[paper.number]
        counted = Counter(claim.verdict for claim in claims)
        anchor = f"[{paper.number}]({_anchor(_heading(paper))})"
        lines.append(
            f"| {anchor} {paper.title} | {len(claims)} | "
            + " | ".join(str(counted[verdict]) for verdict in Verdict)
            + " |"
        )
    return "\n".join(lines)


def _anchor(heading: str) -> str:
    kept = (letter for letter in heading.lower() if letter.isalnum() or letter in " -")
    return "#" + "".join(kept).replace(" ", "-")


def _table(claims: Iterable[Answered], evidence: Evidence) -> str:
    lines = ["| where | the paper says | verdict | what we found, and where |", "|---|---|---|---|"]
    for claim in claims:
        links = " ".join(_links(claim.figures, evidence))
        found = f"{claim.remark} {links}".strip()
        lines.append(f"| {claim.where} | {claim.said} | {MARKS[claim.verdict]} | {found} |")
    return "\n".join(lines)


def _links(figures: Iterable[str], evidence: Evidence) -> Iterator[str]:
    """A figure has no page before something of it is measured."""
    for name in figures:
        if name == PERFORMANCE:
            yield "[performance](../performance.md)"
        elif len(evidence.results.rows(evidence.figures[name])):
            yield f"[{name}]({name}.md)"
        else:
            yield name
