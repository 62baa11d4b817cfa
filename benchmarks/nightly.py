"""What a night costs: `python -m benchmarks.nightly [--rows N ...] [--subscriptions N] [--json FILE]`.

A feed with its usual dirt is read, judged, deduped and matched by Spark on this machine, in growing sizes,
each in a process of its own. Beside it, in the same run, the engine alone matches events of the same feed by
`match_many`: what the matching stage reaches of that rate, times the cores, is what Spark leaves of it.
Events are coded when they are judged, so a second share counts the time that coding them takes to the stage.
Memory is what all processes of Spark have together at the worst moment, shared pages counted once.
"""

import argparse
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import psutil
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks import machine
from benchmarks.ready import ready_engine
from matching import workloads
from matching.engine.engine import Engine
from schema_registry.core.events import Event
from spark_jobs.feeds import generator

ROWS = (100_000, 300_000, 1_000_000)
SUBSCRIPTIONS = 1_000_000
WORKLOAD = "auction"
MATCHED_ALONE = 40_000  # events
BATCH = 4_096
TURNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--subscriptions", type=int, default=SUBSCRIPTIONS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", default="2g", help="of Spark's Java (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory(prefix="nightly-benchmark-") as scratch, console.status("") as status:
        root = Path(scratch)
        snapshot = root / "snapshot"
        _save_subscriptions(snapshot, options.subscriptions, options.seed, status.update)
        rows = []
        for number in options.rows:
            rows.append(_night(root / str(number), number, snapshot, options, status.update))
            console.print(_line(rows[-1]))
    console.print(_table(rows))
    if options.json:
        report = {
            "subscriptions": options.subscriptions,
            "seed": options.seed,
            "machine": machine.description(),
            "rows": rows,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n")


def _save_subscriptions(snapshot: Path, count: int, seed: int, say: Any) -> None:
    workload = workloads.create(WORKLOAD, seed=seed)
    engine = ready_engine(workload, count, lambda stage, _: say(f"subscriptions: {stage}"))
    engine.save(snapshot)


def _night(
    directory: Path, number: int, snapshot: Path, options: argparse.Namespace, say: Any
) -> dict[str, Any]:
    from lesubscribe.nightly import spark  # it reads Django's settings

    say(f"{number:,} rows: writing the feed")
    feed = generator.Feed(rows=number, seed=options.seed, world=options.seed)
    for _ in feed.write(directory / "feed"):
        pass
    run = directory / "run"
    run.mkdir()
    workload = workloads.create(WORKLOAD, seed=options.seed)
    job = {
        "site": "benchmark",
        "date": "2026-11-17",
        "source": str(directory / "feed"),
        "run": str(run),
        "mapping": generator.mapping(),
        "schema": workload.schema.to_dict(),
        "snapshots": [str(snapshot)],
        "known": None,
        "memory": options.memory,
    }
    (run / "job.json").write_text(json.dumps(job))
    began = perf_counter()
    with _largest_memory() as memory:
        spark.compute(run, on_progress=lambda each: say(f"{number:,} rows: {each.stage} {each.rows:,}"))
    seconds = perf_counter() - began
    manifest = json.loads((run / "_MANIFEST.json").read_text())
    say(f"{number:,} rows: the engine alone")
    alone, coding = _alone(snapshot, run)
    stages = {stage["name"]: stage["seconds"] for stage in manifest["stages"]}
    events = manifest["counts"]["events"]
    cores = len(os.sched_getaffinity(0))
    with_coding = stages["match"] + events * coding / cores
    return {
        "rows": number,
        "counts": manifest["counts"],
        "seconds": round(seconds, 1),
        "stages": stages,
        "match_per_second": events / stages["match"],
        "engine_per_second": alone,
        "cores": cores,
        "share_of_engine": events / stages["match"] / (alone * cores),
        "share_with_coding": events / with_coding / (alone * cores),
        "memory_gb": round(memory["largest"] / 1e9, 2),
    }


def _alone(snapshot: Path, run: Path) -> tuple[float, float]:
    """In one thread, the best of some turns: events per second of `match_many`, and seconds to code one."""
    engine = Engine.open(snapshot, merging="when asked")
    events = [engine.schema.validate(json.loads(each)) for each in islice(_documents(run), MATCHED_ALONE)]
    batches = [events[first : first + BATCH] for first in range(0, len(events), BATCH)]
    matching = min(_seconds(engine.match_many, batches) for _turn in range(TURNS))
    coding = min(_seconds(engine.coded, batches) for _turn in range(TURNS))
    return len(events) / matching, coding / len(events)


def _seconds(work: Callable[[list[Event]], object], batches: list[list[Event]]) -> float:
    began = perf_counter()
    for batch in batches:
        work(batch)
    return perf_counter() - began


def _documents(run: Path) -> Iterator[str]:
    for path in sorted((run / "events").glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(BATCH, columns=["document"]):
            yield from batch.column(0).to_pylist()


@contextmanager
def _largest_memory() -> Iterator[dict[str, int]]:
    """Of all processes that descend from this one, looked at twice a second."""
    found = {"largest": 0}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.5):
            total = 0
            for process in psutil.Process().children(recursive=True):
                try:
                    total += process.memory_full_info().pss
                except psutil.Error:
                    continue
            found["largest"] = max(found["largest"], total)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


def _line(row: dict[str, Any]) -> str:
    stages = ", ".join(f"{name} {seconds:,.1f}" for name, seconds in row["stages"].items())
    return f"{row['rows']:>9,} rows in {row['seconds']:,.1f} s ({stages}), {row['memory_gb']} GB"


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(
        "rows",
        "events",
        "matches",
        "seconds",
        "us per row",
        "match/s",
        "engine/s",
        "share",
        "with coding",
        "GB",
    )
    for row in rows:
        table.add_row(
            f"{row['rows']:,}",
            f"{row['counts']['events']:,}",
            f"{row['counts']['matches']:,}",
            f"{row['seconds']:,.1f}",
            f"{row['seconds'] * 1e6 / row['rows']:,.0f}",
            f"{row['match_per_second']:,.0f}",
            f"{row['engine_per_second']:,.0f}",
            f"{row['share_of_engine']:.0%}",
            f"{row['share_with_coding']:.0%}",
            f"{row['memory_gb']}",
        )
    return table


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")
    django.setup()
    main()
