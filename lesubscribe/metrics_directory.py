"""The directory in which the processes of `make up` count, which prometheus_client adds up for `/metrics`.

Its files are mapped into the memory of those who count. Where the disk is full, whoever writes to such a
file is killed (SIGBUS), the web process with the next request: so the files are kept in memory, where the
system has a file system for that, and a link leads there.
"""

import shutil
import tempfile
from hashlib import sha256
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")  # nosec B108  # noqa: S108 - what we make there is private, with a random name


def make_anew(place: Path) -> None:
    """An empty one."""
    _remove(place)
    try:
        made = Path(tempfile.mkdtemp(prefix=_prefix(place), dir=_IN_MEMORY))
    except OSError:  # there is none, or it is not for us
        place.mkdir(exist_ok=True)
    else:
        place.symlink_to(made)


def forget(place: Path) -> None:
    """All that was counted. A plain directory stays, for others who were told to count there, too."""
    _remove(place)
    place.mkdir(exist_ok=True)


def _remove(place: Path) -> None:
    if place.is_symlink():
        # A VAR that was copied has the link of another, who may be running.
        if place.resolve().name.startswith(_prefix(place)):
            shutil.rmtree(place.resolve(), ignore_errors=True)
        place.unlink()
    elif place.exists():
        shutil.rmtree(place)


def _prefix(place: Path) -> str:
    return f"lesubscribe-metrics-{sha256(bytes(place.absolute())).hexdigest()[:12]}-"
