"""Measures the cells of figures one after the other, saves each at once, and says what time the rest
takes.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from benchmarks.own_process import NoResultError
from benchmarks.reproduce.cell import numbers_of
from benchmarks.reproduce.figure import Cell, Figure
from benchmarks.reproduce.results import Results


@dataclass(frozen=True, slots=True)
class Failure:
    figure: Figure
    cell: Cell
    reason: str


def run(
    figures: Sequence[Figure],
    results: Results,
    console: Console,
    *,
    paper: bool = False,
    again: bool = False,
) -> list[Failure]:
    """Measure what is not saved yet, or with `again` everything; what could not be measured is returned."""
    # Of figures that share their measurements a cell is measured once.
    cells = {results.place(figure, cell): (figure, cell) for figure in figures for cell in figure.cells}
    every = list(cells.values())
    waiting = [
        (figure, cell) for figure, cell in every if again or not results.is_saved(figure, cell, paper=paper)
    ]
    if len(waiting) < len(every):
        console.print(f"{len(every) - len(waiting)} of {len(every)} cells are measured already.")
    failures: list[Failure] = []
    with _progress(console, len(waiting)) as (progress, task):
        remaining = sum(figure.weight(cell) for figure, cell in waiting)
        done = taken = 0.0
        for number, (figure, cell) in enumerate(waiting):
            left = f"about {_minutes(remaining * taken / done)} left" if done else ""
            name = f"{figure.name} {_words(cell)}"
            if not console.is_terminal:
                console.print(f"{number + 1:>3}/{len(waiting)} {name}  {left}", soft_wrap=True)

            def report(stage: str, share: float, number: int = number) -> None:
                progress.update(task, completed=number + share, stage=stage)

            progress.update(task, description=name, completed=number, stage="", left=left)
            began = perf_counter()
            try:
                numbers = numbers_of(figure, cell, paper=paper, report=report)
            except NoResultError as error:
                failures.append(Failure(figure, cell, str(error)))
                console.print(f"{name}: {error}")
            else:
                results.save(figure, cell, numbers, paper=paper, seconds=perf_counter() - began)
            taken += perf_counter() - began
            done += figure.weight(cell)
            remaining -= figure.weight(cell)
    return failures


@contextmanager
def _progress(console: Console, total: int) -> Iterator[tuple[Progress, TaskID]]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[stage]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress, progress.add_task("", total=total, stage="", left="")


def _words(cell: Cell) -> str:
    return " ".join(f"{name}={value}" for name, value in cell.items() if value is not None)


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds >= 90 else f"{seconds:,.0f} s"
