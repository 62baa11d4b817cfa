"""From nothing to the first answer: a new process opens a snapshot and matches one event.

Measured from before the process is started, step by step. With cached kernels several times, of which the
one in the middle counts; and once with an empty cache, when all kernels are compiled.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

STEPS = ("imports", "kernels", "opening", "first match")
TIMES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    workload: str
    subscriptions: int
    without_cache: bool = True
    seed: int = 0


def measure(asked: Start, report: Any) -> dict[str, Any]:
    # Here, since what is imported at the top is imported by the process that is timed as well.
    from benchmarks.ready import ready_engine
    from matching import workloads

    workload = workloads.create(asked.workload, seed=asked.seed)
    engine = ready_engine(workload, asked.subscriptions, report)
    with TemporaryDirectory() as directory:
        snapshot, event = Path(directory, "snapshot"), Path(directory, "event.json")
        report("saving", 0)
        engine.save(snapshot)
        event.write_text(json.dumps(workload.events(1)[0].to_dict()))
        del engine
        report("starting", 0)
        starts = [started(snapshot, event, os.environ) for _ in range(TIMES)]
        parts = sorted(starts, key=lambda each: sum(each.values()))[TIMES // 2]
        row: dict[str, Any] = {
            "seconds": sum(parts.values()),
            "parts": parts,
            "snapshot_bytes": sum(path.stat().st_size for path in snapshot.iterdir()),
        }
        if asked.without_cache:
            report("starting with an empty cache", 0)
            empty = {**os.environ, "NUMBA_CACHE_DIR": str(Path(directory, "kernels"))}
            row["seconds_without_cache"] = sum(started(snapshot, event, empty).values())
    return row


def started(snapshot: Path, event: Path, environment: Mapping[str, str]) -> dict[str, float]:
    """The seconds of each step of a new process until its first answer."""
    began = time.monotonic()
    command = [sys.executable, "-m", "benchmarks.start", "first-answer", str(snapshot), str(event)]
    root = Path(__file__).resolve().parent.parent
    answer = subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, text=True)
    moments = [began, *json.loads(answer.stdout)]
    return {step: moments[place + 1] - moments[place] for place, step in enumerate(STEPS)}


def first_answer(snapshot: Path, event: Path) -> list[float]:
    """The moment at which each step was done; clocks of one machine agree between processes."""
    from matching.engine import warming
    from matching.engine.engine import Engine

    moments = [time.monotonic()]
    warming.warm(on_compiling=lambda: None)
    moments.append(time.monotonic())
    engine = Engine.open(snapshot)
    moments.append(time.monotonic())
    engine.match_ids(engine.schema.validate(json.loads(event.read_text())))
    return [*moments, time.monotonic()]


def _main() -> None:
    if sys.argv[1] == "first-answer":
        print(json.dumps(first_answer(Path(sys.argv[2]), Path(sys.argv[3]))))
        return
    from benchmarks.own_process import answer

    answer(lambda arguments, report: measure(Start(**arguments), report))


if __name__ == "__main__":
    _main()
