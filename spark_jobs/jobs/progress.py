"""Progress as lines of JSON: what stage the job is at, how many of its tasks are done, and how many rows."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark import SparkContext
from pyspark.accumulators import Accumulator

EVERY = 1.0


def say(document: dict[str, Any]) -> None:
    print(json.dumps(document), flush=True)


class Stages:
    """The stages of a job, told about once a second while they last, and what each of them took."""

    def __init__(self, context: SparkContext, say: Callable[[dict[str, Any]], None]) -> None:
        self._context = context
        self._say = say
        self.done: list[dict[str, Any]] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[Accumulator[int]]:
        """Tells of all Spark does meanwhile; the accumulator takes the rows that workers have done."""
        rows = self._context.accumulator(0)
        self._context.setJobGroup(name, f"nightly: {name}")
        ended = threading.Event()
        teller = threading.Thread(target=self._tell, args=(name, rows, ended), name="progress", daemon=True)
        began = time.perf_counter()
        teller.start()
        try:
            yield rows
        finally:
            ended.set()
            teller.join()
        self._say(self._now(name, rows))
        seconds = round(time.perf_counter() - began, 3)
        self.done.append({"name": name, "seconds": seconds, "rows": rows.value})

    def _tell(self, name: str, rows: Accumulator[int], ended: threading.Event) -> None:
        while not ended.wait(EVERY):
            self._say(self._now(name, rows))

    def _now(self, name: str, rows: Accumulator[int]) -> dict[str, Any]:
        tracker = self._context.statusTracker()
        done = of = 0
        for job in tracker.getJobIdsForGroup(name):
            found = tracker.getJobInfo(job)
            for stage in found.stageIds if found else ():
                info = tracker.getStageInfo(stage)
                if info is not None:
                    done, of = done + info.numCompletedTasks, of + info.numTasks
        return {"stage": name, "done": done, "of": of, "rows": rows.value}
