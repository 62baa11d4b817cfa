"""`python -m tests.both_databases [PYTEST OPTIONS]`: the whole suite, on both databases at the same time.

The quick suites run first and are shown as they go. Before them a database's tables are made, and beside them
the matcher's kernels are compiled, which each part would do for itself otherwise. Then lanes take the other
parts, each the next one when it is free: all on SQLite, and on PostgreSQL what touches models. A report is
shown when its part ends. Much of a test's time is waiting, for a process to start or to die, so four lanes
keep two cores busy. At last it says how long each part took, and the exit code is 0 only if all passed.
"""

import os
import queue
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from tests.running_system import TABLES_HANDED_ON, tables_on_sqlite

PYTEST = (sys.executable, "-m", "pytest", *sys.argv[1:])
LANES = 4


@dataclass(frozen=True, slots=True)
class Part:
    what: str
    command: tuple[str, ...]
    places: tuple[str, ...] = ()  # where its tests are


COMPILE = """
from matching.engine.warming import warm
warm(on_compiling=lambda: print("Compiling the matcher's kernels, once ...", flush=True))
"""
KERNELS = Part("The matcher's kernels", (sys.executable, "-c", COMPILE))


def on_sqlite(*chosen: str) -> Part:
    return Part(" ".join(chosen), (*PYTEST, *chosen), places=chosen)


def on_postgresql(what: str, *chosen: str) -> Part:
    """What touches models, of those that are chosen."""
    command = (sys.executable, "-m", "tests.on_postgresql", *PYTEST, "-m", "database", *chosen)
    return Part(f"{what}, on PostgreSQL", command)


# The longest first, so that no lane is left alone with one at the end.
PARTS = (
    on_sqlite("tests/faults"),
    on_postgresql("tests/faults", "tests/faults"),
    on_sqlite("tests/browser"),
    on_sqlite("tests/integration"),
    # Those of the other suites that touch models say themselves that one database will do.
    on_postgresql("What touches models", "tests/integration", "tests/stress", "tests/unit/accounts"),
    on_sqlite("tests/spark"),
    on_sqlite("tests/contract"),
    on_sqlite("tests/stress", "tests/unit/matching/engine", "tests/unit/benchmarks"),
)
FIRST = Part("The quick suites", (*PYTEST, *(f"--ignore={place}" for part in PARTS for place in part.places)))


class Run:
    """Parts beside each other, until all are done or it is stopped."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.took: list[str] = []
        self._began = time.monotonic()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._is_stopped = False
        self._starting = threading.Lock()
        self._printing = threading.Lock()

    def do(self, part: Part, report: IO[bytes] | None = None) -> None:
        with self._starting:
            if self._is_stopped:
                return
            began = time.monotonic()
            process = subprocess.Popen(part.command, stdout=report, stderr=report)
            self._processes.append(process)
        if process.wait():
            self.failed.append(part.what)
        self.took.append(f"{self._minutes(began)} to {self._minutes(time.monotonic())}  {part.what}")

    def _minutes(self, moment: float) -> str:
        """Since the beginning."""
        minutes, seconds = divmod(round(moment - self._began), 60)
        return f"{minutes:2}:{seconds:02}"

    def do_before_all_reports(self, part: Part) -> None:
        with self._printing:
            self.do(part)

    def do_those_that_wait(self, waiting: "queue.SimpleQueue[Part]") -> None:
        """Each is reported when it ends."""
        with suppress(queue.Empty):
            while not self._is_stopped:
                part = waiting.get_nowait()
                with tempfile.TemporaryFile() as report:
                    self.do(part, report)
                    report.seek(0)
                    with self._printing:
                        print(f"\n{part.what}:\n{report.read().decode(errors='replace')}", flush=True)

    @contextmanager
    def stopped_in_the_end(self) -> Iterator[None]:
        try:
            yield
        finally:
            with self._starting:
                self._is_stopped = True
            for process in self._processes:
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)  # as Ctrl-C, so that it stops its servers


def main() -> int:
    run = Run()
    waiting: queue.SimpleQueue[Part] = queue.SimpleQueue()
    for part in PARTS:
        waiting.put(part)
    with ThreadPoolExecutor(LANES) as pool, run.stopped_in_the_end():
        kernels = pool.submit(run.do, KERNELS)
        os.environ[TABLES_HANDED_ON] = str(tables_on_sqlite())
        first = pool.submit(run.do_before_all_reports, FIRST)
        kernels.result()
        lanes = [pool.submit(run.do_those_that_wait, waiting) for _lane in range(LANES)]
        for each in (first, *lanes):
            each.result()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("", *sorted(run.took), sep="\n")
    print(f"Processor time: {(used.ru_utime + used.ru_stime) / 60:.1f} minutes.")
    print(f"\nFAILED: {', '.join(run.failed)}" if run.failed else "\nAll passed.", flush=True)
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
