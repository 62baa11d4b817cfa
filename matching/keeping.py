"""Upkeep of a worker's matcher: now and then it is merged, and saved for the next start.

Both go on in a thread beside matching, one at a time. Of several workers with the same folder one saves:
whoever holds its lock, until it ends, however that happens.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from matching import failpoints, live_snapshots, metrics
from matching.live import LiveMatcher
from matching.live_snapshots import Facts
from matching.models import KeptSnapshot

if TYPE_CHECKING:
    from matching.engine.engine import Engine

SAVED_EVERY = timedelta(minutes=5)
MERGED_EVERY = timedelta(hours=6)
FEW_CHANGES = 1_000
_ONE_IN = 4  # subscriptions that have changed, and a merge pays
_TELL_EVERY = timedelta(hours=1)
_log = structlog.get_logger(__name__)


class Keeper:
    """Used by one thread, the one that matches."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock: int | None = None
        self._thread: threading.Thread | None = None
        self._tokens: set[str] = set()

    def tend(self, live: LiveMatcher, *, now: datetime) -> None:
        """Begin what is due, unless something is under way. A matcher without snapshots needs nothing."""
        engine = live.engine
        if engine is None or (self._thread is not None and self._thread.is_alive()):
            return
        if live.merged_at is None:
            live.merged_at = now  # made of the database, it is as good as merged
        if live.changes > max(FEW_CHANGES, len(live) // _ONE_IN) or now - live.merged_at >= MERGED_EVERY:
            live.changes, live.merged_at = 0, now
            self._begin("merged", partial(_merge, engine))
        elif self._may_save():
            self._tell(live.snapshot, now)
            if _is_save_due(live, live.merged_at, now):
                self._begin("saved", self._saving(live, engine, live.merged_at, now))

    def wait(self, seconds: float) -> None:
        """Until what is under way is done, for so long at most."""
        if self._thread is not None:
            self._thread.join(seconds)

    def leave(self) -> None:
        """Let another one save. The end of the process does the same."""
        self.wait(threading.TIMEOUT_MAX)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _begin(self, what: str, work: Callable[[], None]) -> None:
        """Let a thread do it, which has no connection to the database."""
        self._thread = threading.Thread(target=_done, args=(what, work), name="keeping", daemon=True)
        self._thread.start()

    def _saving(
        self, live: LiveMatcher, engine: "Engine", merged_at: datetime, now: datetime
    ) -> Callable[[], None]:
        """How to save what there is now.

        The database hears of the snapshot before it is there, and keeps the changes since. By the time it is
        written the engine may know some of these; reading them again then changes nothing.
        """
        facts = Facts.of_now(shard=live.shard, sequence=live.sequence, merged_at=merged_at, now=now)
        expiries = live.expiries.arrays()
        KeptSnapshot.objects.create(token=facts.token, sequence=facts.sequence, seen_at=now)
        failpoints.reached("snapshot.announced")
        self._tokens |= {facts.token, live_snapshots.token_in(self._folder) or ""}

        def save() -> None:
            live_snapshots.write(self._folder, engine, expiries, facts)
            live.snapshot = facts
            metrics.SNAPSHOTS.inc()

        return save

    def _may_save(self) -> bool:
        """Whether we are the one who saves; if nobody is, we are from now on."""
        if self._lock is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._folder / "keeper", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return False
            self._lock = lock
        return True

    def _tell(self, kept: Facts | None, now: datetime) -> None:
        """Let the database forget the snapshots that were replaced, and know that this one is still there."""
        if kept is None:
            return
        if replaced := self._tokens - {kept.token}:
            KeptSnapshot.objects.filter(token__in=replaced).delete()
        self._tokens = {kept.token}
        KeptSnapshot.objects.filter(token=kept.token, seen_at__lt=now - _TELL_EVERY).update(seen_at=now)


def _is_save_due(live: LiveMatcher, merged_at: datetime, now: datetime) -> bool:
    saved = live.snapshot
    if saved is None:
        return True
    is_news = saved.sequence != live.sequence or saved.merged_at != merged_at.isoformat()
    return is_news and now - datetime.fromisoformat(saved.saved_at) >= SAVED_EVERY


def _merge(engine: "Engine") -> None:
    failpoints.reached("merge.begun")
    engine.merge()
    failpoints.reached("merge.done")
    metrics.MERGES.inc()


def _done(what: str, work: Callable[[], None]) -> None:
    began = time.monotonic()
    try:
        work()
    except Exception:  # matching does not depend on it, and the next turn tries again
        _log.exception("matcher_not_kept")
    else:
        _log.info("matcher_kept", what=what, seconds=round(time.monotonic() - began, 3))
