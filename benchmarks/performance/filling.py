"""Measures what saved tables lack, matcher by matcher: `python -m benchmarks.performance measure --missing`.

Tables that were measured before a matcher was there have no row of it. Each missing cell is measured in a
process of its own and put into its table at once, with when and where that was; so it goes on where it was
stopped, whatever the commit. Small sizes come first: who takes too long on a workload is not asked at its
larger sizes. What would need more memory than allowed, as a bit matrix of `dexin`, is refused by the matcher
itself, and its sentence, with the size, is kept.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console

from benchmarks import machine
from benchmarks.cell import BASELINES, Cell
from benchmarks.performance.matrix import ALL_MATCHERS, SIZES, Group
from benchmarks.performance.measuring import SEED, chosen, minutes, save
from benchmarks.run import rows_of

MOST_SECONDS = 60.0  # of a cell, before it is ended
ASCENDING = sorted(ALL_MATCHERS, key=SIZES.__getitem__)

Row = dict[str, Any]


def row_of(group: Group, algorithm: str, console: Console) -> Row:
    cell = Cell(**group.arguments, seed=SEED, algorithm=algorithm)
    (row,) = rows_of([cell], console, most_seconds=lambda _: MOST_SECONDS)
    return row


def fill(
    every: Sequence[Group],
    *,
    only: Sequence[str],
    into: Path,
    console: Console,
    most_minutes: float | None = None,
    row_of: Callable[[Group, str, Console], Row] = row_of,
) -> None:
    """Measure the missing cells of saved tables, of those with one of the names `only` in theirs or of all.

    After so many minutes no further cell is begun. Raises UnknownGroupError.
    """
    waiting = missing(chosen(every, only), into)
    console.print(f"{len(waiting)} cells are missing, about {minutes(sum(map(_estimate, waiting)))}.")
    began = perf_counter()
    for number, (group, algorithm) in enumerate(waiting, start=1):
        taken = perf_counter() - began
        if most_minutes is not None and taken > 60 * most_minutes:
            console.print(f"Stopped after {minutes(taken)}; the same command goes on.")
            return
        left = sum(map(_estimate, waiting[number - 1 :]))
        console.print(
            f"{number:>3}/{len(waiting)}  {group.name:20} {algorithm:20} about {minutes(left)} left"
        )
        record = json.loads(_path(group, into).read_text())
        load = os.getloadavg()[0]
        smaller = _too_slow_at(group, algorithm, into)
        row = _not_asked(algorithm, smaller) if smaller else row_of(group, algorithm, console)
        row["measured"] = {**machine.description(), "load_before": load}
        _put(row, record, group)
        save(record, _path(group, into))
        if "error" in row:
            console.print(f"         {row['error']}")


def missing(every: Iterable[Group], directory: Path) -> list[tuple[Group, str]]:
    """The cells that saved tables lack, small sizes first; a table that was never measured lacks none."""
    tables = {group.name: group for group in every if group.algorithms and _path(group, directory).exists()}
    cells = []
    for size in ASCENDING:
        for group in (group for name, group in tables.items() if name.endswith(f"-{size}")):
            rows = json.loads(_path(group, directory).read_text())["rows"]
            there = {row["algorithm"] for row in rows} | set(BASELINES)
            cells += [(group, name) for name in group.algorithms if name not in there]
    return cells


def _path(group: Group, directory: Path) -> Path:
    return directory / f"{group.name}.json"


def _too_slow_at(group: Group, algorithm: str, directory: Path) -> str | None:
    """The smaller size of the same workload at which it took too long."""
    workload, _, size = group.name.rpartition("-")
    for smaller in ASCENDING[: ASCENDING.index(size)]:
        path = directory / f"{workload}-{smaller}.json"
        rows = json.loads(path.read_text())["rows"] if path.exists() else []
        if any(row["algorithm"] == algorithm and row.get("failed") for row in rows):
            return smaller
    return None


def _not_asked(algorithm: str, size: str) -> Row:
    return {"algorithm": algorithm, "error": f"failed with {SIZES[size]:,} already", "failed": True}


def _put(row: Row, record: dict[str, Any], group: Group) -> None:
    """In the order in which the group has its matchers; what it does not know any more stays in front."""
    place = {name: number for number, name in enumerate(group.algorithms)}
    record["rows"] = sorted([*record["rows"], row], key=lambda each: place.get(each["algorithm"], -1))
    record["algorithms"] = [each["algorithm"] for each in record["rows"]]


def _estimate(cell: tuple[Group, str]) -> float:
    """Seconds: a process, some seconds each to warm up, to time and to match in a batch, and the loading."""
    group, _ = cell
    return 5.0 + 17e-6 * float(group.arguments["subscriptions"])
