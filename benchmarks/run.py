"""Runs cells one after the other, each in a fresh process, with progress; gives rows and a table."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from benchmarks.cell import LIMIT, Cell

ROOT = Path(__file__).resolve().parent.parent
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


class CellFailedError(Exception):
    """A cell that gave no row; the message says why."""


def rows_of(cells: Iterable[Cell], console: Console) -> list[dict[str, Any]]:
    """The rows, in the order of the cells. `limit` is measured last: it needs to know how much matches."""
    ordered = sorted(cells, key=lambda cell: cell.algorithm == LIMIT)
    rows: list[dict[str, Any]] = []
    with _progress(console) as (progress, task):
        for number, cell in enumerate(ordered):
            progress.update(task, total=len(ordered), completed=number, description=cell.algorithm)
            if cell.algorithm == LIMIT:
                matches = max((row.get("matches_per_event", 0.0) for row in rows), default=0.0)
                cell = replace(cell, matches_per_event=matches)
            rows.append(
                _run(
                    cell,
                    lambda stage, share, n=number: progress.update(task, stage=stage, completed=n + share),
                )
            )
    return rows


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


def _run(cell: Cell, report: Any) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.cell", json.dumps(asdict(cell))]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said = json.loads(line)
            if "row" in said:
                row: dict[str, Any] = {"algorithm": cell.algorithm, **said["row"]}
                return row
            report(said["stage"], said["share"])
    raise CellFailedError(f"{cell.algorithm} on {cell.workload} ended without a result; see above.")


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
