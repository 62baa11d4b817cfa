"""Snapshots: a directory of raw arrays and a manifest, from which an engine starts in a moment.

Files have names of their own and never change; the manifest, replaced in one step, says which of them belong
together, with a checksum for each. So a snapshot is whole or it is the one before, and writing the next one
costs only what is new. Segments are mapped, and read once for their checksum: ten processes share one copy.
"""

import fcntl
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from matching.engine.layout import FIELDS, unpacked
from matching.engine.segment import Segment
from matching.whole_files import in_one_step

FORMAT = 3
MANIFEST, LOCK = "manifest.json", "lock"
SEGMENT, DIED, DOCUMENTS, UNFINISHED = OURS = "segment", "died", "documents", "unfinished"
_AT_ONCE = 1 << 24


class SnapshotError(Exception):
    """A snapshot that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`documents` are what is kept as JSON; `facts` is what its owner wants to know of it.

    `has_operators` if subscriptions call any: then matching needs the events themselves.
    """

    segments: tuple[Segment, ...]
    documents: Mapping[str, Any]
    facts: Mapping[str, Any]
    has_operators: bool = True


def save(directory: Path, snapshot: Snapshot, *, before_commit: Callable[[], object] | None = None) -> None:
    """Write a snapshot, or the next one, into the directory. O(what is not yet there). One at a time."""
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / LOCK, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        segments = []
        for segment in snapshot.segments:
            kind = f"{SEGMENT}-{segment.name}"
            name = _there(directory, kind, segment.block.nbytes) or _written(directory, kind, segment.block)
            died = _written(directory, DIED, segment.died) if segment.died.any() else None
            segments.append(
                {
                    "name": segment.name,
                    "table": segment.table.tolist(),
                    "block": _described(directory, name),
                    "died": None if died is None else _described(directory, died),
                }
            )
        document = json.dumps(snapshot.documents, separators=(",", ":")).encode()
        documents = _written(directory, DOCUMENTS, np.frombuffer(document, np.uint8))
        manifest = {
            "format": FORMAT,
            "arrays": list(FIELDS),
            "facts": snapshot.facts,
            "has_operators": snapshot.has_operators,
            "documents": _described(directory, documents),
            "segments": segments,
        }
        text = json.dumps(manifest)
        if before_commit is not None:
            before_commit()
        with _synced(directory / MANIFEST) as file:
            file.write(json.dumps({"checksum": zlib.crc32(text.encode()), "manifest": text}).encode())
        _forget_others(directory, manifest)


def opened(directory: Path) -> Snapshot:
    """The snapshot there, verified. Raises SnapshotError."""
    manifest = read_manifest(directory)
    try:
        return _opened(directory, manifest)
    except SnapshotError:
        if read_manifest(directory) == manifest:
            raise
        return opened(directory)  # the next one came meanwhile


def _opened(directory: Path, manifest: Mapping[str, Any]) -> Snapshot:
    try:
        segments = tuple(_segment(directory, each) for each in manifest["segments"])
        documents = json.loads(_mapped(directory, manifest["documents"]).tobytes())
        return Snapshot(segments, documents, manifest["facts"])
    except (KeyError, TypeError, ValueError) as error:
        said = f"The manifest of the snapshot in {directory} makes no sense: {error!r}."
        raise SnapshotError(said) from error


def read_manifest(directory: Path) -> dict[str, Any]:
    """What the snapshot says of itself. Raises SnapshotError."""
    try:
        return parsed_manifest((directory / MANIFEST).read_bytes(), directory)
    except FileNotFoundError:
        raise SnapshotError(f"There is no snapshot in {directory}.") from None
    except OSError as error:
        raise SnapshotError(f"The snapshot in {directory} cannot be read: {error.strerror}.") from error


def parsed_manifest(manifest_file: bytes, directory: Path | str) -> dict[str, Any]:
    """What is written in the manifest of the snapshot there. Raises SnapshotError."""
    try:
        written = json.loads(manifest_file)
        text, checksum = written["manifest"].encode(), written["checksum"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SnapshotError(f"The manifest of the snapshot in {directory} is damaged.") from error
    if zlib.crc32(text) != checksum:
        raise SnapshotError(f"The manifest of the snapshot in {directory} is damaged.")
    try:
        manifest: Any = json.loads(text)
    except ValueError as error:
        raise SnapshotError(f"The manifest of the snapshot in {directory} makes no sense.") from error
    if not isinstance(manifest, dict):
        raise SnapshotError(f"The manifest of the snapshot in {directory} makes no sense.")
    if manifest.get("format") != FORMAT or manifest.get("arrays") != list(FIELDS):
        raise SnapshotError(f"The snapshot in {directory} was written by another version of this program.")
    return manifest


def _segment(directory: Path, described: Mapping[str, Any]) -> Segment:
    block, table = _mapped(directory, described["block"]), np.array(described["table"], np.int64)
    if table.shape != (2 * len(FIELDS),) or np.diff(table, prepend=0, append=len(block)).min() < 0:
        raise ValueError("arrays lie outside of their file")
    died = None if described["died"] is None else _mapped(directory, described["died"]).view(np.int64).copy()
    if died is not None and len(died) != len(unpacked(block, table).id):
        raise ValueError("another number of ids than of marks for those that are gone")
    return Segment.of(described["name"], block, table, died)


def _mapped(directory: Path, described: Mapping[str, Any]) -> NDArray[np.uint8]:
    path = directory / described["file"]
    try:
        if path.stat().st_size != described["bytes"]:
            raise SnapshotError(f"{path} has another size than its manifest says: the snapshot is damaged.")
        array = (
            np.memmap(path, np.uint8, "r").view(np.ndarray) if described["bytes"] else np.empty(0, np.uint8)
        )
    except OSError as error:
        raise SnapshotError(f"{path} cannot be read: {error.strerror}.") from error
    if _checksum(array) != described["checksum"]:
        raise SnapshotError(f"{path} has another checksum than its manifest says: the snapshot is damaged.")
    return array


def _there(directory: Path, kind: str, size: int) -> str | None:
    """The file of this kind that is already there, with so many bytes."""
    paths = directory.glob(f"{kind}-*")
    return next((path.name for path in paths if path.stat().st_size == size), None)


def _written(directory: Path, kind: str, array: NDArray[Any]) -> str:
    """A new file with the bytes of the array, synced; its name says its checksum."""
    flat = array.reshape(-1).view(np.uint8)
    name = f"{kind}-{uuid4().hex}-{_checksum(flat):08x}"
    with _synced(directory / name) as file:
        file.writelines(flat[start : start + _AT_ONCE].data for start in range(0, len(flat), _AT_ONCE))
    return name


def _described(directory: Path, name: str) -> dict[str, Any]:
    return {
        "file": name,
        "bytes": (directory / name).stat().st_size,
        "checksum": int(name.rpartition("-")[2], 16),
    }


def _checksum(array: NDArray[np.uint8]) -> int:
    return zlib.crc32(np.ascontiguousarray(array).data)


def _synced(path: Path) -> AbstractContextManager[BinaryIO]:
    return in_one_step(path, beside=path.with_name(f"{UNFINISHED}-{uuid4().hex}"))


def _forget_others(directory: Path, manifest: Mapping[str, Any]) -> None:
    """Delete what no longer belongs to the snapshot. Who has it mapped keeps it."""
    described: Sequence[Any] = [
        manifest["documents"],
        *(each[part] for each in manifest["segments"] for part in ("block", "died")),
    ]
    kept = {each["file"] for each in described if each is not None}
    for kind in OURS:
        for path in directory.glob(f"{kind}-*"):
            if path.name not in kept:
                path.unlink(missing_ok=True)
