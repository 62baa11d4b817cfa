"""What Spark has computed in a run's directory: the matches of its events, and the manifest, written last.

Matches are read a few rows at a time, so that memory does not grow with the run.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

MANIFEST = "_MANIFEST.json"
MATCHES = "matches"
_FIELDS = (
    "external_id",
    "revision",
    "digest",
    "schema_version",
    "document",
    "title",
    "url",
    "image_url",
    "ends_at",
)
_SUBSCRIPTIONS = "subscriptions"


@dataclass(frozen=True, slots=True)
class ComputedEvent:
    """An event of the run, and the subscriptions that it matched as they were in the run's snapshot."""

    external_id: str
    revision: int
    digest: str
    schema_version: int
    document: str
    title: str
    url: str
    image_url: str
    ends_at: datetime | None
    subscriptions: NDArray[np.int64]


def manifest(run: Path) -> dict[str, Any] | None:
    """What the run says of itself, if it is complete."""
    try:
        read = json.loads((run / MANIFEST).read_text())
    except (OSError, ValueError):
        return None
    return read if isinstance(read, dict) and isinstance(read.get("counts"), dict) else None


def events(run: Path, *, at_once: int, most_matches: int) -> Iterator[list[ComputedEvent]]:
    """So many at a time, or fewer if they have so many matches together; always in the same order."""
    for path in sorted((run / MATCHES).rglob("*.parquet")):
        if path.name.startswith(("_", ".")):
            continue
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(at_once, columns=[*_FIELDS, _SUBSCRIPTIONS], use_threads=False):
                yield from _portions(_events(batch), most_matches)


def _portions(events: Sequence[ComputedEvent], most_matches: int) -> Iterator[list[ComputedEvent]]:
    """At least one each."""
    portion: list[ComputedEvent] = []
    size = 0
    for event in events:
        size += len(event.subscriptions)
        if portion and size > most_matches:
            yield portion
            portion, size = [], len(event.subscriptions)
        portion.append(event)
    if portion:
        yield portion


def _events(batch: pa.RecordBatch) -> list[ComputedEvent]:
    *fields, ends = (batch.column(name).to_pylist() for name in _FIELDS)
    moments = [None if each is None else datetime.fromisoformat(each) for each in ends]
    return [
        ComputedEvent(*row)
        for row in zip(*fields, moments, _lists(batch.column(_SUBSCRIPTIONS)), strict=True)
    ]


def _lists(column: Any) -> Iterator[NDArray[np.int64]]:
    """The lists of a column without a copy; no list at all is an empty one."""
    ids = column.values.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    starts = column.offsets.to_numpy()
    for place, is_there in enumerate(column.is_valid().to_pylist()):
        yield ids[starts[place] : starts[place + 1]] if is_there else ids[:0]
