"""What the clients of a run know for certain: every answer they got, synced to a file before they go on.

All times are of one monotonic clock. A request that got no answer is sent again until it gets one, so it
spans the time from its first attempt to its answer, and took effect somewhere in between.
"""

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Publication:
    """An event that was answered with 2xx."""

    event: int
    external_id: str
    document: dict[str, Any]
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Change:
    """An acknowledged change: from then on the subscription has this text, or None when it is not matched."""

    subscription: int
    text: str | None
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class History:
    publications: tuple[Publication, ...]
    changes: tuple[Change, ...]


class Ledger:
    """A file of publications and changes, a line each, on the disk when `note` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._path.touch()
        self._writing = threading.Lock()

    def note(self, *entries: Publication | Change) -> None:
        lines = "".join(f"{json.dumps({type(each).__name__: asdict(each)})}\n" for each in entries)
        with self._writing, open(self._path, "ab") as file:
            file.write(lines.encode())
            file.flush()
            os.fsync(file.fileno())

    def history(self) -> History:
        """What was noted, read back from the file."""
        entries = list(self._entries())
        return History(
            tuple(Publication(**entry["Publication"]) for entry in entries if "Publication" in entry),
            tuple(Change(**entry["Change"]) for entry in entries if "Change" in entry),
        )

    def _entries(self) -> Iterator[dict[str, Any]]:
        with open(self._path, encoding="utf-8") as lines:
            yield from map(json.loads, lines)
