"""Rejects: a row for each reason a feed's row was rejected for, and how often each reason was given."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.transforms.columns import REJECTS, selected


def rejects(rows: DataFrame) -> DataFrame:
    """(NUMBER, raw, reasons, ...) -> REJECTS"""
    told = rows.where(F.col("reasons").isNotNull())
    return selected(told.select("file", "row", "raw", F.inline("reasons")), REJECTS)


def reasons_by_count(rejected: DataFrame, *, most: int) -> DataFrame:
    """REJECTS -> (rule, attribute, message, count), the most frequent first; the message is an example."""
    counted = rejected.groupBy("rule", "attribute").agg(
        F.min("message").alias("message"), F.count(F.lit(1)).alias("count")
    )
    return counted.orderBy(F.desc("count"), "rule", "attribute").limit(most)
