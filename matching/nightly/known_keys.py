"""The keys of a publisher's events that are stored, as Parquet, so that a run knows what is a repeat.

Read in the order of the unique key, a batch after the other: memory does not grow with the number of events,
and nothing is held open meanwhile, which would keep others from writing to SQLite's files for long.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from django.db import connection

FILE = "keys.parquet"
ROWS_AT_ONCE = 20_000
_SCHEMA = pa.schema([("external_id", pa.string()), ("revision", pa.int32()), ("digest", pa.string())])
_NEXT = """
    SELECT external_id, revision, digest FROM matching_publishedevent
    WHERE publisher_id = %s AND (external_id, revision) > (%s, %s)
    ORDER BY external_id, revision LIMIT %s"""
Key = tuple[str, int, str]


def export(publisher: int, folder: Path, *, all_revisions: bool) -> int:
    """Write the newest key of each item, or all of them, into the folder; how many. O(events).

    All are needed where the feed itself names revisions, since it may name any of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keys = _keys(publisher)
    count = 0
    with pq.ParquetWriter(folder / f"{FILE}.tmp", _SCHEMA) as writer:
        for some in keys if all_revisions else _newest(keys):
            writer.write_batch(pa.record_batch(list(map(list, zip(*some, strict=True))), schema=_SCHEMA))
            count += len(some)
    (folder / f"{FILE}.tmp").rename(folder / FILE)
    return count


def _keys(publisher: int) -> Iterator[list[Key]]:
    """Batches in the order of the unique key; none is empty."""
    last = ("", 0)
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_NEXT, [publisher, *last, ROWS_AT_ONCE])
            rows = cursor.fetchall()
        if not rows:
            return
        yield rows
        last = rows[-1][:2]


def _newest(batches: Iterator[list[Key]]) -> Iterator[list[Key]]:
    """Of each item the last one; whether a batch ends with it, only the next one tells."""
    waiting: list[Key] = []
    for batch in batches:
        rows = waiting + batch
        newest = [row for row, after in pairwise(rows) if row[0] != after[0]]
        waiting = rows[-1:]
        if newest:
            yield newest
    if waiting:
        yield waiting
