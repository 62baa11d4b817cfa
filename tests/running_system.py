"""The whole system in a process of its own, as `make up` runs it, for tests to use, kill and restart."""

import atexit
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psutil
import psycopg
import psycopg.sql

from tests.kept_commands import KeptCommands

ROOT = Path(__file__).resolve().parent.parent
UP = (sys.executable, "manage.py", "up")
LOWEST_PORT, LOWEST_GIVEN_PORT = 11_000, 32_000  # browsers refuse some of the lower ones
Found = TypeVar("Found")


class RunningSystem:
    """Its database is new, and has its tables already, unless `is_bare`: to make them takes some seconds."""

    def __init__(
        self, var: Path, *, command: tuple[str, ...] = UP, is_bare: bool = False, **environment: str
    ) -> None:
        self.var = var
        self.root = ROOT  # of the code; before it is started, another one may be set
        self._command = command
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        # The demo takes seconds to load; a test that wants it says so.
        given = {"VAR": str(var), "PORT": str(self.port), "DEMO_DATA": "no", **environment}
        self._environment = {**os.environ, **given}
        if "DATABASE_URL" in self._environment and "DATABASE_URL" not in environment:
            of_tests = self._environment["DATABASE_URL"]
            template = None if is_bare else tables_on_postgresql(of_tests)
            self._environment["DATABASE_URL"] = database_of_its_own(of_tests, template=template)
        self._is_bare = is_bare
        self._environment.pop("DJANGO_SETTINGS_MODULE", None)  # the tests' own settings are not the system's
        self._environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
        self._log = var.parent / f"{var.name}.log"
        self._commands: KeptCommands | None = None
        self._keeping = threading.Lock()

    def start(self, **environment: str) -> "RunningSystem":
        """It stays with what else its environment was before."""
        self._environment |= environment
        if not (self._is_bare or self._environment.get("DATABASE_URL") or _sqlite_in(self.var).exists()):
            self.var.mkdir(mode=0o700, exist_ok=True)
            shutil.copy(tables_on_sqlite(), _sqlite_in(self.var))
        with open(self._log, "wb") as log:
            self.process = subprocess.Popen(
                self._command, cwd=self.root, env=self._environment, stdout=log, stderr=log
            )
        try:
            wait_until(
                lambda: "Ready: " in self.log or self.process.poll() is not None,
                seconds=600,  # the very first one compiles the matcher's kernels
                why=self._log_tail,
            )
        except AssertionError:
            self.stop()  # nobody else would
            raise
        assert self.process.poll() is None, self._log_tail()
        return self

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; the answer is its exit code."""
        if self._commands is not None:
            self._commands.close()
            self._commands = None
        self.process.send_signal(number)
        return self.process.wait(timeout=120)

    @property
    def is_running(self) -> bool:
        process = getattr(self, "process", None)  # there is none before it was started
        return process is not None and process.poll() is None

    def probe(self, *, seconds: float) -> subprocess.CompletedProcess[str]:
        """Send a task to every queue and wait until all were done; exit code 0 if they were."""
        return self.manage("probe", "--seconds", str(seconds))

    def manage(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py` against this system."""
        with self._keeping:
            if self._commands is None:
                self._commands = KeptCommands(self._environment, root=self.root)
        return self._commands.run(words)

    @property
    def environment(self) -> dict[str, str]:
        """Of its processes, for one more that works on its data."""
        return dict(self._environment)

    @property
    def database_url(self) -> str:
        return self._environment.get("DATABASE_URL") or f"sqlite:///{_sqlite_in(self.var)}"

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def demo_password(self) -> str:
        return (self.var / "demo_password").read_text()

    def processes(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def service(self, *words: str) -> psutil.Process | None:
        """The direct child whose command line has all these words."""
        return next(iter(self.services(*words)), None)

    def services(self, *words: str) -> list[psutil.Process]:
        """All such children."""
        found = []
        for child in psutil.Process(self.process.pid).children():
            try:
                line = " ".join(child.cmdline())
            except psutil.Error:
                continue
            if all(word in line for word in words):
                found.append(child)
        return found

    @contextmanager
    def worker(self, queue: str, name: str) -> Iterator[psutil.Process]:
        """One more worker of this queue, as one may start it by hand, when it is ready."""
        celery = [sys.executable, "-m", "celery", "-q", "-A", "lesubscribe.celery", "worker"]
        said = self.var.parent / f"{name}.log"
        with open(said, "wb") as log:
            worker = subprocess.Popen(
                [*celery, "-Q", queue, "-n", f"{name}@%h", "-c", "1", "--loglevel", "INFO"],
                cwd=self.root,
                env={**self._environment, "PROMETHEUS_MULTIPROC_DIR": str(self.var / "metrics")},
                stdout=log,
                stderr=log,
            )
        try:
            wait_until(lambda: " ready." in said.read_text(), seconds=300, why=said.read_text)
            yield psutil.Process(worker.pid)
        finally:
            worker.terminate()
            worker.wait(timeout=120)

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(self.url + path, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def ready_parts(self) -> dict[str, Any]:
        status, body = self.get("/readyz")
        parts: dict[str, Any] = json.loads(body)["parts"] if status else {}
        return parts

    def _log_tail(self) -> str:
        return self.log[-4000:]


def database_of_its_own(url: str, *, template: str | None = None) -> str:
    """A new database on the PostgreSQL server of this URL: empty, or a copy of the one of this name."""
    name = f"system_{secrets.token_hex(4)}"
    create = psycopg.sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
        psycopg.sql.Identifier(name), psycopg.sql.Identifier(template or "template1")
    )
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(create)
    return urlsplit(url)._replace(path=f"/{name}").geturl()


# Where whoever started this process has made a SQLite file with all tables, if it has: that takes seconds.
TABLES_HANDED_ON = "LESUBSCRIBE_TESTS_TABLES"


@cache
def tables_on_postgresql(url: str) -> str:
    """The name of a database on this server that has its tables, and nobody is connected to."""
    made = database_of_its_own(url)
    _migrate(DATABASE_URL=made)
    return urlsplit(made).path[1:]


@cache
def tables_on_sqlite() -> Path:
    """A file that has them, until the tests end."""
    if made := os.environ.get(TABLES_HANDED_ON):
        return Path(made)
    directory = Path(tempfile.mkdtemp(prefix="lesubscribe-tables-"))
    atexit.register(shutil.rmtree, directory)
    _migrate(DATABASE_URL="", VAR=str(directory))
    return _sqlite_in(directory)


def _sqlite_in(var: Path) -> Path:
    return var / "lesubscribe.sqlite3"


def _migrate(**environment: str) -> None:
    given = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    subprocess.run(command, cwd=ROOT, env=given | environment, check=True)


def free_port() -> int:
    """Below those that the system gives to whoever connects: it is free until it is used, and in between.

    No other process of the tests gets it before this one ends.
    """
    while True:
        port = LOWEST_PORT + secrets.randbelow(LOWEST_GIVEN_PORT - LOWEST_PORT)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            _keep_from_others(port)
            return port


def _keep_from_others(port: int) -> None:
    """By a name that only one socket can have, and that goes with the process. Raises OSError."""
    mark = socket.socket(socket.AF_UNIX)
    try:
        mark.bind(f"\0lesubscribe-tests-port-{port}")
    except OSError:
        mark.close()
        raise
    atexit.register(mark.close)


def wait_until(found: Callable[[], Found], *, seconds: float, why: Callable[[], str] = str) -> Found:
    """Ask again until the answer is true, and return it; fail after so many seconds.

    The longer it takes the more seldom it is asked: a question may cost as much as what is waited for.
    """
    began = time.monotonic()
    while not (answer := found()):
        waited = time.monotonic() - began
        assert waited < seconds, f"not within {seconds:g} s; {why()}"
        time.sleep(min(max(waited / 10, 0.05), 0.5))
    return answer
