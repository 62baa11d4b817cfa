"""Nights that nobody waits for: each is a process beside the worker, which has other things to do.

It ends with the worker. A night that was cut off is in the database, and is begun again by `keep_nights`. A
machine has one at a time, whichever worker began it: Spark takes all cores, and a night much memory.
"""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings

from lesubscribe.processes import die_with_parent

LOCK = "background.lock"
MOST_OF_A_LOG = 10_000_000
_log = structlog.get_logger(__name__)
_under_way: list["subprocess.Popen[bytes]"] = []


def begin(site: str, day: date, told: Mapping[str, Any] | None = None) -> bool:
    """Whether it was begun, and not another one was under way; `told` is what it was begun with before.

    If the same night is under way elsewhere, the process finds that out by itself and ends.
    """
    _forget_ended()
    lock = os.open(settings.NIGHTLY / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        process = _process(site, day, told or {}, lock)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    _under_way.append(process)
    _log.info("night_begun", site=site, day=day.isoformat(), process=process.pid)
    return True


def _process(site: str, day: date, told: Mapping[str, Any], lock: int) -> "subprocess.Popen[bytes]":
    with open(_log_file(site), "ab") as log:
        return subprocess.Popen(
            [sys.executable, "manage.py", "nightly", *_arguments(site, day, told)],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock,),  # a file is locked as long as somebody has it open
            preexec_fn=lambda: die_with_parent(signal.SIGTERM),
        )


def _arguments(site: str, day: date, told: Mapping[str, Any]) -> Iterator[str]:
    yield from ("--scheduled", "--site", site, "--date", day.isoformat())
    for name in ("feeds", "master", "memory", "snapshots"):
        if told.get(name):
            yield f"--{name}={told[name]}"
    for name, value in told.get("conf", {}).items():
        yield f"--conf={name}={value}"


def _log_file(site: str) -> Path:
    """What was said before is kept once."""
    path: Path = settings.NIGHTLY / f"{site}.log"
    if path.exists() and path.stat().st_size > MOST_OF_A_LOG:
        path.replace(path.with_suffix(".log.1"))
    return path


def _forget_ended() -> None:
    """Asking a process whether it has ended lets the system forget it."""
    _under_way[:] = [process for process in _under_way if process.poll() is None]
