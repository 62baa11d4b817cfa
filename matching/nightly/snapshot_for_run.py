"""The subscriptions as they are when a run begins: files for Spark to match with, and for the loader.

`snapshot-0`, `snapshot-1` ... are engine snapshots, one for each shard of the subscriptions; `expiries-0` ...
say when these expire; `snapshot.json` says to which change they belong. They have all changes up to that one
and perhaps some after it: the loader deals with all that changed since. The database hears of the snapshot
before it is made, and so keeps the log from there on.
"""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import numpy as np

from matching import failpoints
from matching.change_log import MATCHED_STATES, cut_up_to, last_change
from matching.expiries import Expiries
from matching.live import LiveMatcher
from matching.live_snapshots import UnfitSnapshotError
from matching.models import ChangeCounter, KeptSnapshot, Subscription
from matching.recent import files
from matching.shards import MOST, Shard, split

# Measured with 100,000 of the auction workload it is 200; the id maps and few subscriptions take more.
BYTES_PER_SUBSCRIPTION = 500
FACTS = "snapshot.json"
_MATCHER = "engine"


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """What a snapshot says of itself; `shards` is into how many parts it is split."""

    token: str
    epoch: int
    sequence: int
    subscriptions: int
    shards: int

    def folders(self, run: Path) -> list[Path]:
        return [run / f"snapshot-{shard.number}" for shard in split(self.shards)]


def write(
    run: Path, *, memory: int, now: datetime, snapshots: Path | None = None, live_shards: int = 1
) -> RunSnapshot:
    """Write the snapshot into the run's directory, in as many parts as keep each within so many bytes.

    `snapshots` is the folder of the workers' own, which have `live_shards`; where it has no snapshot that
    fits, the subscriptions are read from the database. O(subscriptions).
    """
    count = Subscription.objects.filter(state__in=MATCHED_STATES).count()
    shards = min(MOST, max(1, -(-count * BYTES_PER_SUBSCRIPTION // memory)))
    counter, _ = ChangeCounter.objects.get_or_create(pk=1)
    facts = RunSnapshot(
        token=uuid4().hex,
        epoch=counter.epoch,
        sequence=last_change(),
        subscriptions=count,
        shards=shards,
    )
    KeptSnapshot.objects.create(token=facts.token, sequence=facts.sequence, seen_at=now)
    failpoints.reached("nightly.snapshot-announced")
    files.replace(run / FACTS, json.dumps(asdict(facts)).encode())  # first: so it can always be forgotten
    for shard, folder in zip(split(shards), facts.folders(run), strict=True):
        _write_shard(shard, folder, facts, snapshots if shards == live_shards else None)
    return facts


def read(run: Path) -> RunSnapshot:
    return RunSnapshot(**json.loads((run / FACTS).read_text()))


def expiries(run: Path, snapshot: RunSnapshot) -> Expiries:
    """When the subscriptions of all parts expire."""
    parts = [files.read(_expiries_file(folder), thoroughly=True) for folder in snapshot.folders(run)]
    ids = np.concatenate([part["ids"] for part in parts])
    moments = np.concatenate([part["moments"] for part in parts])
    order = np.argsort(ids, kind="stable")
    return Expiries({"ids": ids[order], "moments": moments[order]})


def fitting(run: Path) -> RunSnapshot:
    """The run's snapshot if the log tells what changed since: not after a restore, nor if it was cut.

    Raises UnfitSnapshotError.
    """
    try:
        snapshot = read(run)
    except (OSError, ValueError, TypeError):
        raise UnfitSnapshotError(f"There is no snapshot in {run}.") from None
    counter, _ = ChangeCounter.objects.get_or_create(pk=1)
    is_known = KeptSnapshot.objects.filter(token=snapshot.token).exists()
    if not is_known or snapshot.epoch != counter.epoch or snapshot.sequence > counter.last:
        raise UnfitSnapshotError(f"The database does not know the snapshot in {run}.")
    if cut_up_to() > snapshot.sequence:
        raise UnfitSnapshotError(f"The changes since the snapshot in {run} are no longer in the log.")
    return snapshot


def renew(run: Path, *, now: datetime) -> None:
    """It is still needed."""
    KeptSnapshot.objects.filter(token=read(run).token).update(seen_at=now)


def forget(run: Path) -> None:
    """Nobody needs it any more, if there is one: the log may be cut."""
    try:
        snapshot = read(run)
    except (OSError, ValueError, TypeError):
        return
    KeptSnapshot.objects.filter(token=snapshot.token).delete()


def _write_shard(shard: Shard, folder: Path, facts: RunSnapshot, snapshots: Path | None) -> None:
    live = LiveMatcher(
        _MATCHER, snapshots=None if snapshots is None else shard.folder_in(snapshots), shard=shard
    )
    engine = live.engine
    assert engine is not None
    files.write(_expiries_file(folder), live.expiries.arrays())
    engine.save(folder, token=facts.token, sequence=facts.sequence)


def _expiries_file(folder: Path) -> Path:
    return folder.with_name(folder.name.replace("snapshot", "expiries"))
