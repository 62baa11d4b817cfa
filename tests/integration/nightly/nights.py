"""Nights without Spark: a run's directory as Spark leaves it, of lots with prices and the snapshot."""

import json
import os
import signal
import traceback
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from django.db import connection, connections

from matching.engine.engine import Engine
from matching.envelopes import read_envelope
from matching.feeds.night_order import Order
from matching.intake import checked, publish
from matching.models import Announcement, Match, MatchWork, NightlyRun, PublishedEvent, SiteMapping
from matching.nightly import mappings, snapshot_for_run
from matching.nightly.loading import Loaded, Tell, load
from matching.readiness import Ready
from schema_registry.accounts.models import Publisher
from schema_registry.accounts.services import publisher_named
from schema_registry.selectors import current_schema, schema_at
from tests.integration.following import NOW
from tests.running_system import wait_until

EVENTS = pa.schema(
    [
        ("number", pa.int64()),
        ("file", pa.string()),
        ("row", pa.int64()),
        ("external_id", pa.string()),
        ("revision", pa.int32()),
        ("digest", pa.string()),
        ("schema_version", pa.int32()),
        ("document", pa.string()),
        ("title", pa.string()),
        ("url", pa.string()),
        ("image_url", pa.string()),
        ("ends_at", pa.string()),
    ]
)
MATCHES = pa.schema([("number", pa.int64()), ("subscriptions", pa.list_(pa.int64()))])
MUCH_MEMORY = 2**30
MAPPING: dict[str, Any] = {
    "external_id": {"field": "id"},
    "title": {"field": "name"},
    "event_type": {"default": ["lot"]},
    "attributes": {"price": {"field": "price", "cast": "number"}},
}


def house(name: str = "House") -> Publisher:
    return publisher_named(name, state=Publisher.State.APPROVED)


def site_mapping(**changes: Any) -> SiteMapping:
    """The newest of the site of lots."""
    return mappings.save("lots", {**MAPPING, **changes}, publisher=house(), now=NOW)


def a_night(day: date, *, site: str = "lots", rows: int = 1_000) -> NightlyRun:
    """A run as it is stored when all is done."""
    publisher = house() if site == "lots" else house(f"House of {site}")
    mapping = mappings.save(site, MAPPING, publisher=publisher, now=NOW)
    counts = {"files": 3, "quarantined": 1, "rows": rows, "rejected": rows // 10, "events": 900}
    return NightlyRun.objects.create(
        site=site,
        date=day,
        mapping=mapping,
        state=NightlyRun.State.LOADED,
        counts={**counts, "loaded": {"events": 900, "matches": 4_000}},
        stages=[
            {"name": "match", "seconds": 4, "rows": 1_000},
            {"name": "load", "seconds": 1.0, "rows": 900},
            {"name": "of a later version"},
        ],
        rejects=[{"rule": "R2", "attribute": "price", "message": "It has no price.", "count": 75}],
        quarantined=[{"file": "cut.jsonl.gz", "reason": "It is cut."}],
        top_matches=[{"subscription": 7, "matches": 40}, {"subscription": 9, "matches": 20}],
        began_at=NOW,
        ended_at=NOW + timedelta(minutes=1),
    )


def lot(name: str, price: int, **envelope: Any) -> Ready:
    event = {"event_type": ["lot"], "price": price}
    read = read_envelope({"external_id": name, "event": event, **envelope})
    return checked(house(), read, current_schema())


def published_live(ready: Ready, *, now: datetime = NOW) -> int:
    return publish(house(), ready, now=now).number


def computed(run: Path, lots: Sequence[Ready], *, memory: int = MUCH_MEMORY, revision: int = 1) -> Path:
    """The run's directory after Spark: the snapshot, what it matches, in two files, and the manifest."""
    run.mkdir(parents=True, exist_ok=True)
    snapshot_for_run.write(run, memory=memory, now=NOW)
    write_matches(run, lots, revision=revision)
    return run


def write_matches(run: Path, lots: Sequence[Ready], *, revision: int = 1) -> None:
    engines = [Engine.open(folder) for folder in snapshot_for_run.read(run).folders(run)]
    rows = [_row(place, ready, revision, engines) for place, ready in enumerate(lots)]
    _write(run / "events", EVENTS, rows, cut_at=len(rows) // 2)
    _write(run / "matches", MATCHES, rows, cut_at=len(rows) // 3)
    counts = {"files": 1, "quarantined": 0, "rows": len(rows), "rejected": 0, "duplicates": 0, "repeats": 0}
    matches = sum(len(row["subscriptions"]) for row in rows)
    document = {
        "counts": {**counts, "events": len(rows), "matches": matches},
        "rejects_by_reason": [],
        "stages": [{"name": "match", "seconds": 1.5, "rows": len(rows)}],
        "quarantined": [],
    }
    (run / "_MANIFEST.json").write_text(json.dumps(document))


def loaded(
    run: Path,
    *,
    shards: int = 1,
    names_revisions: bool = False,
    order: Order = Order.AFTER,
    now: datetime = NOW,
    clock: Callable[[], datetime] | None = None,
    tell: Tell = lambda _: None,
) -> Loaded:
    return load(
        run,
        publisher=house(),
        names_revisions=names_revisions,
        matcher="quarantining",
        shards=shards,
        clock=clock or (lambda: now),
        order=order,
        tell=tell,
    )


def stored() -> dict[str, Any]:
    """All that a run may leave behind, by names that do not depend on the order in which it came."""
    events = PublishedEvent.objects.order_by("external_id", "revision")
    return {
        "events": list(events.values_list("external_id", "revision", "digest", "state", "match_count")),
        "matches": sorted(
            Match.objects.values_list("event__external_id", "event__revision", "subscription_id")
        ),
        "work": MatchWork.objects.count(),
        "announced": sorted(Announcement.objects.values_list("event__external_id", flat=True)),
    }


def killed_at(place: str, do: Callable[[], object], *, failpoints: Path) -> None:
    """Let another process do it, and see it killed at this place."""
    (failpoints / place).touch()
    for each in connections.all():  # a connection must not be used by two
        each.close()
        if each.vendor == "postgresql":
            each.close_pool()  # type: ignore[attr-defined]
    child = os.fork()
    if not child:
        try:
            do()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), place
    assert os.WTERMSIG(status) == signal.SIGKILL
    if connection.vendor == "postgresql":  # which notices it a moment later, and keeps its locks until then
        wait_until(lambda: not _others_are_at_work(), seconds=300)


def _others_are_at_work() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend'
              AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"""
        )
        (count,) = cursor.fetchone()
    return bool(count)


def _write(dataset: Path, columns: pa.Schema, rows: Sequence[dict[str, Any]], *, cut_at: int) -> None:
    """In two files, whose names are not in the order of their rows."""
    dataset.mkdir(exist_ok=True)
    for name, part in (("b", rows[:cut_at]), ("a", rows[cut_at:])):
        pq.write_table(pa.Table.from_pylist(part, columns), dataset / f"part-{name}.parquet")
    (dataset / "_SUCCESS").touch()


def _row(place: int, ready: Ready, revision: int, engines: Sequence[Engine]) -> dict[str, Any]:
    envelope = ready.envelope
    event = schema_at(ready.schema_version).validate(json.loads(ready.document))
    return {
        "number": 10 * place,
        "file": "lots.jsonl",
        "row": place,
        "external_id": envelope.external_id,
        "revision": envelope.revision or revision,
        "digest": ready.digest,
        "schema_version": ready.schema_version,
        "document": ready.document,
        "title": envelope.title,
        "url": envelope.url,
        "image_url": envelope.image_url,
        "ends_at": None if envelope.ends_at is None else envelope.ends_at.isoformat(),
        "subscriptions": sorted(number for engine in engines for number in engine.match(event)),
    }
