"""`python -m tests.bombs [--json FILE]`: what each bomb takes of a web process, over HTTP.

The exit code is 0 only if each was refused as it should be, within its budget.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import django

MOST_CPU_SECONDS = 0.1
MOST_BYTES = 64_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bombs", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is sent (%(default)s)")
    parser.add_argument("--only", default="", help="those with this in their name")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # through `finally`: nothing outlives us
    with tempfile.TemporaryDirectory(prefix="lesubscribe-bombs-") as directory:
        os.environ |= {
            "VAR": directory,
            "DATABASE_URL": "",
            "DJANGO_SETTINGS_MODULE": "lesubscribe.settings",
            "LOG_LEVEL": "WARNING",
        }
        django.setup()
        with _redis():
            report = _measured(options.rounds, options.only)
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


def _measured(rounds: int, only: str) -> dict[str, Any]:
    from django.core.management import call_command  # these need the settings

    from benchmarks import machine
    from tests.bombs.arsenal import bombs
    from tests.bombs.senders import headers_of, set_stage, stored
    from tests.bombs.web import running_web

    call_command("migrate", verbosity=0, skip_checks=True)
    senders = set_stage()
    before, rows = stored(), []
    with running_web() as web:
        for bomb in bombs():
            if only not in bomb.name:
                continue
            print(f"{bomb.name} ...", end=" ", flush=True)
            body = bomb.body()
            # The first one finds the process as it is: caches to fill, code to import.
            _warm, *taken = [
                web.send(bomb, body, headers_of(bomb, senders, body)) for _round in range(1 + rounds)
            ]
            cpu, more = median(each.cpu_seconds for each in taken), max(each.bytes_more for each in taken)
            refused = all(_is_refused(bomb, each.status, each.body) for each in taken)
            row = {
                "name": bomb.name,
                "address": f"{bomb.method} {bomb.path.partition('?')[0]}",
                "sent_bytes": len(body),
                "status": taken[0].status,
                "cpu_ms": round(cpu * 1_000, 1),
                "memory_mb": round(more / 1e6, 1),
                "is_good": refused and cpu <= MOST_CPU_SECONDS and more <= MOST_BYTES,
            }
            print(f"{row['status']}, {row['cpu_ms']} ms, {row['memory_mb']} MB", flush=True)
            rows.append(row)
    assert stored() == before, "something was stored"
    return {"machine": machine.description(), "rounds": rounds, "bombs": rows}


def _is_refused(bomb: Any, status: int, body: bytes) -> bool:
    if status != bomb.status:
        return False
    return not bomb.is_taken_apart or json.loads(body)["accepted"] == 0


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
