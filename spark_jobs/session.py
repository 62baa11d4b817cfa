"""The Spark session of a job: on this machine (`local[*]`) or on a cluster, by changing the master's URL.

Who wants another setting says so in `conf`, which has the last word; only where executors of a cluster find
our code is ours to say, and their archives are added to ours. A session is begun once in a process: the
environment of the process is part of it, since the JVM and the Python workers inherit it.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from spark_jobs.java import check_java
from spark_jobs.packaging import ROOT, archived_code

_ALL_DIFFERENT = ("external_id", "digest", "document", "title", "url", "image_url", "row")
_CODE, _ENVIRONMENT = "code", "environment"
_LOCAL = re.compile(r"local(?:-cluster)?\b")
_CORES = re.compile(r"local\[(\d+|\*)")


def begin(master: str, *, memory: str = "2g", scratch: Path, conf: Mapping[str, str]) -> SparkSession:
    """The session; `scratch` is a directory for what it spills. Raises NoJavaError."""
    check_java()
    scratch.mkdir(parents=True, exist_ok=True)
    chosen = settings(master, memory=memory, scratch=scratch, conf=conf)
    os.environ["PYSPARK_PYTHON"] = chosen.get("spark.pyspark.python", sys.executable)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(_first_ours(os.environ.get("PYTHONPATH")))
    builder = SparkSession.builder.master(master)
    for name, value in chosen.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("WARN")
    return session


def settings(master: str, *, memory: str, scratch: Path, conf: Mapping[str, str]) -> dict[str, str]:
    """What Spark is told."""
    chosen = {
        "spark.app.name": "lesubscribe-nightly",
        "spark.driver.memory": memory,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.caseSensitive": "true",  # sites have fields that differ in case only
        "spark.sql.shuffle.partitions": str(_shuffle_partitions(master)),
        # Tasks of some seconds each: they share the cores evenly, and what is done can be told.
        "spark.sql.files.maxPartitionBytes": "32m",
        "spark.sql.files.openCostInBytes": "32m",  # two files are never one task
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.hadoop.parquet.block.size": str(32 << 20),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "4096",
        # What a run writes is read once or twice, on the same day: speed counts, not size.
        "spark.sql.parquet.compression.codec": "snappy",
        **{f"spark.hadoop.parquet.enable.dictionary#{name}": "false" for name in _ALL_DIFFERENT},
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if not _LOCAL.match(master):
        return chosen | dict(conf) | _for_executors(scratch, conf)
    chosen |= {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(scratch),
    }
    return chosen | dict(conf)


def _for_executors(scratch: Path, conf: Mapping[str, str]) -> dict[str, str]:
    """Our code, and, if `conf` names an archive `...#environment`, a Python with what our code imports."""
    archives = [f"{archived_code(scratch)}#{_CODE}", *filter(None, [conf.get("spark.archives")])]
    chosen = {"spark.archives": ",".join(archives), "spark.executorEnv.PYTHONPATH": f"./{_CODE}"}
    if f"#{_ENVIRONMENT}" in conf.get("spark.archives", ""):
        chosen["spark.pyspark.python"] = f"./{_ENVIRONMENT}/bin/python"
        chosen["spark.pyspark.driver.python"] = sys.executable
    return chosen


def _shuffle_partitions(master: str) -> int:
    cores = _CORES.match(master)
    if cores is None:
        return 4 if _LOCAL.match(master) else 64
    return 4 * ((os.cpu_count() or 1) if cores[1] == "*" else int(cores[1]))


def _first_ours(python_path: str | None) -> list[str]:
    others = python_path.split(os.pathsep) if python_path else []
    return [str(ROOT), *(each for each in others if each != str(ROOT))]
