"""The life of a nightly run: begun by one process, computed by Spark, loaded, or failed with a sentence.

A night of a site under one version of its mapping is one row, however often it is run. Whoever runs it holds
a lease by the database's time, renewed beside the work, so a killed one is begun again soon, by whoever
comes first. What Spark left complete is then loaded; anything less is computed anew in a fresh directory.
"""

import shutil
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from matching.models import NightlyRun, SiteMapping
from matching.nightly import computed as spark
from matching.nightly import mappings, snapshot_for_run, usual_range
from matching.nightly.loading import Loaded
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

LEASE = timedelta(seconds=30)
KNOWN = "known"  # where in its directory the known keys are
MOST_TOLD = 1_000  # quarantined files that the row names
State = NightlyRun.State


class AlreadyRunning(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """Another process is at it."""

    code = "already_running"


class AlreadyLoaded(InputError):  # noqa: N818
    """It is done, and nobody asked for it again."""

    code = "already_loaded"


class LostRun(InputError):  # noqa: N818
    """We were taken for dead, and another process runs it now."""

    code = "lost_run"


@dataclass(frozen=True, slots=True)
class Held:
    """A run that is ours. If it `is_computed` already, only loading is left."""

    number: int
    token: str
    directory: Path
    is_computed: bool


def begin(mapping: SiteMapping, day: date, *, root: Path, now: datetime, again: bool = False) -> Held:
    """Take the run of this night. Raises AlreadyRunning, and AlreadyLoaded unless it is asked for `again`."""
    row, _made = NightlyRun.objects.get_or_create(
        site=mapping.site, date=day, mapping=mapping, defaults={"began_at": now}
    )
    token = _taken(row)
    row.refresh_from_db()
    if row.state == State.LOADED and not again:
        _let_go(row.pk, token)
        raise AlreadyLoaded(_("The night of {run} is loaded already.", run=str(row)))
    before = Path(row.directory) if row.directory else None
    if before is not None and row.state != State.LOADED and spark.manifest(before) is not None:
        held = Held(row.pk, token, before, is_computed=True)
        computed(held)
        return held
    if before is not None:
        snapshot_for_run.forget(before)
        shutil.rmtree(before, ignore_errors=True)  # a Spark that was left alone may still write there
    held = Held(row.pk, token, _fresh(root, mapping, day, token), is_computed=False)
    _update(
        held, state=State.PREPARED, directory=str(held.directory), problem="", began_at=now, ended_at=None
    )
    held.directory.mkdir(parents=True)
    return held


def renew(held: Held) -> None:
    """It is still ours. Raises LostRun."""
    _update(held, leased_until=Now() + LEASE)


def computed(held: Held) -> None:
    """Spark is done: take over what its manifest says. Raises LostRun, and InputError without a manifest."""
    manifest = spark.manifest(held.directory)
    if manifest is None:
        raise InputError(_("Spark left no manifest in {directory}.", directory=str(held.directory)))
    _update(
        held,
        state=State.COMPUTED,
        counts=manifest["counts"],
        stages=manifest.get("stages", []),
        rejects=manifest.get("rejects_by_reason", []),
        quarantined=manifest.get("quarantined", [])[:MOST_TOLD],
        problem="",
    )


def loaded(held: Held, what: Loaded, *, seconds: float, now: datetime) -> None:
    """All is stored; the night is compared with those before. Raises LostRun."""
    row = NightlyRun.objects.get(pk=held.number)
    tonight, before = usual_range.night_of(row.counts), usual_range.nights_before(row)
    stages = [stage for stage in row.stages if stage.get("name") != "load"]
    _end(
        held,
        now,
        state=State.LOADED,
        counts={**row.counts, "loaded": what.counts()},
        stages=[*stages, {"name": "load", "seconds": round(seconds, 3), "rows": what.rows}],
        top_matches=[{"subscription": number, "matches": count} for number, count in what.top],
        alerts=usual_range.alerts(tonight, before),
        problem="",
    )
    snapshot_for_run.forget(held.directory)
    for path in (*held.directory.glob("snapshot-*"), held.directory / KNOWN):
        shutil.rmtree(path, ignore_errors=True)  # large, and of no use any more


def failed(held: Held, problem: str, *, now: datetime) -> None:
    """It can be begun again. Raises LostRun."""
    _end(held, now, state=State.FAILED, problem=problem)
    if spark.manifest(held.directory) is None:
        snapshot_for_run.forget(held.directory)


def unfinished() -> list[NightlyRun]:
    """Those that somebody began and left, killed. Under an older mapping nobody goes on with one."""
    states = (State.PREPARED, State.COMPUTED)
    left = _free().filter(state__in=states, mapping__in=mappings.newest_numbers())
    return list(left.order_by("date", "pk"))


def forget_files(*, before: date) -> int:
    """Delete the files of nights before this day that ended; how many. What was counted stays."""
    old = NightlyRun.objects.filter(date__lt=before, ended_at__isnull=False, leased_until=None)
    ended = list(old.exclude(directory=""))
    for row in ended:
        snapshot_for_run.forget(Path(row.directory))
        shutil.rmtree(row.directory, ignore_errors=True)
        NightlyRun.objects.filter(pk=row.pk, directory=row.directory).update(directory="")
    return len(ended)


def _free() -> QuerySet[NightlyRun]:
    """What nobody holds."""
    return NightlyRun.objects.filter(Q(leased_until=None) | Q(leased_until__lt=Now()))


def _taken(row: NightlyRun) -> str:
    token = uuid4().hex
    if not _free().filter(pk=row.pk).update(holder=token, leased_until=Now() + LEASE):
        raise AlreadyRunning(_("Another process is running {run}.", run=str(row)))
    return token


def _fresh(root: Path, mapping: SiteMapping, day: date, token: str) -> Path:
    return root / mapping.site / day.isoformat() / f"v{mapping.version}-{token[:8]}"


def _end(held: Held, now: datetime, **changes: Any) -> None:
    _update(held, **changes, ended_at=now)
    _let_go(held.number, held.token)


def _let_go(number: int, token: str) -> None:
    NightlyRun.objects.filter(pk=number, holder=token).update(holder="", leased_until=None)


def _update(held: Held, **changes: Any) -> None:
    if not NightlyRun.objects.filter(pk=held.number, holder=held.token).update(**changes):
        raise LostRun(_("Another process has taken this run over."))
