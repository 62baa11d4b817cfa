"""The number of a row in its file, though several tasks read parts of the file at once.

A task knows how manieth a row is in its part. How many rows the parts before it have is counted afterwards,
and joined as a table of a few rows per file: the rows themselves stay where they are.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812


def numbered(frame: DataFrame) -> DataFrame:
    """(PLACE, ...) -> (file, row, ...): `row` counts the records of a file from 1. Two scans of the frame."""
    parts = frame.groupBy("file", "block").agg(F.max("position").alias("rows"))
    before = Window.partitionBy("file").orderBy("block").rowsBetween(Window.unboundedPreceding, -1)
    offsets = parts.select("file", "block", F.coalesce(F.sum("rows").over(before), F.lit(0)).alias("offset"))
    rest = [name for name in frame.columns if name not in ("file", "block", "position")]
    return frame.join(F.broadcast(offsets), on=["file", "block"], how="inner").select(
        "file", (F.col("offset") + F.col("position")).alias("row"), *rest
    )
