"""Live matchers that start from a folder of snapshots and are saved into it."""

from datetime import datetime, timedelta
from pathlib import Path

from matching.keeping import SAVED_EVERY, Keeper
from matching.live import LiveMatcher
from matching.live_snapshots import Facts

SECONDS_TO_SAVE = 300


def started(folder: Path) -> LiveMatcher:
    return LiveMatcher("engine", snapshots=folder)


def saved(live: LiveMatcher, keeper: Keeper, *, now: datetime) -> Facts:
    """Let the keeper save it, as it does after a while, and tell the database."""
    later = now + SAVED_EVERY
    live.catch_up()
    for _ in ("a merge, if one is due, goes first", "it is saved"):
        keeper.tend(live, now=later)
        keeper.wait(SECONDS_TO_SAVE)
    assert live.snapshot is not None
    assert live.snapshot.sequence == live.sequence
    keeper.tend(live, now=later + timedelta(seconds=1))
    return live.snapshot
