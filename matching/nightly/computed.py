"""What Spark has computed in a run's directory: events, their matches, and the manifest, written last.

Both have the event's number, which ascends through their files, from the one with the lowest to the last. So
they are read side by side, a few rows at a time, and memory does not grow with the run.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from matching.feeds.run_layout import EVENTS, MANIFEST, MATCHES

_NUMBER = "number"
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


def forget_manifest(run: Path) -> None:
    """As if it had not been computed."""
    (run / MANIFEST).unlink(missing_ok=True)


class UnusableFilesError(Exception):
    """Events and matches that cannot be read, are not of the same run, or not all of it."""


def events(run: Path, *, at_once: int, most_matches: int) -> Iterator[list[ComputedEvent]]:
    """So many at a time, or fewer if they have so many matches together; always in the same order.

    Raises UnusableFilesError; if files are missing, before the first event.
    """
    try:
        _check_rows(run)
        matches = _matches(run, at_once)
        for batch in _batches(run / EVENTS, [_NUMBER, *_FIELDS], at_once):
            yield from _portions(_events(batch, matches), most_matches)
        if next(matches, None) is not None:
            raise UnusableFilesError(f"{run} has matches of events that it does not have.")
    except (pa.ArrowException, OSError) as error:
        raise UnusableFilesError(f"{type(error).__name__}: {error}") from error


def _check_rows(run: Path) -> None:
    told = manifest(run)
    if told is None:
        return
    for dataset in (EVENTS, MATCHES):
        rows = sum(pq.read_metadata(path).num_rows for path in _files(run / dataset))
        if rows != told["counts"].get("events", rows):
            raise UnusableFilesError(f"{run / dataset} has {rows:,} rows, not as many as there are events.")


def _matches(run: Path, at_once: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    for batch in _batches(run / MATCHES, [_NUMBER, _SUBSCRIPTIONS], at_once):
        numbers = batch.column(_NUMBER).to_pylist()
        yield from zip(numbers, _lists(batch.column(_SUBSCRIPTIONS)), strict=True)


def _batches(dataset: Path, columns: list[str], at_once: int) -> Iterator[pa.RecordBatch]:
    """The rows of all files, by their number: each file has a range of it to itself, and ascends."""
    for path in sorted(filter(_has_rows, _files(dataset)), key=_lowest_number):
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(at_once, columns=columns, use_threads=False)


def _files(dataset: Path) -> list[Path]:
    return [path for path in dataset.glob("*.parquet") if not path.name.startswith(("_", "."))]


def _has_rows(path: Path) -> bool:
    return bool(pq.read_metadata(path).num_rows)


def _lowest_number(path: Path) -> int:
    with pq.ParquetFile(path) as file:
        first = next(file.iter_batches(1, columns=[_NUMBER], use_threads=False))
    number: int = first.column(_NUMBER)[0].as_py()
    return number


def _portions(events: Iterable[ComputedEvent], most_matches: int) -> Iterator[list[ComputedEvent]]:
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


def _events(
    batch: pa.RecordBatch, matches: Iterator[tuple[int, NDArray[np.int64]]]
) -> Iterator[ComputedEvent]:
    numbers = batch.column(_NUMBER).to_pylist()
    *fields, ends = (batch.column(name).to_pylist() for name in _FIELDS)
    moments = [None if each is None else datetime.fromisoformat(each) for each in ends]
    for number, row in zip(numbers, zip(*fields, moments, strict=True), strict=True):
        matched, subscriptions = next(matches, (None, None))
        if matched != number or subscriptions is None:
            raise UnusableFilesError(f"Event {number} comes with the matches of {matched}.")
        yield ComputedEvent(*(*row, subscriptions))


def _lists(column: Any) -> Iterator[NDArray[np.int64]]:
    """The lists of a column without a copy; no list at all is an empty one."""
    ids = column.values.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    starts = column.offsets.to_numpy()
    for place, is_there in enumerate(column.is_valid().to_pylist()):
        yield ids[starts[place] : starts[place + 1]] if is_there else ids[:0]
