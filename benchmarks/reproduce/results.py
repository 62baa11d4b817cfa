"""What was measured, a JSON line for each cell, appended as soon as it is there.

A line is found again by figure, version, cell and `paper`; of several the last one counts. It says on what
machine, when and at what commit it was measured, but is not looked up by them: a run that was interrupted, or
one after a change elsewhere, goes on where it was.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.reproduce.figure import Cell, Figure, Rows

Key = tuple[int, str, bool]


@dataclass(frozen=True, slots=True)
class Results:
    directory: Path

    def path(self, figure: Figure) -> Path:
        return self.directory / f"{figure.same_as or figure.name}.jsonl"

    def save(
        self, figure: Figure, cell: Cell, numbers: dict[str, Any], *, paper: bool, seconds: float
    ) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        record = {
            "figure": figure.name,
            "version": figure.version,
            "paper": paper,
            "cell": dict(cell),
            "numbers": numbers,
            "seconds": round(seconds, 1),
            "machine": machine.description(),
        }
        with self.path(figure).open("a") as lines:
            lines.write(json.dumps(record) + "\n")

    def records(self, figure: Figure) -> dict[Key, dict[str, Any]]:
        """A last line that was cut off by an interruption is passed over."""
        path = self.path(figure)
        kept: dict[Key, dict[str, Any]] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            kept[record["version"], _canonical(record["cell"]), record["paper"]] = record
        return kept

    def place(self, figure: Figure, cell: Cell) -> tuple[Path, int, str]:
        """What a measurement is saved under, besides whether it is of the paper's size."""
        return self.path(figure), figure.version, _canonical(cell)

    def is_saved(self, figure: Figure, cell: Cell, *, paper: bool) -> bool:
        return (figure.version, _canonical(cell), paper) in self.records(figure)

    def of(self, figure: Figure) -> list[dict[str, Any]]:
        """For each cell that is measured its record, in the order of the cells: that of the paper's size, or
        else the shorter one."""
        records = self.records(figure)
        chosen = []
        for cell in figure.cells:
            for paper in (True, False):
                record = records.get((figure.version, _canonical(cell), paper))
                if record:
                    chosen.append(record)
                    break
        return chosen

    def rows(self, figure: Figure) -> Rows:
        return Rows([{**record["cell"], **record["numbers"]} for record in self.of(figure)])


def _canonical(cell: Cell) -> str:
    return json.dumps(dict(cell), sort_keys=True)
