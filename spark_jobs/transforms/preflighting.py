"""The pre-flight of all files of a run: one task for each."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from matching.feeds.mapping import FileFormat
from spark_jobs.feeds.facts import Limits
from spark_jobs.feeds.landing import Landed
from spark_jobs.feeds.preflight import preflight
from spark_jobs.transforms.columns import FILES, arrow


def preflighted(
    spark: SparkSession, files: Sequence[Landed], *, limits: Limits, form: FileFormat
) -> DataFrame:
    """None -> FILES, a row for each file."""

    def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                facts = preflight(files[number], limits=limits, form=form)
                yield pa.RecordBatch.from_pylist([asdict(facts)], schema=arrow(FILES))

    numbers = spark.range(0, len(files), 1, numPartitions=max(len(files), 1))
    return numbers.mapInArrow(look, FILES)
