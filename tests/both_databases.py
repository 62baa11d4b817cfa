"""`python -m tests.both_databases [PYTEST OPTIONS]`: the whole suite, on both databases at the same time.

All but the browser's tests runs on SQLite and is shown as it goes. What touches models runs on PostgreSQL
beside it, on the second core, and after that the browser's tests; their reports follow. The exit code is 0
only if all passed.
"""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PYTEST = [sys.executable, "-m", "pytest", *sys.argv[1:]]
BROWSER = "tests/browser"
ON_POSTGRESQL = [sys.executable, "-m", "tests.on_postgresql", *PYTEST, "-m", "database"]


class Beside:
    """Commands that run one after the other while something else is done; they write to a report."""

    def __init__(self, report: Path) -> None:
        self._report = report
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def run(self, commands: Sequence[Sequence[str]]) -> int:
        """0 if all of them ended with 0."""
        codes = []
        with open(self._report, "wb") as output:
            for command in commands:
                if not self._is_stopped:
                    self._process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
                    codes.append(self._process.wait())
        return max(map(abs, codes), default=0)

    def stop(self) -> None:
        self._is_stopped = True
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # as Ctrl-C, so that it stops its servers


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="lesubscribe-tests-") as directory, ThreadPoolExecutor(1) as pool:
        report = Path(directory) / "report"
        beside = Beside(report)
        others = pool.submit(beside.run, [ON_POSTGRESQL, [*PYTEST, BROWSER]])
        try:
            shown = subprocess.run([*PYTEST, "--ignore", BROWSER]).returncode
            print("\nThe same on PostgreSQL, then the browser's tests:", flush=True)
            passed_beside = others.result()
        finally:
            beside.stop()
            others.exception()
            print(report.read_text(errors="replace"), flush=True)
    return shown or passed_beside


if __name__ == "__main__":
    sys.exit(main())
