"""The directory in which processes count, which prometheus_client adds up for `/metrics`.

Its files are mapped into the memory of those who count. Where the disk is full, whoever writes to such a
file is killed (SIGBUS), the web process with the next request: so the files are kept in memory, where the
system has a file system for that, and a link leads there.
"""

import shutil
import tempfile
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")  # nosec B108  # noqa: S108 - what we make there is private, with a random name
_PREFIX = "lesubscribe-metrics-"


def ensure(place: Path) -> None:
    """There is one; what was in memory is gone after a restart of the machine."""
    if place.is_symlink() and not place.is_dir():
        place.unlink()
    place.mkdir(exist_ok=True)


def make_anew(place: Path) -> None:
    """An empty one."""
    _remove(place)
    try:
        place.symlink_to(tempfile.mkdtemp(prefix=_PREFIX, dir=_IN_MEMORY))
    except OSError:  # there is none, or it is not for us
        place.mkdir()


def forget(place: Path) -> None:
    """All that was counted. A plain directory stays: others may still count with the same VAR."""
    _remove(place)
    place.mkdir()


def _remove(place: Path) -> None:
    if place.is_symlink():
        if place.resolve().name.startswith(_PREFIX):  # else it is somebody else's
            shutil.rmtree(place.resolve(), ignore_errors=True)
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)
