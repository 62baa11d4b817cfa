"""Matching by the engine, in batches of Arrow: each Python worker maps the snapshots, which share one memory.

With several snapshots, each a shard of the subscriptions, the events are matched by each of them, and what
they find is brought together by the event's number. Files of matches ascend by it, as those of events do:
so whoever needs both reads them side by side, and nothing but numbers goes through this step.
"""

import gc
import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, reduce
from pathlib import Path

import pyarrow as pa
from pyarrow import fs
from pyspark import SparkFiles
from pyspark.accumulators import Accumulator
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from matching.engine.engine import Engine
from matching.engine.snapshots import MANIFEST
from matching.feeds.packing import unpacked
from spark_jobs import places
from spark_jobs.transforms.columns import MATCHES, arrow, selected


def matched(events: DataFrame, snapshots: Sequence[str], rows: Accumulator[int]) -> DataFrame:
    """NUMBERED -> MATCHES, a row for each event, also for one that nobody waits for."""
    narrow = events.select("number", "packed")
    if len(snapshots) == 1:
        return _by_shard(narrow, snapshots[0], rows)
    found = reduce(DataFrame.unionByName, (_by_shard(narrow, each, rows) for each in snapshots))
    together = found.groupBy("number").agg(F.flatten(F.collect_list("subscriptions")).alias("subscriptions"))
    return selected(together.repartitionByRange("number").sortWithinPartitions("number"), MATCHES)


def _by_shard(events: DataFrame, snapshot: str, rows: Accumulator[int]) -> DataFrame:
    """(number, packed) -> MATCHES."""
    schema = arrow(MATCHES)

    def match(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        engine = opened(snapshot)
        with no_collection():
            for batch in batches:
                found = subscriptions(engine, batch.column("packed"))
                yield pa.RecordBatch.from_arrays([batch.column("number"), found], schema=schema)
                rows.add(len(batch))

    return events.mapInArrow(match, MATCHES)


def subscriptions(engine: Engine, events: pa.BinaryArray) -> pa.ListArray:
    """The ids of the subscriptions that match each packed event; the engine's arrays become Arrow's."""
    offsets, ids = engine.match_ids_many(unpacked(event, engine.schema) for event in events.to_pylist())
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int64()))


@contextmanager
def no_collection() -> Iterator[None]:
    """Python's search for cycles is off: events have none, and looking for them took a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@lru_cache(maxsize=8)
def opened(snapshot: str) -> Engine:
    """The engine of a snapshot, once in a Python worker."""
    path = _fetched(snapshot) if places.is_url(snapshot) else Path(snapshot)
    return Engine.open(path, merging="when asked")


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
