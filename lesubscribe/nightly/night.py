"""One night of a site: what Spark needs is written down, Spark computes, and the database takes it up.

Killed anywhere it is begun again: what was computed completely is loaded, anything less computed anew.
"""

import json
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog
from django.conf import settings
from django.db import connection
from django.utils import timezone

from lesubscribe.nightly import spark
from lesubscribe.nightly.checks import check_means, check_publisher
from lesubscribe.nightly.spark import Progress, SparkFailedError
from matching import failpoints
from matching.feeds.mapping import FeedMapping
from matching.feeds.night_order import Order
from matching.feeds.reading import rows_of
from matching.feeds.run_layout import JOB, KNOWN
from matching.feeds.trying import TriedRow, tried
from matching.models import NightlyRun, SiteMapping
from matching.nightly import computed, known_keys, loading, mappings, runs, snapshot_for_run
from matching.nightly.housekeeping import TRYING
from matching.nightly.keeping_alive import kept_alive
from matching.nightly.loading import Loaded
from matching.nightly.runs import Held, LostRun
from matching.stored_reasons import STOPPED
from schema_registry.core.errors import InputError
from schema_registry.selectors import current_schema
from spark_jobs import places

# What a worker of Spark may map of subscriptions at once; more are split, and events go through every part.
MEMORY_FOR_SUBSCRIPTIONS = 2 << 30
SHOWN, MOST_READ = 3, 1_000_000  # rows of a trial, and bytes read for them
Tell = Callable[[Progress], object]
_log = structlog.get_logger(__name__)


class NoMappingError(InputError):
    """A site of which nobody has said how to read it."""

    code = "no_mapping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """A site's files of a day, where they are, and the Spark that shall work on them.

    `feeds` is a path or a URL. `snapshots` is one where executors fetch the searches, if they shall not map
    those of the run's own directory. What keeps a night that `is_scheduled` from beginning is kept with the
    runs: nobody waits for what it says.
    """

    site: str
    day: date
    feeds: str
    master: str
    memory: str
    snapshots: str = ""
    conf: dict[str, str] = field(default_factory=dict)
    is_scheduled: bool = False

    @property
    def source(self) -> str:
        return places.joined(self.feeds, self.site, self.day.isoformat())

    def told(self) -> dict[str, Any]:
        """What whoever goes on with it needs to be told."""
        return {
            "feeds": self.feeds,
            "master": self.master,
            "memory": self.memory,
            "snapshots": self.snapshots,
            "conf": self.conf,
        }


def run(night: Night, *, tell: Tell, again: bool = False) -> NightlyRun:
    """Do all that is left to do of it. Raises InputError, SparkFailedError and what the database raises."""
    mapping = mapping_of(night.site)
    try:
        _check(night, mapping)
    except (InputError, SparkFailedError) as refusal:
        if night.is_scheduled:
            runs.not_begun(mapping, night.day, str(refusal), now=timezone.now())
        raise
    held = runs.begin(
        mapping, night.day, root=settings.NIGHTLY, now=timezone.now(), again=again, told=night.told()
    )
    failpoints.reached("nightly.begun")
    try:
        with kept_alive(held) as check_lease:
            if not held.is_computed:
                _compute(night, mapping, held, tell)
            _load(night, mapping, held, tell, check_lease)
    except LostRun:
        raise
    except BaseException as error:
        runs.failed(held, sentence(error), now=timezone.now())
        raise
    done = NightlyRun.objects.get(pk=held.number)
    for alert in done.alerts:
        _log.warning("night_is_unusual", site=night.site, day=night.day.isoformat(), what=alert)
    return done


def try_out(night: Night, *, tell: Tell) -> dict[str, Any]:
    """The manifest of a run that matches nothing and leaves nothing behind."""
    mapping = mapping_of(night.site)
    check_means(night.source)
    with TemporaryDirectory(prefix=TRYING, dir=settings.NIGHTLY) as scratch:
        directory = Path(scratch)
        order = runs.order(night.site, night.day)
        _export_known(mapping, directory, order)
        _write_job(night, mapping, directory, order=order, dry_run=True)
        spark.compute(directory, on_progress=tell)
        manifest = computed.manifest(directory)
    if manifest is None:
        raise SparkFailedError("Spark ended without a manifest.")
    return manifest


def first_rows(night: Night) -> tuple[TriedRow, ...]:
    """Some rows before and after, of the first file that has any; none where files cannot be read so."""
    mapping = FeedMapping.from_dict(mapping_of(night.site).document)
    if places.is_url(night.source):
        return ()
    for path in sorted(Path(night.source).iterdir()):
        if path.name.startswith((".", "_")):
            continue
        rows = rows_of(path, mapping.format, most_bytes=MOST_READ)
        try:
            if first := tried(mapping, current_schema(), rows, most_rows=SHOWN, shown=SHOWN).first:
                return first
        except (OSError, EOFError, ValueError, zlib.error):
            continue  # the pre-flight says what is the matter with it
    return ()


def mapping_of(site: str) -> SiteMapping:
    """The one that counts. Raises NoMappingError."""
    try:
        return mappings.newest(site)
    except SiteMapping.DoesNotExist:
        raise NoMappingError(
            f"There is no mapping of the site {site!r}: add one in the administration, under Matching."
        ) from None


def _check(night: Night, mapping: SiteMapping) -> None:
    """What can be known before anything is written. Raises InputError, SparkFailedError."""
    check_publisher(mapping)
    if not runs.is_computed(mapping, night.day):
        check_means(night.source)


def _export_known(mapping: SiteMapping, directory: Path, order: Order) -> int:
    """Write the keys of what is stored into the run's directory, those that it needs to know; how many."""
    names_revisions = FeedMapping.from_dict(mapping.document).has_revision
    return known_keys.export(
        mapping.publisher_id,
        directory / KNOWN,
        all_revisions=names_revisions or order is Order.SAME,
    )


def _compute(night: Night, mapping: SiteMapping, held: Held, tell: Tell) -> None:
    tell(Progress("prepare", 0, 2, 0))
    order = runs.order(night.site, night.day, held)
    keys = _export_known(mapping, held.directory, order)
    tell(Progress("prepare", 1, 2, keys))
    snapshot = snapshot_for_run.write(
        held.directory,
        memory=MEMORY_FOR_SUBSCRIPTIONS,
        now=timezone.now(),
        snapshots=settings.SNAPSHOTS,
        live_shards=settings.MATCHING_SHARDS,
    )
    with _handed_out(night, held, snapshot.folders(held.directory)) as snapshots:
        _write_job(night, mapping, held.directory, snapshots=snapshots, order=order, dry_run=False)
        failpoints.reached("nightly.prepared")
        connection.close()  # Spark may take an hour
        spark.compute(held.directory, on_progress=tell)
    failpoints.reached("nightly.computed")
    runs.computed(held)
    failpoints.reached("nightly.before-load")


@contextmanager
def _handed_out(night: Night, held: Held, folders: list[Path]) -> Iterator[list[str]]:
    """Where executors find the snapshots: in the run's directory, or on shared storage meanwhile."""
    if not night.snapshots:
        yield [str(folder) for folder in folders]
        return
    shared = places.joined(night.snapshots, f"{night.site}-{night.day}-{held.number}")
    targets = [places.joined(shared, folder.name) for folder in folders]
    try:
        places.removed(shared)  # what a killed run has left
        for folder, target in zip(folders, targets, strict=True):
            places.copied(folder, target)
        yield targets
    finally:
        places.removed(shared)


def _load(
    night: Night, mapping: SiteMapping, held: Held, tell: Tell, check_lease: Callable[[], None]
) -> None:
    check_publisher(mapping)  # Spark may have taken an hour
    counts = NightlyRun.objects.values_list("counts", flat=True).get(pk=held.number)
    events = counts.get("events", 0)
    began = time.monotonic()

    def told(so_far: Loaded) -> None:
        check_lease()
        tell(Progress("load", so_far.rows, events, so_far.rows))

    loaded = loading.load(
        held.directory,
        publisher=mapping.publisher,
        names_revisions=FeedMapping.from_dict(mapping.document).has_revision,
        matcher=settings.MATCHER,
        shards=settings.MATCHING_SHARDS,
        clock=timezone.now,
        order=runs.order(night.site, night.day, held),
        tell=told,
    )
    failpoints.reached("nightly.before-loaded")
    runs.loaded(held, loaded, seconds=time.monotonic() - began, now=timezone.now())


def _write_job(night: Night, mapping: SiteMapping, directory: Path, **more: Any) -> None:
    job = {
        "site": night.site,
        "date": night.day.isoformat(),
        "source": night.source,
        "run": str(directory),
        "known": str(directory / KNOWN),
        "mapping": mapping.document,
        "schema": current_schema().to_dict(),
        "master": night.master,
        "memory": night.memory,
        "conf": night.conf,
        **more,
    }
    (directory / JOB).write_text(json.dumps(job))


def sentence(error: BaseException) -> str:
    """Why a night ended, for people."""
    if isinstance(error, (InputError, SparkFailedError)):
        return str(error)
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        return STOPPED()
    return f"{type(error).__name__}: {error}"
