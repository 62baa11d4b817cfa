"""Databases that can be struck: PostgreSQL is stopped at once and started; SQLite's writer dies at work."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import psycopg

from tests.on_postgresql import started

# A small disk has no room for a gigabyte of it.
_SMALL_LOG = ("ALTER SYSTEM SET max_wal_size = '96MB'", "ALTER SYSTEM SET min_wal_size = '32MB'")
SECONDS_TO_START = 300.0
_WRITE_AND_HANG = """
import sqlite3, sys, time
file = sqlite3.connect(sys.argv[1], timeout=20, isolation_level=None)
file.execute("BEGIN IMMEDIATE")
file.execute("CREATE TABLE never_committed (content)")
file.execute("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
             " INSERT INTO never_committed SELECT randomblob(1000) FROM n")
print("locked", flush=True)
time.sleep(600)
"""


class Database(Protocol):
    def strike(self, seconds: float) -> None:
        """It is down, or locked, for so long."""

    def start(self) -> None:
        """Unless it runs."""


class PostgresServer:
    """As an operator has it: nobody starts it again by itself."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._server = started(data)
        self.url: str = self._server.get_uri()
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in (*_SMALL_LOG, "SELECT pg_reload_conf()"):
                connection.execute(statement.encode())

    def strike(self, seconds: float) -> None:
        """Stopped at once, as if the power had gone, and started after a while."""
        self._control("stop", "-m", "immediate")
        time.sleep(seconds)
        self.start()

    def start(self) -> None:
        """Unless it runs: after a full disk it may not."""
        deadline = time.monotonic() + SECONDS_TO_START
        while True:
            try:
                self._server.ensure_postgres_running()
                with psycopg.connect(self.url):  # one that is about to give up looks as if it ran
                    return
            except (subprocess.SubprocessError, AssertionError, OSError, psycopg.OperationalError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    def close(self) -> None:
        self.start()  # or it would not be known what to stop
        self._server.cleanup()

    def _control(self, *words: str) -> None:
        command = [str(self._server.bin_path / "pg_ctl"), "-D", str(self._data), *words]
        subprocess.run(command, user=self._server.system_user, check=True, capture_output=True, cwd="/")


@contextmanager
def postgres_server(data: Path) -> Iterator[PostgresServer]:
    server = PostgresServer(data)
    try:
        yield server
    finally:
        server.close()


class SqliteFile:
    """Nobody can stop it, but whoever writes to it may die."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def strike(self, seconds: float) -> None:
        """Another process writes much, keeps all others waiting, and is killed before it commits."""
        with subprocess.Popen(
            [sys.executable, "-c", _WRITE_AND_HANG, str(self._path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as writer:
            assert writer.stdout is not None
            if writer.stdout.readline():  # else others kept it waiting for too long
                time.sleep(seconds)
            writer.kill()

    def start(self) -> None:
        """It is always there."""
