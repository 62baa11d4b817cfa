"""Spark in a process of its own, and what it says of its progress.

A process of its own, because the driver's memory goes with it, and because Spark can then be killed without
harm to whoever waits for it: what it wrote is only looked at once its manifest is there.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from lesubscribe.processes import die_with_parent
from matching.feeds.run_layout import JOB, LOG

_LAST_LINES = 5
_SECONDS_TO_STOP = 10


class SparkFailedError(Exception):
    """The message is a sentence for whoever runs it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is, in tasks, and how many rows went through it so far."""

    stage: str
    done: int
    of: int
    rows: int


def compute(directory: Path, *, on_progress: Callable[[Progress], object]) -> None:
    """Have the job in this directory done. Its log is beside it. Raises SparkFailedError."""
    with open(directory / LOG, "wb") as log, _process(directory / JOB, log) as process:
        assert process.stdout is not None
        finished, sentence = False, ""
        for said in _objects(process.stdout):
            if "stage" in said:
                on_progress(Progress(**said))
            finished = finished or bool(said.get("finished"))
            sentence = str(said.get("failed") or sentence)
        code = process.wait()
    if sentence or code or not finished:
        raise SparkFailedError(sentence or _ended(code, directory / LOG))


@contextmanager
def _process(job: Path, log: IO[bytes]) -> Iterator["subprocess.Popen[str]"]:
    """In a group of its own: a terminal's Ctrl-C reaches us, and we stop it, its Java and its workers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "spark_jobs.jobs.nightly", str(job)],
        cwd=settings.BASE_DIR,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        encoding="utf-8",
        start_new_session=True,
        preexec_fn=lambda: die_with_parent(signal.SIGTERM),
    )
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: "subprocess.Popen[str]") -> None:
    for by in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, by)
        except ProcessLookupError:
            break
        try:
            process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            continue


def _objects(lines: IO[str]) -> Iterator[dict[str, Any]]:
    """What it says; a line of something else that also writes there is passed over."""
    for line in lines:
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict):
            yield said


def _ended(code: int, log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    last = "\n".join(lines[-_LAST_LINES:])
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    return f"Spark {how} before it was done; its log is {log}.\n{last}".strip()
