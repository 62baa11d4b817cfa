"""Nights that the scheduler begins: each is a process beside the worker, which has other things to do.

It ends with the worker. A night that was cut off is in the database, and is begun again by `resume_nights`.
"""

import signal
import subprocess
import sys
from datetime import date

import structlog
from django.conf import settings

from lesubscribe.processes import die_with_parent

_log = structlog.get_logger(__name__)
_under_way: list["subprocess.Popen[bytes]"] = []


def begin(site: str, day: date) -> None:
    """If the same night is under way, wherever, the process finds that out by itself and ends."""
    _forget_ended()
    with open(settings.NIGHTLY / f"{site}.log", "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "nightly", "--site", site, "--date", day.isoformat()],
            cwd=settings.BASE_DIR,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=lambda: die_with_parent(signal.SIGTERM),
        )
    _under_way.append(process)
    _log.info("night_begun", site=site, day=day.isoformat(), process=process.pid)


def _forget_ended() -> None:
    """Asking a process whether it has ended lets the system forget it."""
    _under_way[:] = [process for process in _under_way if process.poll() is None]
