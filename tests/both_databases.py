"""`python -m tests.both_databases [PYTEST OPTIONS]`: the whole suite, on both databases at the same time.

The matcher's kernels are compiled first, which each lane would do for itself otherwise. Then the quick suites
run on SQLite and are shown as they go. Beside them, in two more lanes, run the slow suites, and on PostgreSQL
all that touches models: each lane takes the next part when it is free. Much of a test's time is waiting, for
a process to start or to die, so three lanes keep two cores busy. The reports follow. The exit code is 0 only
if all passed.
"""

import queue
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PYTEST = (sys.executable, "-m", "pytest", *sys.argv[1:])
# Those that start whole systems, Spark or a browser.
SLOW = ("faults", "browser", "spark")
LANES_BESIDE = 2


@dataclass(frozen=True, slots=True)
class Part:
    what: str
    command: tuple[str, ...]


COMPILE = """
from matching.engine.warming import warm
warm(on_compiling=lambda: print("Compiling the matcher's kernels, once ...", flush=True))
"""
KERNELS = Part("The matcher's kernels", (sys.executable, "-c", COMPILE))
QUICK = Part("All but the slow suites", (*PYTEST, *(f"--ignore=tests/{suite}" for suite in SLOW)))


def on_sqlite(suite: str) -> Part:
    return Part(f"tests/{suite}", (*PYTEST, f"tests/{suite}"))


def on_postgresql(what: str, *chosen: str) -> Part:
    """What touches models, of those that are chosen."""
    command = (sys.executable, "-m", "tests.on_postgresql", *PYTEST, "-m", "database", *chosen)
    return Part(f"{what}, on PostgreSQL", command)


# The longest first, so that no lane is left alone with one at the end.
BESIDE = (
    on_postgresql("tests/faults", "tests/faults"),
    on_sqlite("faults"),
    on_postgresql("What touches models", "--ignore=tests/faults"),
    on_sqlite("browser"),
    on_sqlite("spark"),
)


class Lane:
    """Runs parts, one after the other, until there are none left or it is stopped."""

    def __init__(self, waiting: "queue.SimpleQueue[Part]", reports: Path) -> None:
        self._waiting = waiting
        self._reports = reports
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self.failed: list[str] = []

    def run(self) -> None:
        with suppress(queue.Empty):
            while not self._is_stopped:
                part = self._waiting.get_nowait()
                with open(self._reports / part.what.replace("/", "-"), "wb") as report:
                    self.do(part, report)

    def do(self, part: Part, report: IO[bytes] | None = None) -> None:
        self._process = subprocess.Popen(part.command, stdout=report, stderr=report)
        if self._process.wait():
            self.failed.append(part.what)

    def stop(self) -> None:
        self._is_stopped = True
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # as Ctrl-C, so that it stops its servers


def main() -> int:
    waiting: queue.SimpleQueue[Part] = queue.SimpleQueue()
    for part in BESIDE:
        waiting.put(part)
    with tempfile.TemporaryDirectory(prefix="lesubscribe-tests-") as name, ThreadPoolExecutor() as pool:
        reports = Path(name)
        lanes = [Lane(waiting, reports) for _lane in range(1 + LANES_BESIDE)]
        shown, *beside = lanes
        shown.do(KERNELS)
        running = [pool.submit(lane.run) for lane in beside]
        try:
            shown.do(QUICK)
            running.append(pool.submit(shown.run))
            _wait(running)
        finally:
            for lane in lanes:
                lane.stop()
            _wait(running)
            _print(reports)
    failed = [what for lane in lanes for what in lane.failed]
    print(f"\nFAILED: {', '.join(failed)}" if failed else "\nAll passed.", flush=True)
    return 1 if failed else 0


def _wait(running: Sequence[Future[None]]) -> None:
    for future in running:
        future.result()


def _print(reports: Path) -> None:
    for part in BESIDE:
        report = reports / part.what.replace("/", "-")
        if report.exists():
            print(f"\n{part.what}:\n{report.read_text(errors='replace')}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
