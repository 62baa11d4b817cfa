"""`python -m benchmarks.demand --var DIR`: how long counting the demand takes, and how much memory.

Subscriptions of the workload `auction` belong to people at random, so that an owner's are spread over the
table. Filling goes on where it was stopped; it is for a directory of its own.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import django
import numpy as np

ROWS_AT_ONCE = 20_000
DISTINCT = 100_000  # searches; the others repeat them for other people
_SUBSCRIPTION = """
    INSERT INTO matching_subscription (
        owner_id, name, text, canonical, compiled, schema_version, state, created_at, ticket_digest
    ) VALUES (%s, '', '', '', %s, %s, 'active', %s, %s)"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--var", type=Path, required=True, help="the directory of the data")
    parser.add_argument("--subscriptions", type=int, default=1_000_000, help="(%(default)s)")
    parser.add_argument("--people", type=int, default=200_000, help="(%(default)s)")
    parser.add_argument("--filled", action="store_true", help="all is there: only count")
    options = parser.parse_args()
    options.var.mkdir(parents=True, exist_ok=True)
    os.environ |= {"VAR": str(options.var.resolve()), "DEMO_DATA": "no", "LOG_LEVEL": "WARNING"}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lesubscribe.settings")
    django.setup()
    if options.filled:
        measure()
        return
    fill(options.subscriptions, options.people)
    # In a process of its own, as a worker would: what filling took does not count.
    subprocess.run([sys.executable, "-m", "benchmarks.demand", "--var", options.var, "--filled"], check=True)


def fill(subscriptions: int, people: int) -> None:
    from django.core.management import call_command
    from django.db import connection, transaction
    from django.utils import timezone

    from lesubscribe.loadtest.setting import auction, prepare
    from matching.models import Subscription
    from matching.stored import compiled
    from schema_registry.accounts.models import User

    call_command("migrate", verbosity=0)
    now = timezone.now()
    schema = prepare(subscriptions=0, seed=0, now=now).schema
    missing = range(User.objects.filter(email__startswith="person-").count(), people)
    users = (User(email=f"person-{number}@example.org", password="!") for number in missing)
    User.objects.bulk_create(users, batch_size=1_000)
    owners = np.array(User.objects.filter(email__startswith="person-").values_list("pk", flat=True))
    distinct = min(subscriptions, DISTINCT)
    columns = auction(distinct, 0).subscriptions(distinct)
    texts = [json.dumps(compiled(columns.conjunctions_of(number))) for number in range(distinct)]
    chosen = np.random.default_rng(0).choice(owners, subscriptions).tolist()
    for first in range(Subscription.objects.count(), subscriptions, ROWS_AT_ONCE):
        numbers = range(first, min(first + ROWS_AT_ONCE, subscriptions))
        rows = [(chosen[each], texts[each % distinct], schema.version, now, f"{each}") for each in numbers]
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(_SUBSCRIPTION, rows)


def measure() -> None:
    from django.utils import timezone

    from matching.demand.keeping import DemandCount
    from matching.models import Demand

    Demand.objects.all().delete()
    before = _resident()
    began, processor = time.perf_counter(), time.process_time()
    count = DemandCount(now=timezone.now())
    count.go_on(clock=time.monotonic)
    counted = time.perf_counter() - began
    count.publish()
    document = Demand.objects.get().document
    figures = {
        "people": count.tally.people,
        "cells": len(count.tally.places) + len(count.tally.words),
        "counted_seconds": round(counted, 1),
        "publishing_seconds": round(time.perf_counter() - began - counted, 2),
        "processor_seconds": round(time.process_time() - processor, 1),
        "peak_resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "growth_mb": round(_resident() - before, 1),
        "document_kb": round(len(json.dumps(document)) / 1000, 1),
        "told": {part: len(document[part]) for part in document},
    }
    print(json.dumps(figures, indent=2))


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
