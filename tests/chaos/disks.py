"""A small disk of its own for a system, which may be filled: a file system in memory (tmpfs)."""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.chaos.clocks import UnavailableError

TRIES_TO_FILL = 10


class SmallDisk:
    """Mounted while it is entered, which needs root. Raises UnavailableError."""

    def __init__(self, directory: Path, *, megabytes: int) -> None:
        self.directory = directory
        self._megabytes = megabytes
        self._filler = directory / "filler"

    def __enter__(self) -> Self:
        self.directory.mkdir()
        options = f"size={self._megabytes}m,mode=755"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.directory], capture_output=True, text=True
        )
        if mounted.returncode:
            raise UnavailableError(f"a small disk cannot be mounted: {mounted.stderr.strip()[:200]}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        subprocess.run(["umount", "--lazy", self.directory], check=True)

    def fill(self) -> None:
        """To the last block, whoever else writes meanwhile."""
        size, descriptor = 0, os.open(self._filler, os.O_CREAT | os.O_WRONLY)
        try:
            for _ in range(TRIES_TO_FILL):
                free = shutil.disk_usage(self.directory).free
                if not free:
                    return
                with suppress(OSError):  # others were quicker
                    os.posix_fallocate(descriptor, size, free)
                    size += free
        finally:
            os.close(descriptor)

    def empty(self) -> None:
        self._filler.unlink(missing_ok=True)
