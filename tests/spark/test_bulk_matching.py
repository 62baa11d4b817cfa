"""Matching in Spark beyond one snapshot on this machine: shards, snapshots by URL, and what goes wrong."""

import json
from pathlib import Path

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession

from matching.engine.engine import Engine
from spark_jobs.transforms.bulk_matching import matched
from spark_jobs.transforms.coding import coded
from spark_jobs.transforms.columns import NUMBERED
from tests.spark.small_site import SCHEMA, matching, save_snapshots

DOCUMENTS = [
    {"event_type": ["lot"], "category": kind, "price": price, "title": title}
    for kind in ("art", "prints", "paintings")
    for price in (10, 500, 950)
    for title in ("A cat", "A dog")
]


def events(spark: SparkSession, snapshots: list[str]) -> DataFrame:
    """The documents, coded for these snapshots."""
    valid = [SCHEMA.validate(document) for document in DOCUMENTS]
    by_event = coded(valid, [Engine.open(snapshot) for snapshot in snapshots]).to_pylist()
    rows = [
        (row, "a.jsonl", row, "id", 1, "digest", 3, json.dumps(document), "", "", "", None, each)
        for row, (document, each) in enumerate(zip(DOCUMENTS, by_event, strict=True), start=1)
    ]
    return spark.createDataFrame(rows, NUMBERED)


def found(frame: DataFrame) -> list[list[int]]:
    return [sorted(row.subscriptions) for row in frame.orderBy("number").collect()]


def test_shards_of_the_subscriptions_together_find_what_one_snapshot_finds(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.sparkContext.accumulator(0)
    snapshots = save_snapshots(tmp_path, shards=3)
    together = matched(events(spark, snapshots), snapshots, rows, schema=SCHEMA.to_dict())
    assert found(together) == [matching(document) for document in DOCUMENTS]
    assert rows.value == 3 * len(DOCUMENTS)
    assert together.columns == ["number", "subscriptions"]


def test_a_snapshot_may_lie_on_shared_storage(spark: SparkSession, tmp_path: Path) -> None:
    (snapshot,) = save_snapshots(tmp_path)
    rows = spark.sparkContext.accumulator(0)
    by_url = matched(events(spark, [snapshot]), [f"file://{snapshot}"], rows, schema=SCHEMA.to_dict())
    assert found(by_url) == [matching(document) for document in DOCUMENTS]


def test_a_snapshot_that_is_not_there_is_named(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.sparkContext.accumulator(0)
    ours = events(spark, save_snapshots(tmp_path))
    with pytest.raises(PythonException, match="There is no snapshot in"):
        matched(ours, [str(tmp_path / "none")], rows, schema=SCHEMA.to_dict()).count()
