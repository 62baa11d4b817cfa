"""Snapshots of the live matcher: files from which a worker starts in a moment. They are only a cache.

A folder has the engine's own files and one with the moments of expiry. The engine's manifest, replaced in one
step, names that one too, so both always belong together. The database knows which snapshots are kept: one
that it does not know, or that is not of its past, is refused with a sentence, and the matcher is built from
the database.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import structlog
from numpy.typing import NDArray

from matching import failpoints
from matching.expiries import Expiries
from matching.models import ChangeCounter, KeptSnapshot
from matching.recent import files
from matching.recent.files import BrokenFileError
from matching.shards import WHOLE, Shard
from schema_registry.selectors import current_version

if TYPE_CHECKING:  # it brings a compiler along, which only a worker that matches needs
    from matching.engine.engine import Engine

HAVE_SNAPSHOTS = frozenset({"engine"})
_SEGMENTS = "segments"
_EXPIRIES = "expiries-"
_log = structlog.get_logger(__name__)


class UnfitSnapshotError(Exception):
    """A snapshot that is not of this database's past, or of other subscriptions; the message says why."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a snapshot says of itself. It has all changes up to `sequence`, and perhaps some after it."""

    epoch: int
    token: str
    sequence: int
    schema_version: int
    expiries: str
    saved_at: str
    merged_at: str
    shard: int = WHOLE.number
    shards: int = WHOLE.of

    @classmethod
    def of_now(cls, *, shard: Shard, sequence: int, merged_at: datetime, now: datetime) -> "Facts":
        token = uuid4().hex
        counter, _ = ChangeCounter.objects.get_or_create(pk=1)
        return cls(
            epoch=counter.epoch,
            token=token,
            sequence=sequence,
            schema_version=current_version().version,
            expiries=f"{_EXPIRIES}{token}",
            saved_at=now.isoformat(),
            merged_at=merged_at.isoformat(),
            shard=shard.number,
            shards=shard.of,
        )


@dataclass(frozen=True, slots=True)
class OpenedSnapshot:
    engine: "Engine"
    expiries: Expiries
    facts: Facts


def opened(folder: Path, shard: Shard = WHOLE) -> OpenedSnapshot | None:
    """The snapshot there, if it is of this shard and fits the database; if not, the log says why."""
    from matching.engine.snapshots import MANIFEST, SnapshotError

    if not (folder / _SEGMENTS / MANIFEST).exists():
        return None
    try:
        return _opened(folder, shard)
    except (SnapshotError, BrokenFileError, UnfitSnapshotError) as error:
        _log.warning("snapshot_refused", reason=f"{error} The matcher is built from the database.")
        return None


def write(folder: Path, engine: "Engine", expiries: Mapping[str, NDArray[Any]], facts: Facts) -> None:
    """Write the next snapshot into the folder; the one before stays until it is whole. One at a time.

    It asks nothing of the database, so it may be done in a thread, beside matching and changes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    before = token_in(folder)
    files.write(folder / facts.expiries, expiries)
    failpoints.reached("snapshot.half-written")
    engine.save(
        folder / _SEGMENTS,
        before_commit=partial(failpoints.reached, "snapshot.before-commit"),
        **asdict(facts),
    )
    failpoints.reached("snapshot.after-commit")
    # The one before stays once more: somebody may just have read that it is the one to open.
    kept = {facts.expiries, f"{_EXPIRIES}{before}"}
    for path in folder.glob(f"{_EXPIRIES}*"):
        if path.name not in kept:
            path.unlink(missing_ok=True)


def token_in(folder: Path) -> str | None:
    """The token of the snapshot in the folder, whether it can be used or not."""
    from matching.engine.snapshots import SnapshotError, read_manifest

    try:
        token = read_manifest(folder / _SEGMENTS)["facts"]["token"]
    except (SnapshotError, KeyError, TypeError):
        return None
    return str(token)


def _opened(folder: Path, shard: Shard) -> OpenedSnapshot:
    from matching.engine.engine import Engine

    engine = Engine.open(folder / _SEGMENTS)
    try:
        facts = Facts(**engine.facts)
    except TypeError:
        said = f"The snapshot in {folder} was written by another version of this program."
        raise UnfitSnapshotError(said) from None
    _check_fit(facts, folder, shard)
    arrays = files.read(folder / facts.expiries, thoroughly=True)
    if arrays.keys() != {"ids", "moments"}:
        raise BrokenFileError(f"{facts.expiries} has other arrays than it should.")
    return OpenedSnapshot(engine, Expiries(arrays), facts)


def _check_fit(facts: Facts, folder: Path, shard: Shard) -> None:
    """Raises UnfitSnapshotError."""
    if (of := Shard(facts.shard, facts.shards)) != shard:
        raise UnfitSnapshotError(f"The snapshot in {folder} is of {of}, and needed is {shard}.")
    counter, _ = ChangeCounter.objects.get_or_create(pk=1)
    if facts.epoch != counter.epoch:
        raise UnfitSnapshotError(f"The snapshot in {folder} belongs to another database.")
    if facts.sequence > counter.last or facts.schema_version > current_version().version:
        raise UnfitSnapshotError(f"The snapshot in {folder} is ahead of the database, which was restored.")
    if facts.sequence < counter.cut_up_to:
        raise UnfitSnapshotError(f"The changes since the snapshot in {folder} are no longer in the log.")
    if not KeptSnapshot.objects.filter(token=facts.token).exists():
        said = f"The database does not know the snapshot in {folder}: it was restored, or long without it."
        raise UnfitSnapshotError(said)
