"""How long others wait beside a bulk writer on SQLite: `python -m tests.limits.commits [--json FILE]`.

One process stores an event every 20 ms, as the web process does, and measures each commit: alone, beside
another that writes in bulk as ours do (`matching.small_transactions`), and beside one that commits the same
portions back to back, which shows what the pause is for.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import django
import numpy as np

from benchmarks import machine
from tests.running_system import ROOT, tables_on_sqlite

SECONDS, PAUSE = 30.0, 0.02
ALONE, OURS, BACK_TO_BACK = "alone", "beside ours", "beside one without a pause"
NAMES = count()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.limits.commits", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each of the three (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    parser.add_argument("--write", choices=(OURS, BACK_TO_BACK), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write:
        django.setup()
        write_in_bulk(gives_way=options.write == OURS)
    with tempfile.TemporaryDirectory(prefix="lesubscribe-commits-") as directory:
        shutil.copy(tables_on_sqlite(), directory)
        os.environ |= {"VAR": directory, "DATABASE_URL": "", "DJANGO_SETTINGS_MODULE": "lesubscribe.settings"}
        django.setup()
        waits = {ALONE: measured(options.seconds)}
        for who in (OURS, BACK_TO_BACK):
            with writing_in_bulk(who):
                waits[who] = measured(options.seconds)
    for who, found in waits.items():
        print(f"{who:<28}" + ", ".join(f"{name} {figure:,.1f}" for name, figure in found.items()))
    if options.json:
        document = {"machine": machine.description(), "waits": waits}
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


def measured(seconds: float) -> dict[str, float]:
    """Of commits one after the other; their times in milliseconds."""
    store(1)  # what is done once only
    end, times = time.monotonic() + seconds, []
    while (began := time.monotonic()) < end:
        store(1)
        times.append(1_000 * (time.monotonic() - began))
        time.sleep(PAUSE)
    half, most = np.quantile(times, (0.5, 0.99))
    return {"commits": len(times), "half_ms": half, "p99_ms": most, "longest_ms": max(times)}


@contextmanager
def writing_in_bulk(who: str) -> Iterator[None]:
    """While another process does, that has begun."""
    from matching.models import PublishedEvent

    before = PublishedEvent.objects.count()
    writer = subprocess.Popen([sys.executable, "-m", "tests.limits.commits", "--write", who], cwd=ROOT)
    try:
        while PublishedEvent.objects.count() == before:
            assert writer.poll() is None, "the writer does not start"
            time.sleep(0.1)
        yield
        assert writer.poll() is None, "the writer has ended"
    finally:
        writer.kill()
        writer.wait()


def write_in_bulk(*, gives_way: bool) -> None:
    """Until it is killed."""
    from matching.small_transactions import ROWS_PER_TRANSACTION, give_way

    while True:
        store(ROWS_PER_TRANSACTION)
        if gives_way:
            give_way()


@cache
def house() -> int:
    from schema_registry.accounts.models import Publisher
    from schema_registry.accounts.services import publisher_named

    return publisher_named("House", state=Publisher.State.APPROVED).pk


def store(rows: int) -> None:
    """So many events in one transaction."""
    from django.utils import timezone

    from matching.models import PublishedEvent

    common: dict[str, Any] = {
        "publisher_id": house(),
        "revision": 1,
        "digest": "0" * 64,
        "schema_version": 1,
        "document": {"price": [12], "title": ["A dining table in oak, from about 1890"]},
        "accepted_at": timezone.now(),
    }
    names = (f"{os.getpid()}-{next(NAMES)}" for _ in range(rows))
    PublishedEvent.objects.bulk_create([PublishedEvent(external_id=name, **common) for name in names])


if __name__ == "__main__":
    sys.exit(main())
