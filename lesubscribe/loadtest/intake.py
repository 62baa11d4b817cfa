"""How much of the database's own speed is left when events are validated and stored as batches are.

Both ways write the same rows to the same tables of a scratch database, in turns, so that a slow moment of the
machine hits both. The bare way is `bulk_create` of events that are ready; the other way is that of a batch:
read the line, check the envelope, validate the event, look for known revisions, store event and work.
"""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import connection
from django.utils import timezone

from lesubscribe.loadtest.setting import Setting, prepare
from matching.batch_api import Batch
from matching.models import PublishedEvent

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class IntakeFigures:
    """Events per second."""

    bare: float
    batch: float

    @property
    def share(self) -> float:
        return self.batch / self.bare


def measure(*, events: int, seed: int) -> IntakeFigures:
    """`events` in each of some rounds, each way; the best round of each counts."""
    with scratch_database():
        setting = prepare(subscriptions=0, seed=seed, now=timezone.now())
        documents = [event.to_dict() for event in setting.workload.events(events)]
        rounds = [
            (_bare(setting, documents, number), _batch(setting, documents, number))
            for number in range(ROUNDS)
        ]
    return IntakeFigures(
        bare=events / min(bare for bare, _ in rounds), batch=events / min(batch for _, batch in rounds)
    )


@contextmanager
def scratch_database() -> Iterator[None]:
    """An empty database beside the one in use, removed in the end."""
    connection.close()
    original = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = (
        str(settings.VAR / "scratch.sqlite3") if connection.vendor == "sqlite" else None
    )
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(original, verbosity=0)


def _bare(setting: Setting, documents: Sequence[dict[str, object]], number: int) -> float:
    now = timezone.now()
    rows = [
        PublishedEvent(
            publisher=setting.publisher,
            external_id=f"bare-{number}-{place}",
            revision=1,
            digest="0" * 64,
            schema_version=setting.schema.version,
            document=document,
            accepted_at=now,
        )
        for place, document in enumerate(documents)
    ]
    began = time.perf_counter()
    PublishedEvent.objects.bulk_create(rows, batch_size=1000)
    return time.perf_counter() - began


def _batch(setting: Setting, documents: Sequence[dict[str, object]], number: int) -> float:
    lines = [
        json.dumps({"external_id": f"batch-{number}-{place}", "event": document}).encode()
        for place, document in enumerate(documents)
    ]
    began = time.perf_counter()
    batch = Batch(setting.publisher)
    for line in lines:
        batch.take(line)
    batch.flush()
    seconds = time.perf_counter() - began
    assert batch.answer()["accepted"] == len(documents)
    return seconds
