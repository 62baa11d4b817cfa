"""Copies of all that a system must keep, made while it runs, and put back in another place.

What counts is in the database, and it is copied as it was at one moment: SQLite and pg_dump both read from a
snapshot, and nobody who writes waits for them. The secret key goes with it: API keys are sealed with it.
Redis and the snapshots of matchers are left out; what they hold is made anew.
"""

import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from psycopg.conninfo import make_conninfo

from lesubscribe.private_files import first_written

DESCRIPTION, SECRET_KEY, SQLITE, POSTGRESQL = "backup.json", "secret_key", "database.sqlite3", "database.dump"
_CLIENTS = {"backup": "pg_dump", "restore": "pg_restore"}


class BackupError(Exception):
    """Why it could not be made or put back, as a sentence."""


def make(directory: Path, *, now: datetime) -> None:
    """Into a directory that is new or empty. Its description comes last: without it a backup is not whole."""
    if directory.exists() and any(directory.iterdir()):
        raise BackupError(f"{directory} is not empty.")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = SQLITE if connection.vendor == "sqlite" else POSTGRESQL
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(directory / name)])
    else:
        _run("backup", "--format=custom", "--no-owner", f"--file={directory / name}", _dsn())
    _write_privately(directory / SECRET_KEY, settings.SECRET_KEY)
    _write_privately(directory / DESCRIPTION, json.dumps({"database": name, "made_at": now.isoformat()}))
    (directory / name).chmod(0o600)


def put_back(directory: Path) -> None:
    """Into the database and VAR of the settings; the database must be empty."""
    try:
        name = str(json.loads((directory / DESCRIPTION).read_text())["database"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BackupError(f"{directory} is no backup, or one that is not whole.") from None
    if (name == SQLITE) != (connection.vendor == "sqlite"):
        raise BackupError(f"This backup is not of a {connection.vendor} database.")
    if _is_in_use():
        raise BackupError("There is data in the database already; name an empty one by VAR or DATABASE_URL.")
    _put_secret_key_back((directory / SECRET_KEY).read_text())
    connection.close()
    if connection.vendor == "sqlite":
        _put_file_back(directory / name, Path(connection.settings_dict["NAME"]))
    else:
        words = ("--no-owner", "--exit-on-error", "--single-transaction", f"--dbname={_dsn()}")
        _run("restore", *words, str(directory / name))


def _put_file_back(backup: Path, place: Path) -> None:
    with closing(sqlite3.connect(f"file:{backup}?mode=ro", uri=True)) as file:
        if file.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise BackupError(f"{backup} is damaged.")
    for rest in ("-wal", "-shm"):  # of an empty database that somebody has opened
        with suppress(FileNotFoundError):
            Path(f"{place}{rest}").unlink()
    unfinished = place.with_name(f"{place.name}.part")
    shutil.copyfile(backup, unfinished)
    unfinished.chmod(0o600)
    unfinished.replace(place)


def _put_secret_key_back(key: str) -> None:
    """Where there is none. Who set another one is told: the API keys of the backup would not open with it."""
    if os.environ.get("SECRET_KEY", "") == key:
        return
    kept = settings.VAR / SECRET_KEY
    if os.environ.get("SECRET_KEY"):
        raise BackupError("SECRET_KEY is another one than the backup's, which is in its file secret_key.")
    with suppress(FileNotFoundError):
        kept.unlink()  # one that was made when this command read its settings
    first_written(kept, key)


def _is_in_use() -> bool:
    return MigrationRecorder(connection).has_table()


def _run(what: str, *words: str) -> None:
    program = _CLIENTS[what]
    try:
        subprocess.run([program, *words], check=True, capture_output=True, text=True, env=_environment())
    except FileNotFoundError:
        raise BackupError(f"{program} is not installed; it comes with the client of PostgreSQL.") from None
    except subprocess.CalledProcessError as error:
        raise BackupError(f"{program} failed: {error.stderr.strip()}") from None


def _dsn() -> str:
    """Without the password, which others could read in the list of processes."""
    parameters = connection.get_connection_params()
    wanted = {name: parameters.get(name) for name in ("host", "port", "user", "dbname")}
    return make_conninfo(**{name: value for name, value in wanted.items() if value})


def _environment() -> dict[str, str]:
    password = connection.get_connection_params().get("password")
    return {**os.environ, **({"PGPASSWORD": password} if password else {})}


def _write_privately(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text)
