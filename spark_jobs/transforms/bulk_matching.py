"""Matching by the engine, in batches of Arrow, of events that were coded when they were judged.

With several snapshots, each a shard of the subscriptions, the events are matched by each of them, and what
they find is brought together by the event's number. Files of matches ascend by it, as those of events do:
so whoever needs both reads them side by side, and nothing but numbers goes through this step. An event may
match everybody: so many are matched at once as those before let expect to fit.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

import pyarrow as pa
from pyspark.accumulators import Accumulator
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.snapshots import opened
from spark_jobs.transforms.coding import of_column
from spark_jobs.transforms.columns import CODED, MATCHES, arrow, names, selected

_FIRST, _MOST_EVENTS = 32, 1_024
_WANTED_MATCHES = 2_000_000  # of what is matched at once: 16 MB here, and as much in Java


def matched(events: DataFrame, snapshots: Sequence[str], rows: Accumulator[int]) -> DataFrame:
    """NUMBERED -> MATCHES, a row for each event, also for one that nobody waits for."""
    shards = [_by_shard(events, shard, snapshot, rows) for shard, snapshot in enumerate(snapshots)]
    if len(shards) == 1:
        return shards[0]
    found = reduce(DataFrame.unionByName, shards)
    every = found.groupBy("number").agg(F.flatten(F.collect_list("subscriptions")).alias("subscriptions"))
    return selected(every.repartitionByRange("number").sortWithinPartitions("number"), MATCHES)


def _by_shard(events: DataFrame, shard: int, snapshot: str, rows: Accumulator[int]) -> DataFrame:
    """NUMBERED -> MATCHES with one of the snapshots."""
    schema = arrow(MATCHES)

    def match(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        engine = opened(snapshot)
        sizes = Sizes()
        for batch in batches:
            first = 0
            while first < len(batch):
                some = batch.slice(first, sizes.now)
                coded = of_column(*(some.column(name) for name in ("rows", "record", "values")))
                offsets, ids = engine.match_coded(coded)
                found = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int64()))
                yield pa.RecordBatch.from_arrays([some.column("number"), found], schema=schema)
                sizes.learn(len(ids))
                first += len(some)
            rows.add(len(batch))

    of_shard = [F.col("coded")[shard][name].alias(name) for name in names(CODED) if name != "number"]
    numbers = F.col("coded")[shard]["number"].alias("values")
    return events.select("number", *of_shard, numbers).mapInArrow(match, MATCHES)


class Sizes:
    """How many events to match at once, by how many matches the last ones had."""

    def __init__(self) -> None:
        self.now = _FIRST

    def learn(self, matches: int) -> None:
        fitting = self.now * _WANTED_MATCHES // max(1, matches)
        self.now = max(1, min(fitting, 2 * self.now, _MOST_EVENTS))
