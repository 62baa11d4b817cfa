"""The nightly job on a real cluster: a master and two workers on loopback, from the installed pyspark."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
import pytest

from tests.running_system import ROOT, free_port
from tests.spark.small_site import MAPPING, SCHEMA, item, lines, matched_documents, matching, save_snapshots

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
DEPLOY = "org.apache.spark.deploy"


@contextmanager
def daemon(directory: Path, *arguments: str) -> Iterator[None]:
    environment = dict(os.environ) | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_NO_DAEMONIZE": "1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_WORKER_DIR": str(directory / "work"),
        "SPARK_LOCAL_DIRS": str(directory / "local"),
    }
    environment.pop("PYTHONPATH", None)  # executors must find our code in the archive, or not at all
    with (
        open(directory / "daemons.log", "ab") as log,
        subprocess.Popen(
            [SPARK_CLASS, *arguments], cwd=directory, env=environment, stdout=log, stderr=log
        ) as process,
    ):
        try:
            yield
        finally:
            process.terminate()


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """The URL of a cluster with two workers of a core each."""
    port, page = free_port(), free_port()
    url = f"spark://127.0.0.1:{port}"
    at = ("--host", "127.0.0.1")
    with ExitStack() as stack:
        stack.enter_context(
            daemon(tmp_path, f"{DEPLOY}.master.Master", *at, "--port", str(port), "--webui-port", str(page))
        )
        for _worker in range(2):
            size = ("--cores", "1", "--memory", "1g", "--webui-port", "0")
            stack.enter_context(daemon(tmp_path, f"{DEPLOY}.worker.Worker", *at, *size, url))
        wait_for_workers(f"http://127.0.0.1:{page}/json/", 2)
        yield url


def wait_for_workers(page: str, count: int) -> None:
    deadline = time.monotonic() + 600
    while True:
        try:
            with urllib.request.urlopen(page, timeout=60) as answer:
                if json.load(answer)["aliveworkers"] == count:
                    return
        except OSError:
            pass
        assert time.monotonic() < deadline, "the workers do not come up"
        time.sleep(0.2)


def test_a_night_on_a_cluster_finds_what_the_oracle_finds(master: str, tmp_path: Path) -> None:
    source, run = tmp_path / "source", tmp_path / "run"
    source.mkdir()
    run.mkdir()
    for part in range(4):
        (source / f"{part}.jsonl").write_text(lines([item(part * 50 + number) for number in range(50)]))
    (snapshot,) = save_snapshots(tmp_path)
    job = {
        "site": "small",
        "date": "2026-11-16",
        "source": str(source),
        "run": str(run),
        "mapping": MAPPING,
        "schema": SCHEMA.to_dict(),
        "snapshots": [f"file://{snapshot}"],
        "master": master,
        "memory": "512m",
        "conf": {
            "spark.driver.host": "127.0.0.1",
            "spark.executor.memory": "512m",
            "spark.sql.shuffle.partitions": "2",
            # Else one worker might do it all before the other has started.
            "spark.cores.max": "2",
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.scheduler.maxRegisteredResourcesWaitingTime": "600s",
        },
    }
    (run / "job.json").write_text(json.dumps(job))
    command = [sys.executable, "-m", "spark_jobs.jobs.nightly", str(run / "job.json")]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert json.loads(ended.stdout.splitlines()[-1]) == {"finished": True}, ended.stderr
    found = matched_documents(run)
    assert len(found) == 200
    assert [each for _document, each in found] == [
        matching(json.loads(document)) for document, _each in found
    ]
    assert len(list((tmp_path / "work").glob("app-*/*/code/spark_jobs"))) == 2
    left = {path.name for path in run.iterdir()}
    assert left == {"job.json", "files", "rejects", "events", "matches", "_MANIFEST.json"}
