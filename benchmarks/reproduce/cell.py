"""One cell of a figure, measured here or in a process of its own."""

from typing import Any

from benchmarks import own_process
from benchmarks.own_process import Report
from benchmarks.reproduce import registry
from benchmarks.reproduce.figure import Cell, Figure


def numbers_of(figure: Figure, cell: Cell, *, paper: bool, report: Report) -> dict[str, Any]:
    """Raises own_process.NoResultError if there are none."""
    if not figure.is_in_own_process:
        return figure.numbers(cell, paper=paper, report=report)
    arguments = {"figure": figure.name, "cell": dict(cell), "paper": paper}
    row = own_process.row_of("benchmarks.reproduce.cell", arguments, report, most_seconds=figure.most_seconds)
    if "error" in row:
        raise own_process.NoResultError(row["error"])
    return row


def _measure(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    figure = registry.figure(arguments["figure"])
    return figure.numbers(arguments["cell"], paper=arguments["paper"], report=report)


if __name__ == "__main__":
    own_process.answer(_measure)
