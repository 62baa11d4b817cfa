"""Where compiled kernels are kept: beside the code, or where the user keeps such things.

Numba looks only at the file a kernel is in, and would take an old kernel when something that went into it
from another file has changed. So each state of these files has a directory of its own. It is chosen when the
package is imported, by whatever program, and not handed on: a child may run other code than its parent.
"""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numba
from numba.core.caching import UserProvidedCacheLocator

_WITH_KERNELS = re.compile(r"^from numba import", re.MULTILINE)
_IMPORTED = re.compile(r"^from matching\.engine(?:\.(\w+))? import (\([^)]*\)|.*)", re.MULTILINE)
LOCK, COMPLETE = "compiling.lock", "complete"


def choose() -> None:
    """Let Numba use that directory, unless the environment names another."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    if (chosen := of_this_code()) is not None:
        numba.config.CACHE_DIR = str(chosen)  # type: ignore[attr-defined, unused-ignore]  # it has no stubs
        numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.Locator"  # type: ignore[attr-defined, unused-ignore]


class Locator(UserProvidedCacheLocator):  # type: ignore[misc, unused-ignore]
    """Finds our kernels in that directory itself.

    Numba would put a directory named after the place of the code in between; without it, kernels go with
    the code to another place, as they do to the executors of a cluster.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        if Path(py_file).parent == Path(__file__).parent:
            return ""
        return str(super().get_suitable_cache_subpath(py_file))  # type: ignore[no-untyped-call, unused-ignore]

    def get_source_stamp(self) -> object:
        """The directory says of which code they are. Numba asks for the time of a file; archives round it."""
        if Path(self._py_file).parent == Path(__file__).parent:
            return "of this directory"
        return super().get_source_stamp()  # type: ignore[no-untyped-call, unused-ignore] # Numba has no types


@cache
def of_this_code() -> Path | None:
    """The directory for the kernels of the code that runs, whatever becomes of its files meanwhile."""
    return directory(Path(__file__).parent, others=of_the_user())


@contextmanager
def compiled_once() -> Iterator[None]:
    """Of processes that begin together one goes first; the others wait, and find in the cache what it left.

    Once somebody has gone through, nobody waits any more. Who dies meanwhile lets the next one in.
    """
    place = None if "NUMBA_CACHE_DIR" in os.environ else of_this_code()
    if place is None or (place / COMPLETE).exists():
        yield
        return
    place.mkdir(parents=True, exist_ok=True)
    with open(place / LOCK, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
        (place / COMPLETE).touch()


def directory(code: Path, *, others: Path | None) -> Path | None:
    """The directory for the kernels of this package; None if there is no place we may write to.

    It is beside the code, or else below the directory of `others`.
    """
    places = [code / "__pycache__", *([others / "lesubscribe"] if others else [])]
    return next((place / f"kernels-{_fingerprint(code)}" for place in places if _may_be_written(place)), None)


def of_the_user() -> Path | None:
    """Where the user's programs keep what they can make again; None for a user without a home."""
    try:
        return Path("~/.cache").expanduser()
    except RuntimeError:
        return None


def _fingerprint(code: Path) -> str:
    """Of the compiler and of all files that a kernel is made of: those with kernels, and what they import."""
    texts = {path.stem: path.read_text() for path in code.glob("*.py")}
    waiting = [name for name, text in texts.items() if _WITH_KERNELS.search(text)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in texts and name not in found:
            found.add(name)
            for module, names in _IMPORTED.findall(texts[name]):
                waiting += [module] if module else re.findall(r"\w+", names)
    digest = hashlib.sha256(numba.__version__.encode())
    for name in sorted(found):
        digest.update(f"{name}\n{texts[name]}".encode())
    return digest.hexdigest()[:12]


def _may_be_written(place: Path) -> bool:
    """Whether it is there, or can be made, and we may write to it."""
    while not place.exists() and place != place.parent:
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK)
