"""What was measured, as it was saved. What is missing, or could not be measured, is None."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cell import BASELINES, ENGINE, LIMIT

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Results:
    """By the names of the groups."""

    groups: Mapping[str, Mapping[str, Any]]

    @classmethod
    def read(cls, directory: Path) -> "Results":
        saved = (json.loads(path.read_text()) for path in sorted(directory.glob("*.json")))
        return cls({each["group"]: each for each in saved})

    def row(self, group: str, algorithm: str | None = None) -> Row | None:
        """The row of an algorithm, or, in a group of one row, that row."""
        for row in self.groups.get(group, {}).get("rows", ()):
            if row.get("algorithm") == algorithm:
                return None if "error" in row else row
        return None

    def error(self, group: str, algorithm: str) -> Row | None:
        """The row of what could not be measured."""
        rows = self.groups.get(group, {}).get("rows", ())
        return next((row for row in rows if row["algorithm"] == algorithm and "error" in row), None)

    def figure(self, group: str, key: str, *, algorithm: str | None = None) -> float | None:
        return (self.row(group, algorithm) or {}).get(key)

    def parts(self, group: str, key: str) -> Mapping[str, float]:
        """Figures that belong together, of a group of one row; none if it was not measured."""
        parts: Mapping[str, float] = (self.row(group) or {}).get(key, {})
        return parts

    def ratio(self, group: str, algorithm: str) -> float | None:
        """The time of this algorithm over the engine's, of the same run."""
        other = self.figure(group, "us_per_event", algorithm=algorithm)
        engine = self.figure(group, "us_per_event", algorithm=ENGINE)
        return other / engine if other and engine else None

    def over_limit(self, group: str) -> float | None:
        """The time of the engine over that of `limit`."""
        ratio = self.ratio(group, LIMIT)
        return 1 / ratio if ratio else None

    def next_fastest(self, group: str) -> str | None:
        """The fastest of the matchers without the engine; baselines are none."""
        times = {
            row["algorithm"]: row["us_per_event"]
            for row in self.groups.get(group, {}).get("rows", ())
            if "us_per_event" in row and row["algorithm"] not in (ENGINE, *BASELINES)
        }
        return min(times, key=times.__getitem__, default=None)

    @property
    def is_quick(self) -> bool:
        return any(group["quick"] for group in self.groups.values())
