"""Measuring in a process of its own, so that nothing before it has filled memory or caches.

A module whose main is `answer(measure)` is asked by `row_of`. It prints its progress as JSON lines; the last
line has the row.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

Report = Callable[[str, float], None]
"""Is told the stage, and how far it is, from 0 to 1."""


class NoResultError(Exception):
    """A process that gave no row; the message says why."""


class NotForThisWorkloadError(Exception):
    """Something that cannot do what the workload asks; the message says what."""


def row_of(
    module: str, arguments: Mapping[str, Any], report: Report, *, most_seconds: float | None = None
) -> dict[str, Any]:
    """What the module measures, asked with these arguments. Raises NoResultError, also when time is up."""
    command = [sys.executable, "-m", module, json.dumps(arguments)]
    with (
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process,
        _killed_after(most_seconds, process) as is_over,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            said = json.loads(line)
            if "row" in said:
                row: dict[str, Any] = said["row"]
                return row
            report(said["stage"], said["share"])
    if is_over.is_set():
        raise NoResultError(f"took longer than {most_seconds:,.0f} s")
    raise NoResultError(f"ended without a result, with exit code {process.returncode}")


@contextmanager
def _killed_after(seconds: float | None, process: subprocess.Popen[str]) -> Iterator[threading.Event]:
    """The process, which is killed if it takes longer; the event tells whether it was."""
    is_over = threading.Event()

    def end() -> None:
        is_over.set()
        process.kill()

    timer = threading.Timer(threading.TIMEOUT_MAX if seconds is None else seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_over
    finally:
        timer.cancel()


def answer(measure: Callable[[dict[str, Any], Report], dict[str, Any]]) -> None:
    """The main of a module that is asked by `row_of`."""

    def report(stage: str, share: float) -> None:
        print(json.dumps({"stage": stage, "share": share}), flush=True)

    try:
        row = measure(json.loads(sys.argv[1]), report)
    except (NotForThisWorkloadError, ValueError, LookupError) as error:
        row = {"error": str(error)}
    print(json.dumps({"row": row}), flush=True)
