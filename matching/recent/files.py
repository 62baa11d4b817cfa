"""Arrays in a file that is mapped into memory: written once, never changed, shared by all processes. Pure.

A file has a mark, the length and the checksum of a header, the header (JSON: for each array its type, length
and place; the length and checksum of what follows) and the arrays. It appears under its name when it is
whole and on the disk. Raises BrokenFileError for a file that is not what it should be.
"""

import json
import mmap
import secrets
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.recent.segments import Column, Segment, Strings
from matching.whole_files import in_one_step

_MARK = b"LeSubRe1"
_LEAD = struct.Struct("<8sII")  # mark, length of the header, checksum of the header
_ALIGNMENT = 64
_TYPES = frozenset({"<i8", "<i4", "<f8", "|u1", "|b1"})

Arrays = Mapping[str, NDArray[Any]]


class BrokenFileError(Exception):
    """It is cut, damaged, or something else."""


def replace(path: Path, content: bytes) -> None:
    """Let the file have this content: all of it or, after a crash, what it had before."""
    with in_one_step(path, beside=path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")) as file:
        file.write(content)


def write(path: Path, arrays: Arrays) -> None:
    places: dict[str, list[Any]] = {}
    body = bytearray()
    for name, array in arrays.items():
        body += bytes(-len(body) % _ALIGNMENT)
        places[name] = [array.dtype.str, len(array), len(body)]
        body += np.ascontiguousarray(array).tobytes()
    header = json.dumps({"arrays": places, "length": len(body), "checksum": zlib.crc32(body)}).encode()
    header += b" " * (-(_LEAD.size + len(header)) % _ALIGNMENT)
    replace(path, _LEAD.pack(_MARK, len(header), zlib.crc32(header)) + header + bytes(body))


def read(path: Path, *, thoroughly: bool = False) -> Arrays:
    """The arrays, mapped. The body's checksum is looked at only if asked, since that reads all of it."""
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        mark, header_length, header_checksum = _LEAD.unpack_from(mapped)
        header = mapped[_LEAD.size : _LEAD.size + header_length]
        if mark != _MARK or zlib.crc32(header) != header_checksum:
            raise BrokenFileError(f"{path.name} is not ours, or damaged.")
        described = json.loads(header)
        first = _LEAD.size + header_length
        if len(mapped) != first + described["length"]:
            raise BrokenFileError(f"{path.name} is cut.")
        if thoroughly and zlib.crc32(memoryview(mapped)[first:]) != described["checksum"]:
            raise BrokenFileError(f"{path.name} is damaged.")
        return {
            name: _array(mapped, kind, length, first + place)
            for name, (kind, length, place) in described["arrays"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise BrokenFileError(f"{path.name} cannot be read: {error}") from error


def write_segment(path: Path, segment: Segment) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "ids": segment.ids,
        "accepted_at": segment.accepted_at,
        "version": np.array([segment.version], np.int64),
    }
    for name, column in segment.columns.items():
        arrays[f"{name}/values"] = column.values
        if column.rows is not None:
            arrays[f"{name}/rows"] = column.rows
        if column.present is not None:
            arrays[f"{name}/present"] = column.present
        if column.strings is not None:
            arrays[f"{name}/characters"] = column.strings.characters
            arrays[f"{name}/ends"] = column.strings.ends
    write(path, arrays)


def read_segment(path: Path, *, thoroughly: bool = False) -> Segment:
    arrays = read(path, thoroughly=thoroughly)
    names = [name.removesuffix("/values") for name in arrays if name.endswith("/values")]
    try:
        columns = {name: _column(arrays, name) for name in names}
        return Segment(arrays["ids"], arrays["accepted_at"], int(arrays["version"][0]), columns)
    except (KeyError, IndexError) as error:
        raise BrokenFileError(f"{path.name} has no {error}.") from error


def write_mask(path: Path, mask: NDArray[np.bool_]) -> None:
    write(path, {"mask": mask})


def read_mask(path: Path, *, thoroughly: bool = False) -> NDArray[np.bool_]:
    try:
        return read(path, thoroughly=thoroughly)["mask"]
    except KeyError as error:
        raise BrokenFileError(f"{path.name} has no mask.") from error


def _column(arrays: Arrays, name: str) -> Column:
    characters = arrays.get(f"{name}/characters")
    return Column(
        arrays[f"{name}/values"],
        arrays.get(f"{name}/rows"),
        arrays.get(f"{name}/present"),
        None if characters is None else Strings(characters, arrays[f"{name}/ends"]),
    )


def _array(mapped: mmap.mmap, kind: str, length: int, place: int) -> NDArray[Any]:
    if kind not in _TYPES:
        raise BrokenFileError(f"An array of {kind} is not ours.")
    return np.frombuffer(mapped, np.dtype(kind), length, place)
