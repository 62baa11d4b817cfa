"""Places where a test may have the process killed: before a commit, after it, between two.

Off unless the setting FAILPOINTS names a directory. A file there arms the place of its name: an empty one
once, one that holds a subject whenever that subject comes by, until the file is removed.

A place is killed at by a test without being named there: `tests/faults/test_commit_boundaries.py` finds all.
"""

import os
import signal
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import transaction


def reached(place: str, subject: object = "") -> None:
    """Die here and now, by SIGKILL, if the place is armed."""
    if settings.FAILPOINTS and _is_armed(Path(settings.FAILPOINTS) / place, str(subject)):
        os.kill(os.getpid(), signal.SIGKILL)


def at_commit(step: str) -> None:
    """The last of a transaction: `step.before-commit` is here, `step.after-commit` right behind its end."""
    reached(f"{step}.before-commit")
    if settings.FAILPOINTS:
        transaction.on_commit(partial(reached, f"{step}.after-commit"))


def _is_armed(file: Path, subject: str) -> bool:
    try:
        wanted = file.read_text().strip()
        if not wanted:
            file.unlink()  # for one process only, should several come at once
    except FileNotFoundError:
        return False
    return wanted in ("", subject)
