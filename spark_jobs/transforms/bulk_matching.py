"""Matching by the engine, in batches of Arrow, of events that were coded when they were judged.

With several snapshots, each a shard of the subscriptions, the events are matched by each of them, and what
they find is brought together by the event's number. Files of matches ascend by it, as those of events do:
so whoever needs both reads them side by side, and nothing but numbers goes through this step.
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
        for batch in batches:
            coded = of_column(*(batch.column(name) for name in ("rows", "record", "values")))
            offsets, ids = engine.match_coded(coded)
            found = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int64()))
            yield pa.RecordBatch.from_arrays([batch.column("number"), found], schema=schema)
            rows.add(len(batch))

    of_shard = [F.col("coded")[shard][name].alias(name) for name in names(CODED) if name != "number"]
    numbers = F.col("coded")[shard]["number"].alias("values")
    return events.select("number", *of_shard, numbers).mapInArrow(match, MATCHES)
