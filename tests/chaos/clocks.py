"""The wall clock of a system, which may be put forward or back while it runs, and only for its processes.

A small library of ours is loaded before libc (`shifted_clock.c`), for which a C compiler is needed.
"""

import mmap
import shutil
import struct
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_name("shifted_clock.c")
_NANOSECONDS = 1_000_000_000


class UnavailableError(Exception):
    """A fault that cannot be brought about on this machine, and why."""


class ShiftedClock:
    """All processes that get its `environment` go by it; they see a shift at once."""

    def __init__(self, directory: Path) -> None:
        """Raises UnavailableError."""
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise UnavailableError("there is no C compiler, to make the library that shifts a clock")
        self._library, self._file = directory / "shifted_clock.so", directory / "clock_offset"
        made = subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", "-o", self._library, _SOURCE, "-ldl"],
            capture_output=True,
            text=True,
        )
        if made.returncode:
            raise UnavailableError(f"the library that shifts a clock cannot be compiled: {made.stderr[:200]}")
        self.offset = 0.0
        self._file.write_bytes(struct.pack("q", 0))
        self._file.chmod(0o644)

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self._library), "CLOCK_OFFSET": str(self._file)}

    def shift(self, seconds: float) -> None:
        """Forward, or back if it is less than 0."""
        self.offset += seconds
        with open(self._file, "r+b") as file, mmap.mmap(file.fileno(), 8) as shared:
            shared[:] = struct.pack("q", int(self.offset * _NANOSECONDS))
