"""The whole system in a process of its own, as `make up` runs it, for tests to use, kill and restart."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psutil
import psycopg
import psycopg.sql

ROOT = Path(__file__).resolve().parent.parent
UP = (sys.executable, "manage.py", "up")
Found = TypeVar("Found")


class RunningSystem:
    def __init__(self, var: Path, *, command: tuple[str, ...] = UP, **environment: str) -> None:
        self.var = var
        self._command = command
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        # The demo takes seconds to load; a test that wants it says so.
        given = {"VAR": str(var), "PORT": str(self.port), "DEMO_DATA": "no", **environment}
        self._environment = {**os.environ, **given}
        if "DATABASE_URL" in self._environment and "DATABASE_URL" not in environment:
            self._environment["DATABASE_URL"] = database_of_its_own(self._environment["DATABASE_URL"])
        self._environment.pop("DJANGO_SETTINGS_MODULE", None)  # the tests' own settings are not the system's
        self._environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
        self._log = var.parent / f"{var.name}.log"

    def start(self) -> "RunningSystem":
        with open(self._log, "wb") as log:
            self.process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=log, stderr=log
            )
        try:
            wait_until(
                lambda: "Ready: " in self.log or self.process.poll() is not None,
                seconds=150,  # the very first one compiles the matcher's kernels
                why=self._log_tail,
            )
        except AssertionError:
            self.stop()  # nobody else would
            raise
        assert self.process.poll() is None, self._log_tail()
        return self

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; the answer is its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=15)

    def probe(self, *, seconds: float) -> subprocess.CompletedProcess[str]:
        """Send a task to every queue and wait until all were done; exit code 0 if they were."""
        return self.manage("probe", "--seconds", str(seconds))

    def manage(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of `manage.py` against this system."""
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
        )

    @property
    def database_url(self) -> str:
        return self._environment.get("DATABASE_URL") or f"sqlite:///{self.var / 'lesubscribe.sqlite3'}"

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
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        try:
            wait_until(lambda: " ready." in said.read_text(), seconds=60, why=said.read_text)
            yield psutil.Process(worker.pid)
        finally:
            worker.terminate()
            worker.wait(timeout=15)

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
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


def database_of_its_own(url: str) -> str:
    """A new, empty database on the PostgreSQL server of this URL."""
    name = f"system_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(found: Callable[[], Found], *, seconds: float, why: Callable[[], str] = str) -> Found:
    """Ask again until the answer is true, and return it; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not (answer := found()):
        assert time.monotonic() < deadline, f"not within {seconds:g} s; {why()}"
        time.sleep(0.05)
    return answer
