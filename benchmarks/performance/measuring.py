"""Measures groups one after the other, saves each at once, and says how long the rest will take.

A group that was saved at this commit, asked for the same, is not measured again, unless it is named: so what
was interrupted goes on where it was.
"""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console

from benchmarks import machine, own_process
from benchmarks.cell import ENGINE, Cell
from benchmarks.performance.matrix import Group, most_seconds
from benchmarks.run import rows_of

SEED = 0


class UnknownGroupError(Exception):
    """A name that no group has in its own; the message says which there are."""


def rows_of_group(group: Group, console: Console) -> list[dict[str, Any]]:
    """Measured; what could not be has an `error` in its row."""
    arguments = {**group.arguments, "seed": SEED}
    if group.algorithms:
        cells = [Cell(**arguments, algorithm=algorithm) for algorithm in group.algorithms]
        return rows_of(cells, console, most_seconds=most_seconds)
    with console.status("") as status:
        try:
            row = own_process.row_of(
                group.module,
                arguments,
                lambda stage, _: status.update(stage),
                most_seconds=most_seconds(ENGINE),
            )
        except own_process.NoResultError as error:
            row = {"error": str(error), "failed": True}
    return [row]


def measure(
    every: Sequence[Group],
    *,
    only: Sequence[str],
    into: Path,
    console: Console,
    quick: bool = False,
    rows_of_group: Callable[[Group, Console], list[dict[str, Any]]] = rows_of_group,
) -> None:
    """Measure those groups that have one of the names `only` in theirs, or else all that are not yet saved.

    Raises UnknownGroupError.
    """
    into.mkdir(parents=True, exist_ok=True)
    there = machine.description()
    wanted = chosen(every, only)
    waiting = [group for group in wanted if only or not is_saved(group, into, commit=there["commit"])]
    if len(waiting) < len(wanted):
        console.print(f"{len(wanted) - len(waiting)} of {len(wanted)} groups were measured at this commit.")
    if waiting and os.getloadavg()[0] > machine.BUSY:
        console.print("The machine is busy with other things: the figures will be worth little.")
    remaining = sum(group.estimate for group in waiting)
    done = taken = 0.0
    for number, group in enumerate(waiting, start=1):
        left = remaining * (taken / done if done else 1)
        console.print(f"{number:>3}/{len(waiting)}  {group.name:24} about {minutes(left)} left")
        began, load = perf_counter(), os.getloadavg()[0]
        rows = rows_of_group(group, console)
        seconds = perf_counter() - began
        record = {
            **asked(group),
            "quick": quick,
            "machine": {**there, "date": machine.description()["date"], "load_before": load},
            "took_seconds": round(seconds, 1),  # `seconds` is part of the question
            "rows": rows,
        }
        save(record, into / f"{group.name}.json")
        for row in rows:
            if row.get("failed"):
                console.print(f"         {row.get('algorithm', group.name)}: {row['error']}")
        done, taken, remaining = done + group.estimate, taken + seconds, remaining - group.estimate
    console.print(f"Done in {minutes(taken)}; the results are in {into}.")


def chosen(every: Sequence[Group], only: Sequence[str]) -> list[Group]:
    """The groups whose name has one of these in it; all if there are none. Raises UnknownGroupError."""
    for name in only:
        if not any(name in group.name for group in every):
            raise UnknownGroupError(f"No group has {name!r} in its name; there are {_names(every)}.")
    return [group for group in every if not only or any(name in group.name for name in only)]


def asked(group: Group) -> dict[str, Any]:
    """What is saved of the question, for it to be asked again."""
    return {
        "group": group.name,
        "module": group.module,
        **group.arguments,
        "algorithms": list(group.algorithms),
        "seed": SEED,
    }


def is_saved(group: Group, directory: Path, *, commit: str) -> bool:
    path = directory / f"{group.name}.json"
    if not path.exists():
        return False
    saved = json.loads(path.read_text())
    same = all(saved.get(name) == value for name, value in asked(group).items())
    return same and saved["machine"]["commit"] == commit


def save(record: dict[str, Any], path: Path) -> None:
    """In one step, so that an interruption leaves no half of a file."""
    beside = path.with_suffix(".unfinished")
    beside.write_text(json.dumps(record, indent=2) + "\n")
    beside.replace(path)


def _names(every: Sequence[Group]) -> str:
    return ", ".join(group.name for group in every)


def minutes(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds >= 90 else f"{seconds:,.0f} s"
