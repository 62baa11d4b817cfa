"""One Spark session for the whole folder: starting the JVM takes longer than most tests."""

import logging
import os
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from spark_jobs import session

# Files of more than 4 kB are read by several tasks, so that rows are numbered across them.
SPLIT = {"spark.sql.files.maxPartitionBytes": "4k", "spark.sql.files.openCostInBytes": "1k"}


@pytest.fixture(scope="package")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    environment = dict(os.environ)
    logging.getLogger("py4j").setLevel(logging.WARNING)  # it takes leave when pytest has closed its streams
    few = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2"}
    started = session.begin(
        "local[2]", memory="1g", scratch=tmp_path_factory.mktemp("scratch"), conf=few | SPLIT
    )
    yield started
    started.stop()
    os.environ.clear()
    os.environ.update(environment)
