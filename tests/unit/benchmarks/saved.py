"""Made-up results, as they would be saved."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

MACHINE = {
    "processor": "An abacus",
    "cores": 2,
    "memory_gb": 0.1,
    "python": "3.11.7",
    "numpy": "2.4.6",
    "date": "2026-11-17",
    "commit": "abc1234",
    "load_before": 0.5,
}


def save(directory: Path, group: str, rows: Iterable[dict[str, Any]], **others: Any) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    record = {"group": group, "quick": False, "seed": 0, "machine": MACHINE, "rows": list(rows), **others}
    (directory / f"{group}.json").write_text(json.dumps(record))


def times(**us_per_event: float) -> list[dict[str, Any]]:
    """Rows of a table; underscores stand for the hyphens in names."""
    return [
        {"algorithm": name.replace("_", "-"), "us_per_event": time, "add_us": 7.0, "remove_us": 3.0}
        for name, time in us_per_event.items()
    ]
