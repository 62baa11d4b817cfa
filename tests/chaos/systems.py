"""Fresh systems to attack, on the one database or the other."""

import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.chaos.history import Ledger
from tests.on_postgresql import fresh_server
from tests.running_system import UP, RunningSystem, database_of_its_own

DATABASES = ("sqlite", "postgresql")


@contextmanager
def fresh_system(database: str, **environment: str) -> Iterator[RunningSystem]:
    """A system that is not started yet, with data and log in a temporary directory, which stays."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: nothing outlives us
    directory = Path(tempfile.mkdtemp(prefix="lesubscribe-chaos-"))
    if database == "sqlite":
        environment["DATABASE_URL"] = ""  # SQLite under VAR
        yield RunningSystem(directory / "var", command=UP, is_bare=True, **environment)
        return
    with fresh_server() as url:
        environment["DATABASE_URL"] = database_of_its_own(url)
        yield RunningSystem(directory / "var", command=UP, is_bare=True, **environment)


def ledger_beside(system: RunningSystem) -> Ledger:
    return Ledger(system.var.parent / "ledger.jsonl")


def clear_away(system: RunningSystem, *, is_good: bool) -> None:
    """Remove the data of a good run; those of a bad one are kept, and we say where."""
    if is_good:
        shutil.rmtree(system.var.parent)
    else:
        print(f"Its data, log and ledger are kept in {system.var.parent}.", flush=True)
