"""What a publisher sends, and how many of them are cut into batches.

A batch is repeated as a whole when its answer is lost. Its lines are then known by their content, which holds
only for the newest revision of an item; so an item that comes again without a number begins a new batch.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Required, TypedDict

# Below a megabyte the server does not mind how well lines compress.
MOST_BYTES = 900_000


class Details(TypedDict, total=False):
    """How people see the item, and which revision it is."""

    title: str
    url: str
    image_url: str
    ends_at: datetime
    revision: int
    view: str


class Envelope(Details, total=False):
    external_id: Required[str]
    event: Required[Mapping[str, Any]]


class Batch:
    def __init__(self) -> None:
        self.names: list[str] = []
        self.lines: list[bytes] = []
        self._bytes = 0
        self._unnumbered: set[str] = set()

    def add(self, envelope: Envelope, line: bytes) -> None:
        self.names.append(envelope["external_id"])
        self.lines.append(line)
        self._bytes += len(line) + 1
        if envelope.get("revision") is None:
            self._unnumbered.add(envelope["external_id"])

    def has_room_for(self, envelope: Envelope, line: bytes) -> bool:
        return self._bytes + len(line) < MOST_BYTES and envelope["external_id"] not in self._unnumbered


def batches(envelopes: Iterable[Envelope], *, most: int) -> Iterator[Batch]:
    """In order, with at most so many lines each, and one at least."""
    batch = Batch()
    for envelope in envelopes:
        line = json.dumps(envelope, default=_moment).encode()
        if batch.lines and (len(batch.lines) >= most or not batch.has_room_for(envelope, line)):
            yield batch
            batch = Batch()
        batch.add(envelope, line)
    if batch.lines:
        yield batch


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{value!r} cannot be sent: it is neither JSON nor a moment.")
