"""What a figure was measured on: without it, it says little."""

import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

# Results, pages and tests may change without any effect on what is measured.
_PROGRAM = ("--", ".", ":!benchmarks/results", ":!docs", ":!tests", ":!*.md")

# The load average from which other things disturb a measurement, of which one thread may be the one before.
BUSY = 1.7
DIRTY = "-dirty"


def description() -> dict[str, Any]:
    """Processor, cores, memory, versions, date and commit."""
    return {
        "processor": _first(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo")) or platform.processor(),
        "cores": len(_all(r"^processor\s*:", Path("/proc/cpuinfo"))),
        "memory_gb": round(int(_first(r"^MemTotal:\s+(\d+) kB", Path("/proc/meminfo")) or 0) / 1e6, 1),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
    }


def commit(*places: str) -> str:
    """The last one that changed the program, or these places; with a mark if something was changed since."""
    meant = ("--", *places) if places else _PROGRAM
    last = _git("log", "-1", "--format=%h", *meant)
    changed = _git("status", "--porcelain", "--untracked-files=no", *meant)
    return (last or "unknown") + (DIRTY if changed else "")


def _git(*words: str) -> str:
    root = Path(__file__).resolve().parent.parent
    answer = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
    return answer.stdout.strip()


def _all(pattern: str, path: Path) -> list[str]:
    return re.findall(pattern, path.read_text(), re.MULTILINE) if path.exists() else []


def _first(pattern: str, path: Path) -> str:
    return next(iter(_all(pattern, path)), "")
