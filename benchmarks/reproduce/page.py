"""The page of a figure: the paper's claims beside what was measured, a picture, a table, and what differs.

The words are those of the figure's module; every number comes from the saved results.
"""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.reproduce.figure import Claim, Figure, Rows, shown, with_why
from benchmarks.reproduce.plotting import draw
from benchmarks.reproduce.results import Results


def write(figure: Figure, results: Results, into: Path) -> Path:
    """NAME.md, NAME.csv and NAME.png; gives the path of the first. Raises LookupError if nothing is saved."""
    rows = results.rows(figure)
    if not len(rows):
        raise LookupError(f"Nothing of {figure.name} is measured yet.")
    into.mkdir(parents=True, exist_ok=True)
    _write_csv(rows, into / f"{figure.name}.csv")
    draw(figure, rows, into / f"{figure.name}.png")
    path = into / f"{figure.name}.md"
    path.write_text(text(figure, results))
    return path


def write_index(figures: Iterable[Figure], results: Results, into: Path) -> None:
    """README.md: all figures of which something is measured, and how many of their claims hold."""
    lines = [
        "# The papers' figures, measured again\n",
        (
            "Made by `manage.py reproduce --all`; `--list` says which figures there are, and a run that was"
            " interrupted goes on where it was. [Every claim of the papers](claims.md), those without a"
            " figure"
            " too, has its verdict on one page.\n"
        ),
        "| figure | | claims that hold |",
        "|---|---|---|",
    ]
    for figure in figures:
        rows = results.rows(figure)
        if len(rows):
            held = sum(_answer(claim, rows)[1] == "yes" for claim in figure.claims)
            link = f"[{figure.name}]({figure.name}.md)"
            lines.append(f"| {link} | {figure.title} | {held} of {len(figure.claims)} |")
    (into / "README.md").write_text("\n".join(lines) + "\n")


def text(figure: Figure, results: Results) -> str:
    rows = results.rows(figure)
    parts = [
        f"# {figure.title}",
        (
            f"*{figure.source}* Made by `manage.py reproduce {figure.name}`; the numbers are in"
            f" [{figure.name}.csv]({figure.name}.csv)."
        ),
        f"![{figure.title}]({figure.name}.png)",
        "## What the paper says, and what we found",
        _claims(figure.claims, rows),
        "## The numbers",
        _table(figure, rows),
    ]
    if len(rows) < len(figure.cells):
        parts.append(f"{len(figure.cells) - len(rows)} of {len(figure.cells)} cells are not measured yet.")
    if notes := _said(figure.notes, rows):
        parts += ["## Where they differ, and why", notes]
    parts.append(_footer(results.of(figure)))
    return "\n\n".join(parts) + "\n"


def _claims(claims: tuple[Claim, ...], rows: Rows) -> str:
    lines = ["| the paper | measured here | holds |", "|---|---|---|"]
    for claim in claims:
        measured, answer = _answer(claim, rows)
        lines.append(f"| {claim.said} | {measured} | {answer} |")
    return "\n".join(lines)


def _answer(claim: Claim, rows: Rows) -> tuple[str, str]:
    """What we say to a claim, with the reason if it does not hold, and whether it holds."""
    try:
        if claim.holds(rows):
            return claim.measured(rows), "yes"
        return with_why(claim.measured(rows), claim.why, rows), "**no**"
    except LookupError:
        return "not measured yet", ""


def _table(figure: Figure, rows: Rows) -> str:
    lines = ["| " + " | ".join(figure.columns.values()) + " |", "|" + "---:|" * len(figure.columns)]
    lines += ["| " + " | ".join(shown(row.get(name)) for name in figure.columns) + " |" for row in rows]
    return "\n".join(lines)


def _said(notes: Any, rows: Rows) -> str:
    try:
        return str(notes(rows)).strip()
    except LookupError:
        return ""


def _footer(records: list[dict[str, Any]]) -> str:
    last = records[-1]["machine"]
    seconds = sum(record["seconds"] for record in records)
    commits = ", ".join(dict.fromkeys(record["machine"]["commit"] for record in records))
    size = (
        "as often as in the paper"
        if all(record["paper"] for record in records)
        else ("until the mean is known well enough; `--paper` measures as often as the paper did")
    )
    return (
        f"Measured on {last['processor']}, {last['cores']} cores, {last['memory_gb']:g} GB, Python"
        f" {last['python']}, {last['date']}, commit {commits}; {seconds / 60:,.1f} minutes; {size}."
    )


def _write_csv(rows: Rows, path: Path) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(_flat(row) for row in rows)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}
