"""Runs cells one after the other, each in a fresh process, with progress; gives rows and a table."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks import own_process
from benchmarks.cell import LIMIT, Cell

_COLUMNS = {
    "us_per_event": ("us/event", "{:,.0f}"),
    "p99_us": ("p99 us", "{:,.0f}"),
    "us_per_event_batch": ("batch us", "{:,.0f}"),
    "matches_per_event": ("matches", "{:,.1f}"),
    "load_seconds": ("load s", "{:.2f}"),
    "add_us": ("add us", "{:,.0f}"),
    "remove_us": ("remove us", "{:,.0f}"),
    "bytes_per_subscription": ("bytes/sub", "{:,.0f}"),
    "residual_share": ("residual", "{:.1%}"),
}


def rows_of(
    cells: Iterable[Cell],
    console: Console,
    *,
    most_seconds: Callable[[str], float | None] = lambda algorithm: None,
) -> list[dict[str, Any]]:
    """The rows, in the order of the cells. `limit` is measured last: it needs to know how much matches.

    What cannot be measured has an `error` in its row; what took longer than `most_seconds` of its algorithm,
    or broke down, is marked as `failed` too.
    """
    ordered = sorted(cells, key=lambda cell: cell.algorithm == LIMIT)
    rows: list[dict[str, Any]] = []
    with _progress(console) as (progress, task):
        for number, cell in enumerate(ordered):
            progress.update(task, total=len(ordered), completed=number, description=cell.algorithm)
            if cell.algorithm == LIMIT:
                cell = replace(cell, matches_per_event=_matches(rows))

            def report(stage: str, share: float, number: int = number) -> None:
                progress.update(task, stage=stage, completed=number + share)

            try:
                seconds = most_seconds(cell.algorithm)
                row = own_process.row_of("benchmarks.cell", asdict(cell), report, most_seconds=seconds)
            except own_process.NoResultError as error:
                row = {"error": str(error), "failed": True}  # the others may still do
            rows.append({"algorithm": cell.algorithm, **row})
    return rows


def _matches(rows: Iterable[dict[str, Any]]) -> float:
    """Matches an event, as counted by who was timed on the most events."""
    counted = (row for row in rows if "matches_per_event" in row)
    fullest = max(counted, key=lambda row: row["events"], default={})
    matches: float = fullest.get("matches_per_event", 0.0)
    return matches


def table(title: str, rows: Iterable[dict[str, Any]]) -> Table:
    shown = Table(title=title, title_justify="left")
    shown.add_column("algorithm")
    for name, _ in _COLUMNS.values():
        shown.add_column(name, justify="right")
    for row in rows:
        if "error" in row:
            shown.add_row(row["algorithm"], row["error"])
            continue
        shown.add_row(row["algorithm"], *(_shown(row, key, form) for key, (_, form) in _COLUMNS.items()))
    return shown


@contextmanager
def _progress(console: Console) -> Iterator[tuple[Progress, TaskID]]:
    columns = (
        TextColumn("{task.description:>20}"),
        BarColumn(),
        TextColumn("{task.fields[stage]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress, progress.add_task("", total=None, stage="")


def _shown(row: dict[str, Any], key: str, form: str) -> str:
    return form.format(row[key]) if key in row else ""
