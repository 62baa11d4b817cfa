"""Looking after nights that nobody looks after: those that were cut off, how they ended, what they left."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.db.models.functions import Coalesce

from matching.models import NightlyRun
from matching.nightly import leasing, mappings, runs, snapshot_for_run
from matching.nightly.leasing import AlreadyRunning, SiteIsBusy
from matching.nightly.runs import State
from matching.stored_reasons import CUT_OFF

MOST_ATTEMPTS = 5
TRYING = "trying-"  # how the directory of a dry run begins
_LONGEST_TRIAL = timedelta(days=1)
_MOST_AT_ONCE = 100


def unfinished() -> list[NightlyRun]:
    """Those that somebody began and left, killed, of each site the oldest first.

    Under an older mapping nobody goes on with one.
    """
    states = (State.PREPARED, State.COMPUTED)
    left = leasing.free().filter(state__in=states, mapping__in=mappings.newest_numbers())
    return list(left.order_by("date", "pk"))


def busy_sites() -> set[str]:
    """Of which somebody runs a night now."""
    return set(leasing.held().values_list("site", flat=True))


def give_up(*, now: datetime) -> None:
    """No night is begun for ever: one that was cut off again and again has failed."""
    problem = CUT_OFF(count=MOST_ATTEMPTS)
    for run in unfinished():
        if run.attempts >= MOST_ATTEMPTS:
            runs.not_begun(run.mapping, run.date, problem, now=now)


def ended() -> Iterator[NightlyRun]:
    """The nights that ended since this was asked last, each once."""
    waiting = NightlyRun.objects.filter(is_reported=False, state__in=(State.LOADED, State.FAILED))
    for run in waiting.order_by("ended_at", "pk")[:_MOST_AT_ONCE]:
        if NightlyRun.objects.filter(pk=run.pk, is_reported=False).update(is_reported=True):
            yield run


def forget_files(*, before: datetime) -> int:
    """Delete the files of nights that ended before, or were left then; how many. What was counted stays."""
    old = leasing.free().annotate(last=Coalesce("ended_at", "began_at")).filter(last__lt=before)
    count = 0
    for row in old.exclude(directory=""):
        try:
            token = leasing.take(row)
        except (AlreadyRunning, SiteIsBusy):
            continue
        snapshot_for_run.forget(Path(row.directory))
        shutil.rmtree(row.directory, ignore_errors=True)
        NightlyRun.objects.filter(pk=row.pk, holder=token).update(directory="")
        leasing.let_go(row.pk, token)
        count += 1
    return count


def sweep(root: Path, *, now: datetime, before: datetime) -> None:
    """Delete what killed processes left: dry runs of more than a day, and directories of no run."""
    for folder in root.glob(f"{TRYING}*"):
        _delete_if_older(folder, now - _LONGEST_TRIAL)
    kept = set(NightlyRun.objects.exclude(directory="").values_list("directory", flat=True))
    for folder in root.glob("*/*/v*-*"):
        if str(folder) not in kept:
            _delete_if_older(folder, before)
    for folder in root.glob("*/????-??-??"):
        if not any(folder.iterdir()):
            _delete_if_older(folder, before)


def _delete_if_older(folder: Path, moment: datetime) -> None:
    try:
        is_old = folder.stat().st_mtime < moment.timestamp()
    except FileNotFoundError:
        return
    if is_old:
        shutil.rmtree(folder, ignore_errors=True)
