"""Lines that stay once they are written, and a table of behaviours that may change at any time."""

import json
import os
from pathlib import Path
from threading import Lock
from typing import Any


class Record:
    """A file of JSON lines. What was appended survives a kill; if it is synced, the machine's end too."""

    def __init__(self, file: Path, *, is_synced: bool = False) -> None:
        """Whoever syncs keeps the sender waiting while the disk is busy."""
        self._lock = Lock()
        self._is_synced = is_synced
        self._descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def append(self, line: dict[str, Any]) -> None:
        written = json.dumps(line).encode() + b"\n"
        with self._lock:
            os.write(self._descriptor, written)
            if self._is_synced:
                os.fdatasync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


def lines(file: Path) -> list[dict[str, Any]]:
    """All that were written whole; a kill may have cut the last one short."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]


class Table:
    """A JSON object in a file, read anew each time."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def set(self, name: str, value: Any) -> None:
        waiting = self._file.with_suffix(".new")
        waiting.write_text(json.dumps({**self._read(), name: value}))
        waiting.rename(self._file)  # nobody reads a file that is half written

    def get(self, name: str, default: str) -> Any:
        """The value of the name, or else of the default's name; None if there is neither."""
        table = self._read()
        return table.get(name, table.get(default))

    def _read(self) -> dict[str, Any]:
        try:
            content: dict[str, Any] = json.loads(self._file.read_text())
        except FileNotFoundError:
            return {}
        return content
