"""What there is: the segments that hold together, and up to which event and moment they are true. Pure.

It is one small file beside the segments, and the only way to them: what it does not name does not count.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from matching.recent import files
from matching.recent.files import BrokenFileError

FORMAT = 1
_NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """A segment: its file, the file that says which of its events count, and by what to know its last event.

    After a database was restored or replaced, events of the same number are others.
    """

    name: str
    counting: str
    last: int
    digest: str
    last_accepted_at: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """`covered`: events with a number up to this one are in the segments, unless they can never count.

    What changed since `as_of` (the database's time) is not in them; `parked` are events that do not count
    now, and may do so again. `changed_at` is the newest change of an event's state that was known.
    """

    covered: int = 0
    as_of: datetime | None = None
    changed_at: datetime | None = None
    parked: tuple[int, ...] = ()
    segments: tuple[Entry, ...] = ()


def write(folder: Path, manifest: Manifest) -> None:
    document = {"format": FORMAT, **asdict(manifest)}
    files.replace(folder / _NAME, json.dumps(document, default=datetime.isoformat).encode())


def read(folder: Path) -> Manifest | None:
    """None where there is none. Raises BrokenFileError."""
    try:
        return _manifest(json.loads((folder / _NAME).read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BrokenFileError(f"{_NAME} cannot be read: {error}") from error


def is_named(manifest: Manifest, path: Path) -> bool:
    """Whether this file belongs to it, or is the manifest itself."""
    named = {name for entry in manifest.segments for name in (entry.name, entry.counting)}
    return path.name in named | {_NAME}


def _manifest(document: Mapping[str, Any]) -> Manifest:
    if document["format"] != FORMAT:
        raise BrokenFileError(f"{_NAME} has another format.")
    moments = {
        name: None if document[name] is None else datetime.fromisoformat(document[name])
        for name in ("as_of", "changed_at")
    }
    return Manifest(
        covered=int(document["covered"]),
        parked=tuple(map(int, document["parked"])),
        segments=tuple(Entry(**entry) for entry in document["segments"]),
        **moments,
    )
