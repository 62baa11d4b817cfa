"""Matching by the engine, in batches of Arrow, of events that were coded when they were judged.

With several snapshots, each a shard of the subscriptions, the events are matched by each of them, and what
they find is brought together by the event's number. Files of matches ascend by it, as those of events do:
so whoever needs both reads them side by side, and nothing but numbers goes through this step. An event may
match everybody: so many are matched at once as those before let expect to fit.

Where subscriptions of a snapshot call operators, the documents of the events come along, and those that are
candidates are read. Operators are evaluated in the Python workers, whose ends their processes follow.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, overload

import pyarrow as pa
from pyspark.accumulators import Accumulator
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from spark_jobs.snapshots import has_operators, opened
from spark_jobs.transforms.coding import of_column
from spark_jobs.transforms.columns import CODED, MATCHES, arrow, names, selected

_FIRST, _MOST_EVENTS = 32, 1_024
_WANTED_MATCHES = 2_000_000  # of what is matched at once: 16 MB here, and as much in Java


def matched(
    events: DataFrame, snapshots: Sequence[str], rows: Accumulator[int], *, schema: Mapping[str, Any]
) -> DataFrame:
    """NUMBERED -> MATCHES, a row for each event, also for one that nobody waits for.

    `schema` is the document of that by which the events were judged.
    """
    rules = json.dumps(schema)
    shards = [_by_shard(events, shard, snapshot, rows, rules) for shard, snapshot in enumerate(snapshots)]
    if len(shards) == 1:
        return shards[0]
    found = reduce(DataFrame.unionByName, shards)
    every = found.groupBy("number").agg(F.flatten(F.collect_list("subscriptions")).alias("subscriptions"))
    return selected(every.repartitionByRange("number").sortWithinPartitions("number"), MATCHES)


def _by_shard(events: DataFrame, shard: int, snapshot: str, rows: Accumulator[int], rules: str) -> DataFrame:
    """NUMBERED -> MATCHES with one of the snapshots."""
    schema = arrow(MATCHES)
    documents = [F.col("document")] if has_operators(snapshot) else []
    rules = rules if documents else ""  # what is not needed does not travel

    def match(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        engine = opened(snapshot)
        sizes = Sizes()
        for batch in batches:
            first = 0
            while first < len(batch):
                some = batch.slice(first, sizes.now)
                coded = of_column(*(some.column(name) for name in ("rows", "record", "values")))
                offsets, ids = engine.match_coded(coded)
                if rules:
                    events = _Documents(some.column("document"), _schema(rules))
                    offsets, ids = engine.operators.decided_many(events, offsets, ids)
                found = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(ids, pa.int64()))
                yield pa.RecordBatch.from_arrays([some.column("number"), found], schema=schema)
                sizes.learn(len(ids))
                first += len(some)
            rows.add(len(batch))

    of_shard = [F.col("coded")[shard][name].alias(name) for name in names(CODED) if name != "number"]
    numbers = F.col("coded")[shard]["number"].alias("values")
    return events.select("number", *of_shard, numbers, *documents).mapInArrow(match, MATCHES)


@lru_cache(maxsize=2)
def _schema(rules: str) -> Schema:
    return Schema.from_dict(json.loads(rules))


class _Documents(Sequence[Event]):
    """The events of a batch, each read when it is asked for."""

    def __init__(self, documents: pa.StringArray, schema: Schema) -> None:
        self._documents = documents
        self._schema = schema

    def __len__(self) -> int:
        return len(self._documents)

    @overload
    def __getitem__(self, place: int) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Event]: ...
    def __getitem__(self, place: int | slice) -> Event | Sequence[Event]:
        if isinstance(place, slice):
            return _Documents(self._documents[place], self._schema)
        return self._schema.validate(json.loads(self._documents[place].as_py()))


class Sizes:
    """How many events to match at once, by how many matches the last ones had."""

    def __init__(self) -> None:
        self.now = _FIRST

    def learn(self, matches: int) -> None:
        fitting = self.now * _WANTED_MATCHES // max(1, matches)
        self.now = max(1, min(fitting, 2 * self.now, _MOST_EVENTS))
