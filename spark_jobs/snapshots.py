"""Engines of snapshots, each opened once in a Python worker; the workers of a machine share one memory."""

import hashlib
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from pyarrow import fs
from pyspark import SparkFiles

from matching.engine.engine import Engine
from matching.engine.snapshots import MANIFEST, SnapshotError, parsed_manifest
from spark_jobs import places


@lru_cache(maxsize=8)
def opened(snapshot: str) -> Engine:
    """The engine of a snapshot, once in a Python worker."""
    path = _fetched(snapshot) if places.is_url(snapshot) else Path(snapshot)
    return Engine.open(path, merging="when asked")


def has_operators(snapshot: str) -> bool:
    """Whether subscriptions in it call operators; not of one that is not there, as its reader will tell."""
    filesystem, path = places.filesystem(snapshot) if places.is_url(snapshot) else _here(snapshot)
    try:
        with filesystem.open_input_stream(f"{path}/{MANIFEST}") as stream:
            return bool(parsed_manifest(stream.read(), snapshot).get("has_operators", True))
    except (OSError, SnapshotError):
        return False


def _here(snapshot: str) -> tuple[fs.FileSystem, str]:
    return fs.LocalFileSystem(), snapshot


def _fetched(url: str) -> Path:
    """The snapshot on this machine, below what Spark removes with the job.

    The first worker fetches it; one that comes meanwhile fetches in vain. A directory where the next snapshot
    is written over the last is told apart by its manifest.
    """
    filesystem, path = places.filesystem(url)
    with filesystem.open_input_stream(f"{path}/{MANIFEST}") as stream:
        name = hashlib.sha256(stream.read()).hexdigest()[:24]
    ours = Path(SparkFiles.getRootDirectory())
    target = ours / f"snapshot-{name}"
    if not target.exists():
        beside = Path(tempfile.mkdtemp(prefix="fetching-", dir=ours))
        fs.copy_files(
            path, str(beside), source_filesystem=filesystem, destination_filesystem=fs.LocalFileSystem()
        )
        try:
            beside.rename(target)
        except OSError:
            shutil.rmtree(beside)
    return target
