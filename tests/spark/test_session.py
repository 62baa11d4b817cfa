"""The session: what Spark is told on a machine and on a cluster, and what is said where there is no Java."""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from spark_jobs import session
from spark_jobs.java import NoJavaError, check_java
from tests.running_system import ROOT
from tests.spark.small_site import MAPPING, SCHEMA, item, lines


def nightly(job: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "spark_jobs.jobs.nightly", str(job)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def written_job(directory: Path, **others: object) -> Path:
    source = directory / "source"
    source.mkdir()
    (source / "a.jsonl").write_text(lines([item(1)]))
    document = {
        "site": "small",
        "date": "2026-11-16",
        "source": str(source),
        "run": str(directory),
        "mapping": MAPPING,
        "schema": SCHEMA.to_dict(),
    }
    (directory / "job.json").write_text(json.dumps(document | others))
    return directory / "job.json"


def test_without_java_one_sentence_says_how_to_get_it(tmp_path: Path) -> None:
    without = {name: value for name, value in os.environ.items() if name not in ("PATH", "JAVA_HOME")}
    ended = nightly(written_job(tmp_path), without | {"PATH": str(tmp_path)})
    assert ended.returncode == 1
    (said,) = map(json.loads, ended.stdout.splitlines())
    assert said["failed"].startswith(
        "The nightly job runs on Spark, which needs Java, and there is none here. "
    )
    assert "Install Java 17 or later" in said["failed"]
    assert ended.stderr == ""


def test_an_old_java_is_refused_with_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoJavaError, match="java is version 8"):
        check_java()


def test_a_job_that_cannot_run_says_why_before_spark_is_started(tmp_path: Path) -> None:
    ended = nightly(written_job(tmp_path, mapping={"attributes": {}}), dict(os.environ))
    assert ended.returncode == 1
    assert "external_id: This is required." in json.loads(ended.stdout)["failed"]
    ended = nightly(tmp_path / "no.json", dict(os.environ))
    assert "No such file or directory" in json.loads(ended.stdout)["failed"]


def test_on_this_machine_spark_listens_on_loopback_only(tmp_path: Path) -> None:
    chosen = session.settings("local[3]", memory="2g", scratch=tmp_path, conf={"spark.driver.memory": "1g"})
    assert chosen["spark.driver.host"] == chosen["spark.driver.bindAddress"] == "127.0.0.1"
    assert chosen["spark.sql.shuffle.partitions"] == "12"
    assert chosen["spark.driver.memory"] == "1g"
    assert "spark.archives" not in chosen


def test_executors_of_a_cluster_get_our_code_and_if_wanted_an_environment(tmp_path: Path) -> None:
    environment = {"spark.archives": "hdfs:///environment.tar.gz#environment"}
    chosen = session.settings("spark://head:7077", memory="2g", scratch=tmp_path, conf=environment)
    ours, theirs = chosen["spark.archives"].split(",")
    assert theirs == environment["spark.archives"]
    assert chosen["spark.pyspark.python"] == "./environment/bin/python"
    assert chosen["spark.executorEnv.PYTHONPATH"] == "./code"
    path, _hash, name = ours.rpartition("#")
    assert name == "code"
    with tarfile.open(path) as archive:
        names = archive.getnames()
    assert "spark_jobs/jobs/nightly.py" in names
    assert "matching/engine/kernels.py" in names
    cached = [each for each in names if "__pycache__" in each]
    assert all(each.startswith("matching/engine/__pycache__/kernels-") for each in cached)
    plain = session.settings("spark://head:7077", memory="2g", scratch=tmp_path, conf={})
    assert "spark.pyspark.python" not in plain
