"""`python -m tests.bombs [--json FILE]`: what each bomb takes of a web process, over HTTP.

Each is sent once so that everything is warm, and then some times more, of which the worst counts. The exit
code is 0 only if each was refused as it should be, within its budget.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import django

from tests.bombs.arsenal import Bomb, bombs
from tests.bombs.web import Taken, running_web
from tests.running_system import tables_on_sqlite

MOST_CPU_SECONDS = 0.1
MOST_BYTES = 64_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bombs", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (%(default)s)")
    parser.add_argument(
        "--tries",
        type=int,
        default=1,
        help="what takes too long is measured again, so many times in all: for a busy machine (%(default)s)",
    )
    parser.add_argument(
        "--slowness",
        type=float,
        default=1.0,
        help="they may take so many times as long: for a slow or busy machine (%(default)s)",
    )
    parser.add_argument("--only", default="", help="those with this in their name")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: nothing outlives us
    with tempfile.TemporaryDirectory(prefix="lesubscribe-bombs-") as directory:
        shutil.copy(tables_on_sqlite(), directory)
        os.environ |= {
            "VAR": directory,
            "DATABASE_URL": "",
            "DJANGO_SETTINGS_MODULE": "lesubscribe.settings",
            "LOG_LEVEL": "WARNING",
        }
        django.setup()
        with _redis():
            most = MOST_CPU_SECONDS * options.slowness
            report = _measured(options.rounds, options.tries, options.only, most_seconds=most)
    print(_table(report))
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    over = [row["name"] for row in report["bombs"] if not row["is_good"]]
    print(
        f"VERDICT: NOT GOOD: {', '.join(over)}"
        if over
        else f"VERDICT: all {len(report['bombs'])} refused in time"
    )
    return 1 if over else 0


def _measured(rounds: int, tries: int, only: str, *, most_seconds: float) -> dict[str, Any]:
    from benchmarks import machine  # these need the settings
    from tests.bombs.senders import headers_of, set_stage, stored

    senders = set_stage()
    before, rows = stored(), []
    with running_web() as web:
        for bomb in bombs():
            if only not in bomb.name:
                continue
            print(f"{bomb.name} ...", end=" ", flush=True)
            body = bomb.body()
            headers = headers_of(bomb, senders, body)
            web.send(bomb, body, headers)  # it finds the process as it is: caches to fill, code to import
            tried: list[list[Taken]] = []
            while len(tried) < tries and _seconds(tried) > MOST_CPU_SECONDS:
                tried.append([web.send(bomb, body, headers) for _round in range(rounds)])
            row = judged(bomb, len(body), tried, most_seconds=most_seconds)
            print(f"{row['status']}, {row['cpu_ms']} ms, {row['memory_mb']} MB", flush=True)
            rows.append(row)
    assert stored() == before, "something was stored"
    return {"machine": machine.description(), "rounds": rounds, "bombs": rows}


def judged(
    bomb: Bomb,
    sent_bytes: int,
    tried: Sequence[Sequence[Taken]],
    *,
    most_seconds: float = MOST_CPU_SECONDS,
) -> dict[str, Any]:
    """What it took. Only the time may be that of the best try: a busy machine makes nothing else worse."""
    taken = [each for one in tried for each in one]
    wrong = [each for each in taken if not _is_refused(bomb, each)]
    cpu, more = _seconds(tried), max(each.bytes_more for each in taken)
    return {
        "name": bomb.name,
        "address": f"{bomb.method} {bomb.path.partition('?')[0]}",
        "sent_bytes": sent_bytes,
        "status": (wrong or taken)[0].status,
        "cpu_ms": round(cpu * 1_000, 1),
        "memory_mb": round(more / 1e6, 1),
        "is_good": not wrong and cpu <= most_seconds and more <= MOST_BYTES,
    }


def _seconds(tried: Sequence[Sequence[Taken]]) -> float:
    """The worst of the best try; infinite before the first."""
    return min((max(each.cpu_seconds for each in one) for one in tried), default=inf)


def _is_refused(bomb: Bomb, taken: Taken) -> bool:
    if taken.status != bomb.status:
        return False
    return not bomb.is_taken_apart or json.loads(taken.body)["accepted"] == 0


def _table(report: dict[str, Any]) -> str:
    """As the docs show it."""
    head = "| what is sent | to | bytes sent | answer | CPU | memory |\n|---|---|---|---|---|---|"
    rows = (
        f"| {row['name']} | `{row['address']}` | {row['sent_bytes']:,} | {row['status']} |"
        f" {row['cpu_ms']:.1f} ms | {row['memory_mb']:.1f} MB |{'' if row['is_good'] else ' **over**'}"
        for row in report["bombs"]
    )
    return "\n".join((head, *rows))


@contextmanager
def _redis() -> Iterator[None]:
    from django.conf import settings

    from lesubscribe import embedded_redis

    binary = embedded_redis.find_binary()
    embedded_redis.prepare(settings.VAR, binary)
    with subprocess.Popen(embedded_redis.command(settings.VAR, binary), stdout=subprocess.DEVNULL) as server:
        try:
            yield
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main())
