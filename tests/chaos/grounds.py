"""What a run stands on: a fresh system on a small disk, with a clock and a database that can be struck.

What cannot be had on this machine is left out, and it is said why.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.chaos.clocks import ShiftedClock, UnavailableError
from tests.chaos.databases import Database, SqliteFile, postgres_server
from tests.chaos.disks import SmallDisk
from tests.chaos.history import Ledger
from tests.chaos.readers import Sinks
from tests.chaos.records import Records
from tests.running_system import UP, RunningSystem, database_of_its_own

MEGABYTES = 512  # of which an empty PostgreSQL takes a tenth
BYTES_PER_EVENT = 40_000  # generous: with its matches, its messages and all their indexes
_NO_MAIL_IS_TOO_MANY = str(10**6)


@dataclass(slots=True)
class Grounds:
    kind: str
    directory: Path
    system: RunningSystem
    sinks: Sinks
    database: Database
    disk: SmallDisk | None = None
    clock: ShiftedClock | None = None
    left_out: dict[str, str] = field(default_factory=dict)  # faults that cannot be, and why

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.directory / "ledger.jsonl")

    @property
    def records(self) -> Records:
        return Records(self.system.database_url, now=self._database_time)

    def clear_away(self, *, is_good: bool) -> None:
        """The data of a bad run are copied, and we say where; those of any are removed with its grounds."""
        if is_good:
            return
        kept = Path(tempfile.mkdtemp(prefix="lesubscribe-bad-run-"))
        shutil.copytree(self.directory, kept, dirs_exist_ok=True, ignore=_sockets)
        print(f"Its data, log and ledger are kept in {kept}.", flush=True)

    def _database_time(self) -> datetime:
        """SQLite has that of the processes."""
        offset = self.clock.offset if self.clock is not None and self.kind == "sqlite" else 0.0
        return datetime.now(UTC) + timedelta(seconds=offset)


@contextmanager
def grounds_on(database: str, *, events: int = 0, **environment: str) -> Iterator[Grounds]:
    """A system that is not started yet, and all that belongs to it; gone afterwards."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(_directory()))
        left_out: dict[str, str] = {}
        disk = clock = None
        place = directory / "disk"
        try:
            megabytes = MEGABYTES + events * BYTES_PER_EVENT // 10**6
            disk = stack.enter_context(SmallDisk(place, megabytes=megabytes))
        except UnavailableError as error:
            left_out["disk"] = str(error)
        try:
            clock = ShiftedClock(directory)
            environment |= clock.environment
        except UnavailableError as error:
            left_out["clock"] = str(error)
        sinks = Sinks(directory)
        stack.enter_context(sinks.web)
        stack.enter_context(sinks.mail)
        environment |= {**sinks.environment, "MOST_MAILS_PER_DAY": _NO_MAIL_IS_TOO_MANY}
        struck: Database
        if database == "sqlite":
            environment["DATABASE_URL"] = ""  # SQLite under VAR
            struck = SqliteFile(place / "var" / "lesubscribe.sqlite3")
        else:
            struck = server = stack.enter_context(postgres_server(place / "postgresql"))
            environment["DATABASE_URL"] = database_of_its_own(server.url)
        system = RunningSystem(place / "var", command=UP, is_bare=False, **environment)
        yield Grounds(database, directory, system, sinks, struck, disk, clock, left_out)


@contextmanager
def _directory() -> Iterator[str]:
    """Removed at last, when nothing is mounted in it any more."""
    directory = tempfile.mkdtemp(prefix="lesubscribe-chaos-")
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _sockets(folder: str, names: list[str]) -> set[str]:
    """What cannot be copied."""
    return {name for name in names if (Path(folder) / name).is_socket() or (Path(folder) / name).is_fifo()}
