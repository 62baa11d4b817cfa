"""How much of the database's own speed is left when a night is loaded: `python -m benchmarks.nightly_load`.

The loader and a bare bulk insert write the same rows, events and matches, into the same tables, chunk by
chunk in turns, so that a slow moment of the machine hits both. Bare is hand-written SQL in transactions of as
many rows as the loader's, without work to be leased, finished or announced, and without looking for anything
that is stored; beside it, the same by the ORM's `bulk_create`.
"""

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import machine

EVENTS, SUBSCRIPTIONS = 20_000, 20_000
_INSERT_EVENT = """
    INSERT INTO matching_publishedevent (
        publisher_id, external_id, revision, digest, schema_version, document, title, url, image_url,
        accepted_at, state, match_count, reason
    ) VALUES (%s, %s, 1, %s, %s, %s, %s, '', '', %s, 'matched', %s, '') RETURNING id"""
_INSERT_MATCH = """
    INSERT INTO matching_match (event_id, subscription_id, owner_id, matched_at, seen, hidden)
    VALUES (%s, %s, %s, %s, false, false)"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--subscriptions", type=int, default=SUBSCRIPTIONS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nightly-load-") as scratch:
        _set_up(Path(scratch))
        with _redis():
            figures = measure(Path(scratch) / "run", options.events, options.subscriptions, seed=options.seed)
    for name, value in figures.items():
        print(f"{name:<24}{value:>14,.2f}")
    if options.json:
        document = {"machine": machine.description(), "seed": options.seed, **figures}
        options.json.write_text(json.dumps(document, indent=2) + "\n")


def measure(run: Path, events: int, subscriptions: int, *, seed: int) -> dict[str, float]:
    """Rows per second, each way."""
    from django.utils import timezone

    from lesubscribe.loadtest.intake import scratch_database
    from lesubscribe.loadtest.setting import prepare
    from matching.nightly import loading
    from matching.nightly.loading import Loaded

    with scratch_database():
        setting = prepare(subscriptions=subscriptions, seed=seed, now=timezone.now())
        rows = _computed(run, setting.workload.events(events))
        bare = _Bare(rows)

        def in_turn(so_far: Loaded) -> None:
            bare.insert(so_far.rows)

        began = perf_counter()
        loaded = loading.load(
            run,
            publisher=setting.publisher,
            names_revisions=False,
            matcher="engine",
            shards=1,
            clock=timezone.now,
            tell=in_turn,
        )
        seconds = perf_counter() - began - bare.by_sql - bare.by_orm
    written = loaded.events + loaded.matches
    assert loaded.events == events
    return {
        "events": events,
        "matches": loaded.matches,
        "load_per_second": written / seconds,
        "bare_sql_per_second": written / bare.by_sql,
        "bare_orm_per_second": written / bare.by_orm,
        "share_of_bare_sql": bare.by_sql / seconds,
        "share_of_bare_orm": bare.by_orm / seconds,
    }


def _computed(run: Path, events: Sequence[Any]) -> list[dict[str, Any]]:
    """The run's directory as Spark would have left it; its rows."""
    from django.utils import timezone

    from matching.engine.engine import Engine
    from matching.envelopes import read_envelope
    from matching.nightly import snapshot_for_run
    from matching.readiness import made_ready

    run.mkdir()
    snapshot = snapshot_for_run.write(run, memory=2**31, now=timezone.now())
    offsets, ids = Engine.open(snapshot.folders(run)[0]).match_ids_many(events)
    rows = []
    for place, (event, found) in enumerate(zip(events, np.split(ids, offsets[1:-1]), strict=True)):
        title = " ".join(event.values["title"])
        envelope = read_envelope({"external_id": f"lot-{place}", "title": title, "event": event.to_dict()})
        ready = made_ready(envelope, event)
        rows.append(
            {
                "number": place,
                "external_id": envelope.external_id,
                "revision": 1,
                "digest": ready.digest,
                "schema_version": ready.schema_version,
                "document": ready.document,
                "title": title,
                "url": "",
                "image_url": "",
                "ends_at": None,
                "subscriptions": found.tolist(),
            }
        )
    columns = [name for name in rows[0] if name != "subscriptions"]
    table = pa.Table.from_pylist(rows)
    for dataset, names in (("events", columns), ("matches", ["number", "subscriptions"])):
        (run / dataset).mkdir()
        pq.write_table(table.select(names), run / dataset / "part-0.parquet")
    return rows


class _Bare:
    """The same rows, for publishers of their own."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        from matching.models import Subscription
        from schema_registry.accounts.models import Publisher
        from schema_registry.accounts.services import publisher_named

        self._rows = rows
        self._done = 0
        self._owner = dict(Subscription.objects.values_list("pk", "owner_id"))
        self._publishers = [publisher_named(name, state=Publisher.State.APPROVED) for name in ("SQL", "ORM")]
        self.by_sql = self.by_orm = 0.0

    def insert(self, up_to: int) -> None:
        part, self._done = self._rows[self._done : up_to], up_to
        began = perf_counter()
        self._by_sql(part)
        between = perf_counter()
        self._by_orm(part)
        self.by_sql += between - began
        self.by_orm += perf_counter() - between

    def _by_sql(self, part: Sequence[dict[str, Any]]) -> None:
        from django.db import connection, transaction
        from django.utils import timezone

        now = connection.ops.adapt_datetimefield_value(timezone.now())
        publisher = self._publishers[0].pk
        numbers = []
        with transaction.atomic(), connection.cursor() as cursor:
            for row in part:
                fields = [
                    row[name] for name in ("external_id", "digest", "schema_version", "document", "title")
                ]
                cursor.execute(_INSERT_EVENT, [publisher, *fields, now, len(row["subscriptions"])])
                numbers.append(cursor.fetchone()[0])
        for some in _portions(self._matches(part, numbers)):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.executemany(_INSERT_MATCH, [(*each, now) for each in some])

    def _by_orm(self, part: Sequence[dict[str, Any]]) -> None:
        from django.utils import timezone

        from matching.models import Match, PublishedEvent

        now = timezone.now()
        events = PublishedEvent.objects.bulk_create(
            PublishedEvent(
                publisher=self._publishers[1],
                external_id=row["external_id"],
                revision=1,
                digest=row["digest"],
                schema_version=row["schema_version"],
                document=json.loads(row["document"]),
                title=row["title"],
                accepted_at=now,
                state="matched",
            )
            for row in part
        )
        for some in _portions(self._matches(part, [event.pk for event in events])):
            Match.objects.bulk_create(
                Match(event_id=event, subscription_id=subscription, owner_id=owner, matched_at=now)
                for event, subscription, owner in some
            )

    def _matches(self, part: Sequence[dict[str, Any]], numbers: Sequence[int]) -> list[tuple[int, int, int]]:
        return [
            (number, subscription, self._owner[subscription])
            for number, row in zip(numbers, part, strict=True)
            for subscription in row["subscriptions"]
        ]


def _portions(rows: Sequence[tuple[int, int, int]]) -> Iterator[Sequence[tuple[int, int, int]]]:
    from matching.small_transactions import ROWS_PER_TRANSACTION

    for first in range(0, len(rows), ROWS_PER_TRANSACTION):
        yield rows[first : first + ROWS_PER_TRANSACTION]


@contextmanager
def _redis() -> Iterator[None]:
    """Whoever records matches wakes feeds; without a Redis each time would wait for one."""
    import redis
    from django.conf import settings

    from lesubscribe import embedded_redis

    binary = embedded_redis.find_binary()
    embedded_redis.prepare(settings.VAR, binary)
    command = embedded_redis.command(settings.VAR, binary)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            client = redis.Redis.from_url(settings.REDIS_URL)
            while server.poll() is None and not _answers(client):
                sleep(0.05)
            yield
        finally:
            server.terminate()


def _answers(client: Any) -> bool:
    import redis

    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def _set_up(scratch: Path) -> None:
    """Before anything of Django is imported: the settings are read once."""
    import django

    os.environ |= {"VAR": str(scratch / "var"), "DJANGO_SETTINGS_MODULE": "lesubscribe.settings"}
    django.setup()


if __name__ == "__main__":
    main()
