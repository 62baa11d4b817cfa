"""One row for each item of a run, and none for what was loaded before.

Of the rows with a key the last counts, by file and row. A key is an item's id, together with its revision if
the site numbers revisions; if not, what differs from an item's newest known revision is the next one, unless
the night is not the newest of its site: see `matching.feeds.night_order`.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812

from matching.envelopes import MOST_REVISIONS
from matching.feeds.night_order import Order
from spark_jobs.transforms.columns import EVENTS, KNOWN, REJECTS, selected

EVENT, DUPLICATE, REPEAT, OVERTAKEN = "event", "duplicate", "repeat", "overtaken"
CHANGED, USED_UP = "changed", "used_up"  # these are refused, as they are live
DECISIONS = (EVENT, DUPLICATE, REPEAT, OVERTAKEN, CHANGED, USED_UP)


def decided(
    rows: DataFrame, known: DataFrame, *, has_revision: bool, order: Order = Order.AFTER
) -> DataFrame:
    """EVENTS, KNOWN -> (EVENTS, decision): all rows, each with what is decided on it. One shuffle or two."""
    key = ["external_id", "revision"] if has_revision else ["external_id"]
    latest = Window.partitionBy(*key).orderBy(F.desc("file"), F.desc("row"))
    ranked = selected(rows, EVENTS).withColumn("rank", F.row_number().over(latest))
    newest = _newest_and_all if order is Order.SAME else _newest
    stored = _named(known) if has_revision else newest(known)
    joined = ranked.join(stored, on=key, how="left")
    decision = _by_revision() if has_revision else _by_content(order)
    made = joined.withColumn("decision", F.when(F.col("rank") > 1, DUPLICATE).otherwise(decision))
    next_one = F.least(F.coalesce(F.col("known_revision"), F.lit(0)), F.lit(MOST_REVISIONS - 1)) + 1
    revision = F.col("revision") if has_revision else next_one.cast("int")
    return made.withColumn("revision", revision).select(*EVENTS.names, "decision")


def refused(rows: DataFrame) -> DataFrame:
    """(EVENTS, decision) -> REJECTS, for those that live would refuse for what is stored."""
    message = F.when(
        F.col("decision") == CHANGED,
        F.format_string(
            "Revision %d of '%s' was used for another body.", F.col("revision"), F.col("external_id")
        ),
    ).otherwise(F.format_string("'%s' has the highest revision there can be.", F.col("external_id")))
    told = rows.where(F.col("decision").isin(CHANGED, USED_UP)).select(
        "file",
        "row",
        F.col("document").alias("raw"),
        F.lit(CHANGED).alias("rule"),
        F.lit("").alias("attribute"),
        message.alias("message"),
    )
    return selected(told, REJECTS)


def _by_revision() -> Column:
    is_known, is_same = F.col("known_digest").isNotNull(), F.col("known_digest") == F.col("digest")
    return F.when(~is_known, EVENT).when(is_same, REPEAT).otherwise(CHANGED)


def _by_content(order: Order) -> Column:
    is_known, is_newest = F.col("known_digest").isNotNull(), F.col("known_digest") == F.col("digest")
    is_repeat = F.array_contains("known_digests", F.col("digest")) if order is Order.SAME else is_newest
    is_last = F.col("known_revision") >= MOST_REVISIONS
    return (
        F.when(~is_known, EVENT)
        .when(is_repeat, REPEAT)
        .when(F.lit(order is Order.BEFORE), OVERTAKEN)
        .when(is_last, USED_UP)
        .otherwise(EVENT)
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


def _newest_and_all(known: DataFrame) -> DataFrame:
    """The newest revision of each item, and the digests of all of them."""
    digests = known.groupBy("external_id").agg(F.collect_set("digest").alias("known_digests"))
    return _newest(known).join(digests, on="external_id")
