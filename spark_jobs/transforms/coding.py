"""Events in the numbers of the snapshots, as a column: coded when they are judged, matched in the next step.

The column is a list for each event, with an entry for each snapshot; a row without an event has none. The
engine's arrays become Arrow's and back as they are, whole batches at a time.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from matching.engine.batches import CodedEvents, starts_of, together
from matching.engine.engine import Engine
from schema_registry.core.events import Event

Numbers = NDArray[np.int64]


def coded(events: Sequence[Event | None], engines: Sequence[Engine]) -> pa.ListArray:
    """CODED of each event for each engine; None where there is no event."""
    is_there = np.array([event is not None for event in events], np.bool_)
    good = [event for event in events if event is not None]
    entries = pa.concat_arrays([_entries(engine.coded(good)) for engine in engines]) if engines else None
    offsets = np.concatenate(([0], np.cumsum(is_there * len(engines)))).astype(np.int32)
    if entries is None:
        return pa.nulls(len(events))
    by_event = np.arange(len(entries)).reshape(len(engines), -1).T.reshape(-1)  # they are by engine
    mask = pa.array(~is_there)
    return pa.ListArray.from_arrays(pa.array(offsets), entries.take(pa.array(by_event)), mask=mask)


def of_column(rows: pa.Array, record: pa.BinaryArray, number: pa.BinaryArray) -> CodedEvents:
    """What the entries of a snapshot say, together."""
    counts = rows.to_numpy(zero_copy_only=False).astype(np.int64)
    return together(counts, _bytes(record), _bytes(number))


def _entries(events: CodedEvents) -> pa.StructArray:
    record_start, number_start = starts_of(events)
    arrays = [
        pa.array(np.diff(events.row_start).astype(np.int32)),
        _binary(events.record.tobytes(), record_start * events.record.itemsize),
        _binary(events.number.tobytes(), number_start * events.number.itemsize),
    ]
    return pa.StructArray.from_arrays(arrays, ["rows", "record", "number"])


def _binary(data: bytes, start: Numbers) -> pa.BinaryArray:
    buffers = [None, pa.py_buffer(start.astype(np.int32).tobytes()), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(start) - 1, buffers)


def _bytes(column: pa.BinaryArray) -> bytes:
    """Those of all rows. A copy: what the engine reads must be aligned."""
    _validity, offsets, data = column.buffers()
    if data is None:
        return b""
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return memoryview(data)[ends[0] : ends[-1]].tobytes()
