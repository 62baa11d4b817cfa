"""A small disk of its own for a system, which may be full: a file system in memory (tmpfs).

It is not filled but made as small as what is on it, which takes no memory and no time.
"""

import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.chaos.clocks import UnavailableError

TRIES_TO_FILL = 100


class SmallDisk:
    """Mounted while it is entered, which needs root. Raises UnavailableError."""

    def __init__(self, directory: Path, *, megabytes: int) -> None:
        self.directory = directory
        self._size = megabytes << 20

    def __enter__(self) -> Self:
        self.directory.mkdir()
        mounted = _mount("-t", "tmpfs", "-o", f"size={self._size},mode=755", "tmpfs", str(self.directory))
        if mounted.returncode:
            raise UnavailableError(f"a small disk cannot be mounted: {mounted.stderr.strip()[:200]}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        subprocess.run(["umount", "--lazy", self.directory], check=True)

    def fill(self) -> None:
        """To the last block, whoever else writes meanwhile."""
        for _ in range(TRIES_TO_FILL):
            if self._resize(shutil.disk_usage(self.directory).used).returncode == 0:
                return  # else more was written since we asked
        raise AssertionError(f"{self.directory} was written to faster than it could be filled")

    def empty(self) -> None:
        resized = self._resize(self._size)
        assert resized.returncode == 0, resized.stderr

    def _resize(self, size: int) -> subprocess.CompletedProcess[str]:
        return _mount("-o", f"remount,size={size}", str(self.directory))


def _mount(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["mount", *words], capture_output=True, text=True)
