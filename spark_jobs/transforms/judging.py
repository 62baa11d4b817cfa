"""Judging rows by the shared core, in batches of Arrow: the mapping, the envelope, the schema.

The judge is made once in a Python worker. A row is judged as live publications are, so that both have the
same verdict and the same words for it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from pyspark import Broadcast
from pyspark.accumulators import Accumulator
from pyspark.sql import DataFrame

from matching.engine.engine import Engine
from matching.feeds.judging import Judge
from matching.feeds.judging import corrupt as corrupt_line
from matching.feeds.mapping import FeedMapping
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema
from spark_jobs.snapshots import opened
from spark_jobs.transforms.coding import coded
from spark_jobs.transforms.columns import JUDGED, arrow, names

MOST_OF_A_RAW_ROW = 20_000
_MOST_OF_A_FIELD = 500


def judged(
    frame: DataFrame, rules: Broadcast[str], snapshots: Sequence[str], rows: Accumulator[int]
) -> DataFrame:
    """(path, block, corrupt, raw) -> JUDGED, a row for each. `rules` is JSON: {"mapping", "schema"}.

    Good ones are coded for these snapshots.
    """

    def judge(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        verdicts = _Verdicts(_judge(rules.value), [opened(each) for each in snapshots])
        for batch in batches:
            rows.add(len(batch))
            yield verdicts.of(batch)

    return frame.select("path", "block", "corrupt", "raw").mapInArrow(judge, JUDGED)


@lru_cache(maxsize=2)
def _judge(rules: str) -> Judge:
    documents = json.loads(rules)
    return Judge(FeedMapping.from_dict(documents["mapping"]), Schema.from_dict(documents["schema"]))


class _Verdicts:
    """The verdicts on a partition's rows, which come in the order of their files."""

    def __init__(self, judge: Judge, engines: Sequence[Engine]) -> None:
        self._judge = judge
        self._engines = engines
        self._place: tuple[str, int] | None = None
        self._position = 0

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        found: dict[str, list[Any]] = {name: [] for name in names(JUDGED) if name != "coded"}
        events: list[Event | None] = []
        places = (batch.column(name).to_pylist() for name in ("path", "block"))
        rows = (_rows(batch.column("raw")), _texts(batch.column("corrupt")))
        for path, block, raw, corrupt in zip(*places, *rows, strict=True):
            verdict = self._verdict(corrupt, raw) | self._where(path, block)
            events.append(verdict.pop("event", None))
            for name, values in found.items():
                values.append(verdict.get(name))
        schema = arrow(JUDGED)
        arrays = {
            field.name: pa.array(found[field.name], field.type) for field in schema if field.name in found
        }
        arrays["coded"] = coded(events, self._engines).cast(schema.field("coded").type)
        return pa.RecordBatch.from_arrays([arrays[name] for name in schema.names], schema=schema)

    def _where(self, path: str, block: int) -> dict[str, Any]:
        if (path, block) != self._place:
            self._place, self._position = (path, block), 0
        self._position += 1
        return {"file": unquote(path.rpartition("/")[2]), "block": block, "position": self._position}

    def _verdict(self, corrupt: str | None, raw: Mapping[str, str | None]) -> dict[str, Any]:
        if corrupt is not None:
            raw_line = json.dumps(_shortened(corrupt, MOST_OF_A_RAW_ROW), ensure_ascii=False)
            return {"raw": raw_line, "reasons": [corrupt_line()._asdict()]}
        verdict = self._judge.judge(raw)
        if isinstance(verdict, list):
            return {"raw": _told(raw), "reasons": [reason._asdict() for reason in verdict]}
        return {
            "external_id": verdict.external_id,
            "revision": verdict.revision,
            "digest": verdict.digest,
            "schema_version": verdict.schema_version,
            "document": verdict.document,
            "title": verdict.title,
            "url": verdict.url,
            "image_url": verdict.image_url,
            "ends_at": verdict.ends_at,
            "event": verdict.event,
        }


def _rows(column: pa.StructArray) -> list[Mapping[str, str | None]]:
    """The rows of a batch. Where Parquet has strings that are none, what cannot be read is marked as such."""
    try:
        rows: list[Mapping[str, str | None]] = column.to_pylist()
    except UnicodeDecodeError:
        names = [field.name for field in column.type]
        by_field = [list(_texts(each)) for each in column.flatten()]
        rows = [dict(zip(names, cells, strict=True)) for cells in zip(*by_field, strict=True)]
    return rows


def _texts(column: pa.StringArray) -> Iterator[str | None]:
    """Spark passes a line that it could not read on as it is, also bytes that are no text."""
    for line in column.cast(pa.binary()).to_pylist():
        yield None if line is None else line.decode(errors="replace")


def _told(raw: Mapping[str, str | None]) -> str:
    """The row as JSON, for people: a reject has it for each of its reasons, so it must not be large."""
    present = {name: value for name, value in raw.items() if value is not None}
    text = json.dumps(present, ensure_ascii=False)
    if len(text) <= MOST_OF_A_RAW_ROW:
        return text
    return json.dumps({name: _shortened(value, _MOST_OF_A_FIELD) for name, value in present.items()})


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
