"""The nightly job: `python -m spark_jobs.jobs.nightly RUN/job.json`, a process of its own.

Files are looked at, read, judged, deduped and matched; each step leaves Parquet in the run's directory, from
which the next one reads, so that nothing is done twice. What it has done is told on stdout, a JSON object a
line; the last is {"finished": true} or {"failed": "why"}. The manifest comes last.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from matching.feeds.run_layout import DATASETS, EVENTS, FILES, MANIFEST, MATCHES, REJECTS
from spark_jobs import places, session
from spark_jobs.feeds.facts import Facts
from spark_jobs.feeds.landing import Landed, landed
from spark_jobs.feeds.reading import read
from spark_jobs.java import NoJavaError
from spark_jobs.jobs import outcome
from spark_jobs.jobs.job import Job
from spark_jobs.jobs.progress import Stages, say
from spark_jobs.transforms import deduping
from spark_jobs.transforms.bulk_matching import matched
from spark_jobs.transforms.columns import KNOWN, NUMBERED, selected
from spark_jobs.transforms.judging import judged
from spark_jobs.transforms.numbering import numbered
from spark_jobs.transforms.preflighting import preflighted
from spark_jobs.transforms.rejecting import reasons_by_count, rejects

MOST_REASONS = 100
_COST_OF_A_FILE = "spark.sql.files.openCostInBytes"  # what reading another one counts, in bytes
_SCRATCH, _JUDGED, _SUMMARY = "scratch", "judged", "summary"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        say({"failed": "Name one job file, as in: python -m spark_jobs.jobs.nightly RUN/job.json"})
        return 1
    try:
        job = Job.read(Path(arguments[0]))
        Nightly(job).run()
    except Exception as error:  # whoever started us gets a sentence, and stderr has the rest
        say({"failed": _sentence(error)})
        if not isinstance(error, NoJavaError):
            sys.excepthook(type(error), error, error.__traceback__)
        return 1
    say({"finished": True})
    return 0


class Nightly:
    """One run. Its directory may hold what a killed run left there; that is removed first."""

    def __init__(self, job: Job, *, say: Callable[[dict[str, Any]], None] = say) -> None:
        self.job = job
        self._say = say
        self.mapping = job.checked_mapping()
        self.counts: dict[str, int] = {}

    def run(self) -> None:
        job = self.job
        self._clear(*DATASETS, _JUDGED, _SUMMARY, _SCRATCH)
        (job.run / MANIFEST).unlink(missing_ok=True)
        files = landed(job.source)
        spark = session.begin(job.master, memory=job.memory, scratch=job.run / _SCRATCH, conf=job.conf)
        try:
            self.run_on(spark, files)
        finally:
            spark.stop()
            self._clear(_JUDGED, _SUMMARY, _SCRATCH)

    def run_on(self, spark: SparkSession, landing: list[Landed]) -> None:
        """The run on a session that is there."""
        stages = Stages(spark.sparkContext, self._say)
        files = self._preflight(spark, stages, landing)
        self._judge(spark, stages, [each for each in files if each.reason is None])
        self._dedupe(spark, stages)
        if not self.job.dry_run:
            self._match(spark, stages)
        reasons = self._summarise(spark, stages)
        outcome.write_manifest(self.job.run, self._manifest(files, reasons, stages))

    def _preflight(self, spark: SparkSession, stages: Stages, landing: list[Landed]) -> list[Facts]:
        with stages.stage("preflight"):
            limits = self.job.preflight_limits()
            looked = preflighted(spark, landing, limits=limits, form=self.mapping.format)
            looked.write.mode("overwrite").parquet(self._place(FILES))
        facts = outcome.facts_of_files(self.job.run / FILES)
        self.counts["files"] = len(facts)
        self.counts["quarantined"] = sum(each.reason is not None for each in facts)
        return facts

    def _judge(self, spark: SparkSession, stages: Stages, files: list[Facts]) -> None:
        rules = spark.sparkContext.broadcast(self.job.rules())
        with stages.stage("judge") as rows:
            raw = read(spark, self.job.source, files, self.mapping.fields, self.mapping.format)
            seen = Observation("judged")
            is_rejected = F.count(F.when(F.col("reasons").isNotNull(), 1))
            verdicts = judged(raw, rules, self.job.snapshots, rows).observe(
                seen, F.count(F.lit(1)).alias("rows"), is_rejected.alias("rejected")
            )
            verdicts.write.mode("overwrite").parquet(self._place(_JUDGED))
            self.counts |= seen.get
            rejects(numbered(self._read(spark, _JUDGED))).write.mode("overwrite").parquet(
                self._place(REJECTS)
            )

    def _dedupe(self, spark: SparkSession, stages: Stages) -> None:
        with stages.stage("dedupe") as rows:
            good = numbered(self._read(spark, _JUDGED)).where(F.col("reasons").isNull())
            has_revision = self.mapping.has_revision
            decided = deduping.decided(
                good, self._known(spark), has_revision=has_revision, order=self.job.order_of_night()
            )
            seen = Observation("decided")
            counts = (
                F.count(F.when(F.col("decision") == each, 1)).alias(each) for each in deduping.DECISIONS
            )
            kept = decided.observe(seen, *counts).where(F.col("decision") == deduping.EVENT)
            numbered_events = selected(kept.withColumn("number", F.monotonically_increasing_id()), NUMBERED)
            numbered_events.write.mode("overwrite").parquet(self._place(EVENTS))
            found = seen.get
            rows.add(sum(found.values()))
            if refused := found[deduping.CHANGED] + found[deduping.USED_UP]:
                deduping.refused(decided).write.mode("append").parquet(self._place(REJECTS))
        self.counts |= {
            "rejected": self.counts["rejected"] + refused,
            "duplicates": found[deduping.DUPLICATE],
            "repeats": found[deduping.REPEAT],
            "overtaken": found[deduping.OVERTAKEN],
            "events": found[deduping.EVENT],
        }

    def _match(self, spark: SparkSession, stages: Stages) -> None:
        with stages.stage("match") as rows:
            _read_files_one_by_one(spark)
            seen = Observation("matched")
            events, schema = self._read(spark, EVENTS), self.job.schema
            found = matched(events, self.job.snapshots, rows, schema=schema).observe(
                seen, F.coalesce(F.sum(F.size("subscriptions")), F.lit(0)).alias("matches")
            )
            found.write.mode("overwrite").parquet(self._place(MATCHES))
            self.counts |= seen.get

    def _summarise(self, spark: SparkSession, stages: Stages) -> list[dict[str, Any]]:
        with stages.stage("write"):
            counted = reasons_by_count(self._read(spark, REJECTS), most=MOST_REASONS)
            counted.coalesce(1).write.mode("overwrite").parquet(self._place(_SUMMARY))
        reasons = outcome.rows_of(self.job.run / _SUMMARY)
        return sorted(reasons, key=lambda each: -each["count"])

    def _manifest(self, files: list[Facts], reasons: list[dict[str, Any]], stages: Stages) -> dict[str, Any]:
        return {
            "site": self.job.site,
            "date": self.job.date,
            "dry_run": self.job.dry_run,
            "counts": {"matches": 0} | self.counts,
            "rejects_by_reason": reasons,
            "stages": stages.done,
            "quarantined": outcome.quarantined(files),
            "datasets": {name: name for name in DATASETS if (self.job.run / name).exists()},
        }

    def _known(self, spark: SparkSession) -> DataFrame:
        if self.job.known is None:
            return spark.createDataFrame([], KNOWN)
        return spark.read.schema(KNOWN).parquet(places.to_read(self.job.known))

    def _read(self, spark: SparkSession, dataset: str) -> DataFrame:
        return spark.read.parquet(places.to_read(str(self.job.run / dataset)))

    def _place(self, dataset: str) -> str:
        return places.for_spark(str(self.job.run / dataset))

    def _clear(self, *names: str) -> None:
        for name in names:
            shutil.rmtree(self.job.run / name, ignore_errors=True)


def _read_files_one_by_one(spark: SparkSession) -> None:
    """A task that reads several files of events would write matches whose numbers do not ascend."""
    spark.conf.set(_COST_OF_A_FILE, str(spark.conf.get("spark.sql.files.maxPartitionBytes")))
    spark.conf.unset("spark.sql.files.maxPartitionNum")


def _sentence(error: Exception) -> str:
    """Why it failed. Spark tells what a worker raised as the last line of its traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    raised = [line for line in lines if line.split(":")[0].endswith(("Error", "Exception"))]
    if isinstance(error, PySparkException) and raised:
        return raised[-1]
    return lines[0] if lines else type(error).__name__


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
