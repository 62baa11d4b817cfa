"""The life of a nightly run: begun by one process, computed by Spark, loaded, or failed with a sentence.

A night of a site under one version of its mapping is one row, however often it is run. Whoever runs it holds
a lease by the database's time, renewed beside the work, so a killed one is begun again soon, by whoever
comes first. What Spark left complete is then loaded; anything less is computed anew in a fresh directory.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from django.db.models.functions import Now

from matching import failpoints
from matching.feeds.night_order import Order
from matching.feeds.run_layout import KNOWN
from matching.models import NightlyRun, SiteMapping
from matching.nightly import computed as spark
from matching.nightly import leasing, snapshot_for_run, usual_range
from matching.nightly.leasing import LEASE, SiteIsBusy
from matching.nightly.loading import Loaded
from matching.stored_reasons import NO_MANIFEST
from schema_registry.core.errors import InputError
from schema_registry.core.sentences import gettext as _

MOST_TOLD = 1_000  # quarantined files that the row names
State = NightlyRun.State


class AlreadyLoaded(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """It is done, and nobody asked for it again."""

    code = "already_loaded"


class LostRun(InputError):  # noqa: N818 - named for what happened
    """We were taken for dead, and another process runs it now."""

    code = "lost_run"


@dataclass(frozen=True, slots=True)
class Held:
    """A run that is ours. If it `is_computed` already, only loading is left; `is_again` if it was loaded."""

    number: int
    token: str
    directory: Path
    is_computed: bool
    is_again: bool = False


def begin(
    mapping: SiteMapping,
    day: date,
    *,
    root: Path,
    now: datetime,
    again: bool = False,
    told: Mapping[str, Any] | None = None,
) -> Held:
    """Take the run of this night; `told` is what it is run with, for whoever goes on with it.

    Raises AlreadyRunning, SiteIsBusy, and AlreadyLoaded unless it is asked for `again`.
    """
    row, is_new = NightlyRun.objects.get_or_create(
        site=mapping.site, date=day, mapping=mapping, defaults={"began_at": now}
    )
    failpoints.reached("nightly.named")
    try:
        token = leasing.take(row)
    except SiteIsBusy:
        if is_new:
            leasing.free().filter(pk=row.pk, directory="").delete()
        raise
    row.refresh_from_db()
    if row.state == State.LOADED and not again:
        leasing.let_go(row.pk, token)
        raise AlreadyLoaded(_("The night of {run} is loaded already.", run=str(row)))
    was_cut_off = row.state in (State.PREPARED, State.COMPUTED)
    begun = {
        "attempts": row.attempts + 1 if was_cut_off else 1,
        "told": dict(told or {}),
        "problem": "",
        "is_reported": False,
        "ended_at": None,
    }
    # Also where doing it again was cut off: its counts have what was loaded the last time.
    is_again = row.state == State.LOADED or "loaded" in row.counts
    before = Path(row.directory) if row.directory else None
    if before is not None and row.state != State.LOADED and spark.manifest(before) is not None:
        held = Held(row.pk, token, before, is_computed=True, is_again=is_again)
        _update(held, **begun)
        computed(held)
        return held
    if before is not None:
        snapshot_for_run.forget(before)
        shutil.rmtree(before, ignore_errors=True)  # a Spark that was left alone may still write there
    directory = root / mapping.site / day.isoformat() / f"v{mapping.version}-{token[:8]}"
    held = Held(row.pk, token, directory, is_computed=False, is_again=is_again)
    _update(held, **begun, state=State.PREPARED, directory=str(directory), began_at=now)
    failpoints.reached("nightly.before-directory")
    directory.mkdir(parents=True)
    return held


def is_computed(mapping: SiteMapping, day: date) -> bool:
    """Whether only loading is left of it."""
    rows = NightlyRun.objects.filter(site=mapping.site, date=day, mapping=mapping).exclude(directory="")
    row = rows.exclude(state=State.LOADED).first()
    return row is not None and spark.manifest(Path(row.directory)) is not None


def order(site: str, day: date, held: Held | None = None) -> Order:
    """Where the night stands among those of its site that may have stored something, ours left out."""
    others = NightlyRun.objects.filter(site=site, date__gte=day)
    if held is not None and not held.is_again:
        others = others.exclude(pk=held.number)
    # What has counts was computed: some of it may be stored, whatever became of the rest.
    days = [each for each, counts in others.values_list("date", "counts") if counts]
    if any(each > day for each in days):
        return Order.BEFORE
    return Order.SAME if days else Order.AFTER


def renew(held: Held) -> None:
    """It is still ours. Raises LostRun."""
    _update(held, leased_until=Now() + LEASE)


def computed(held: Held) -> None:
    """Spark is done: take over what its manifest says. Raises LostRun, and InputError without a manifest."""
    manifest = spark.manifest(held.directory)
    if manifest is None:
        raise InputError(NO_MANIFEST(directory=held.directory))
    before = NightlyRun.objects.values_list("counts", flat=True).get(pk=held.number)
    last = {"loaded": before["loaded"]} if "loaded" in before else {}
    _update(
        held,
        state=State.COMPUTED,
        counts={**manifest["counts"], **last},
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
    failpoints.reached("nightly.after-loaded")
    snapshot_for_run.forget(held.directory)
    for path in (*held.directory.glob("snapshot-*"), held.directory / KNOWN):
        shutil.rmtree(path, ignore_errors=True)  # large, and of no use any more
    for path in held.directory.glob("expiries-*"):
        path.unlink(missing_ok=True)


def failed(held: Held, problem: str, *, now: datetime) -> None:
    """It can be begun again. Raises LostRun."""
    _end(held, now, state=State.FAILED, problem=problem)
    if spark.manifest(held.directory) is None:
        snapshot_for_run.forget(held.directory)


def not_begun(mapping: SiteMapping, day: date, problem: str, *, now: datetime) -> None:
    """A night that should have been begun and could not: staff shall find it among the others."""
    row, _made = NightlyRun.objects.get_or_create(
        site=mapping.site, date=day, mapping=mapping, defaults={"began_at": now}
    )
    waiting = leasing.free().filter(pk=row.pk).exclude(state=State.LOADED)
    waiting.update(state=State.FAILED, problem=problem, ended_at=now, is_reported=False)


def _end(held: Held, now: datetime, **changes: Any) -> None:
    _update(held, **changes, ended_at=now)
    failpoints.reached("nightly.before-let-go")
    leasing.let_go(held.number, held.token)


def _update(held: Held, **changes: Any) -> None:
    if not NightlyRun.objects.filter(pk=held.number, holder=held.token).update(**changes):
        raise LostRun(_("Another process has taken this run over."))
