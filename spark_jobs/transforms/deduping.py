"""One row for each item of a run, and none for what was loaded before.

Of the rows with a key the last counts, by file and row. A key is an item's id, together with its revision if
the site numbers revisions; if not, what differs from an item's newest known revision is the next one.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from spark_jobs.transforms.columns import EVENTS, KNOWN, REJECTS, selected

EVENT, DUPLICATE, REPEAT, CHANGED = "event", "duplicate", "repeat", "changed"


def decided(rows: DataFrame, known: DataFrame, *, has_revision: bool) -> DataFrame:
    """EVENTS, KNOWN -> (EVENTS, decision): all rows, each with what is decided on it. One shuffle or two."""
    key = ["external_id", "revision"] if has_revision else ["external_id"]
    latest = Window.partitionBy(*key).orderBy(F.desc("file"), F.desc("row"))
    ranked = selected(rows, EVENTS).withColumn("rank", F.row_number().over(latest))
    stored = _named(known) if has_revision else _newest(known)
    joined = ranked.join(stored, on=key, how="left")
    revision = F.col("revision") if has_revision else F.coalesce(F.col("known_revision"), F.lit(0)) + 1
    made = joined.withColumn("revision", revision.cast("int"))
    return made.select(*EVENTS.names, _decision(has_revision=has_revision).alias("decision"))


def changed(rows: DataFrame) -> DataFrame:
    """(EVENTS, decision) -> REJECTS, for those whose revision is known with other content."""
    message = F.format_string(
        "Revision %d of '%s' was used for another body.", F.col("revision"), F.col("external_id")
    )
    told = rows.where(F.col("decision") == CHANGED).select(
        "file",
        "row",
        F.col("document").alias("raw"),
        F.lit(CHANGED).alias("rule"),
        F.lit("").alias("attribute"),
        message.alias("message"),
    )
    return selected(told, REJECTS)


def _decision(*, has_revision: bool) -> Column:
    other = CHANGED if has_revision else EVENT
    return (
        F.when(F.col("rank") > 1, DUPLICATE)
        .when(F.col("known_digest").isNull(), EVENT)
        .when(F.col("known_digest") == F.col("digest"), REPEAT)
        .otherwise(other)
    )


def _named(known: DataFrame) -> DataFrame:
    return selected(known, KNOWN).select(
        "external_id",
        "revision",
        F.lit(None).cast("int").alias("known_revision"),
        F.col("digest").alias("known_digest"),
    )


def _newest(known: DataFrame) -> DataFrame:
    newest = F.max(F.struct("revision", "digest"))
    return (
        selected(known, KNOWN)
        .groupBy("external_id")
        .agg(newest.alias("newest"))
        .select(
            "external_id",
            F.col("newest.revision").alias("known_revision"),
            F.col("newest.digest").alias("known_digest"),
        )
    )
