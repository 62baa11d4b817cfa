"""Loading a run: its events and matches go into the tables, as if they had been published and matched live.

It is done chunk by chunk. A transaction accepts the events, with their work leased to us. Then we catch up
with the log, so that every subscription acknowledged before is matched and none that was removed before;
correct what Spark found by it; and record the matches, which lets the work go and has people told. Should we
die, the lease runs out and a worker matches those events itself. Done again, all that is stored is a repeat.

Where the log cannot tell what changed since the snapshot, the events are left to the workers from the start.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import structlog

from matching import failpoints, leases
from matching.feeds.night_order import Order
from matching.leases import Leased
from matching.live_snapshots import UnfitSnapshotError
from matching.nightly import computed, snapshot_for_run
from matching.nightly.acceptance import Accepted, accept
from matching.nightly.computed import ComputedEvent, UnusableFilesError
from matching.nightly.delta import Delta, LogWasCutError
from matching.nightly.tally import Tally
from matching.recent.files import BrokenFileError
from matching.recording import Found, record
from matching.shards import Shard, split
from matching.small_transactions import ROWS_PER_TRANSACTION, give_way
from matching.stored_reasons import NOT_LOADED
from matching.wakeups import wake_matchers
from schema_registry.accounts.models import Publisher
from schema_registry.core.errors import InputError
from schema_registry.core.events import Event
from schema_registry.selectors import schema_at

TOP_MATCHES = 20
_MOST_MATCHES = 100_000  # of a chunk: an event may match everybody
_RENEW_EVERY = timedelta(minutes=10)  # long before the log would be cut without us
_log = structlog.get_logger(__name__)


class UnusableRun(InputError):  # noqa: N818 - named for what happened, as its siblings in the core
    """What was computed cannot be read, or is not all of it."""

    code = "unusable_run"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the run's events so far; `left` were accepted and are matched by the workers."""

    events: int = 0
    repeats: int = 0
    refused: int = 0
    left: int = 0
    matches: int = 0
    top: Sequence[tuple[int, int]] = ()

    @property
    def rows(self) -> int:
        return self.events + self.repeats + self.refused

    def counts(self) -> dict[str, int]:
        return {name: value for name, value in asdict(self).items() if name != "top"}


Tell = Callable[[Loaded], object]


def load(
    run: Path,
    *,
    publisher: Publisher,
    names_revisions: bool,
    matcher: str,
    shards: int,
    clock: Callable[[], datetime],
    order: Order = Order.AFTER,
    tell: Tell = lambda _so_far: None,
) -> Loaded:
    """Load what Spark has computed; `tell` hears of the progress after each chunk.

    `shards` is into how many the subscriptions are split for live matching; `order` is where the night stands
    among those of its site. Raises OthersPublish, and UnusableRun where Spark's files are not what they were.
    """
    try:
        return _load(run, _Loader(run, publisher, names_revisions, order, matcher, shards, clock), tell)
    except UnusableFilesError as error:
        computed.forget_manifest(run)
        raise UnusableRun(NOT_LOADED(directory=run, error=error)) from error


def _load(run: Path, loader: "_Loader", tell: Tell) -> Loaded:
    tally = Tally()
    loaded = Loaded()
    at_once = max(1, min(leases.BATCH, ROWS_PER_TRANSACTION // (1 + loader.shards)))
    for chunk in computed.events(run, at_once=at_once, most_matches=_MOST_MATCHES):
        loaded = _sum(loaded, loader.load(chunk))
        tally.add(event.subscriptions for event in chunk)
        tell(loaded)
    return replace(loaded, top=tally.top(TOP_MATCHES))


class _Loader:
    def __init__(
        self,
        run: Path,
        publisher: Publisher,
        names_revisions: bool,
        order: Order,
        matcher: str,
        shards: int,
        clock: Callable[[], datetime],
    ) -> None:
        self._publisher = publisher
        self._names_revisions = names_revisions
        self._order = order
        self.shards = shards
        self._shards = split(shards)
        self._clock = clock
        self._run = run
        self._renewed_at = clock()
        self._delta = _delta(run, matcher)

    def load(self, events: Sequence[ComputedEvent]) -> Loaded:
        now = self._clock()
        self._keep_the_log(now)
        accepted = accept(
            self._publisher,
            events,
            names_revisions=self._names_revisions,
            order=self._order,
            now=now,
            shards=len(self._shards),
            is_ours=self._delta is not None,
        )
        if accepted.new:
            give_way()
        found = self._found(accepted, now)
        if found is None and accepted.new:
            wake_matchers()
        if found:
            failpoints.reached("load.before-recording")
            record(found, shard=self._shards[0])
        return Loaded(
            events=len(accepted.new),
            repeats=accepted.repeats,
            refused=accepted.refused,
            left=len(accepted.new) if found is None else 0,
            matches=sum(len(ids) for _work, ids in found or ()),
        )

    def _found(self, accepted: Accepted, now: datetime) -> list[Found] | None:
        """Each piece of work with its matches; None if the workers have to find out."""
        if self._delta is None:
            return None
        new = [event for _number, event in accepted.new]
        try:
            self._delta.catch_up()
        except LogWasCutError as error:
            _log.warning("log_was_cut", reason=f"{error} The rest is left to the workers.")
            self._delta = None
            leases.give_back(accepted.work)
            return None
        matches = self._delta.corrected(
            [event.subscriptions for event in new], lambda: _restored(new), accepted_at=now
        )
        return _by_work(accepted, matches, self._shards)

    def _keep_the_log(self, now: datetime) -> None:
        if now - self._renewed_at > _RENEW_EVERY:
            snapshot_for_run.renew(self._run, now=now)
            self._renewed_at = now


def _delta(run: Path, matcher: str) -> Delta | None:
    """What changed since the run's snapshot; None, and the log says why, if that cannot be known."""
    try:
        snapshot = snapshot_for_run.fitting(run)
        delta = Delta(matcher, sequence=snapshot.sequence, expiries=snapshot_for_run.expiries(run, snapshot))
        delta.catch_up()  # a long way is gone before there is a lease to run out
    except (UnfitSnapshotError, BrokenFileError, LogWasCutError) as error:
        _log.warning("snapshot_is_unfit", reason=f"{error} The events are left to the workers.")
        return None
    return delta


def _restored(events: Sequence[ComputedEvent]) -> list[Event]:
    schemas = {version: schema_at(version) for version in {event.schema_version for event in events}}
    return [schemas[event.schema_version].validate(json.loads(event.document)) for event in events]


def _by_work(accepted: Accepted, matches: Sequence[list[int]], shards: Sequence[Shard]) -> list[Found]:
    """Each piece of work with the matches of its shard; it was taken by event and then by shard."""
    of_event = {number: ids for (number, _event), ids in zip(accepted.new, matches, strict=True)}
    pieces: list[tuple[Leased, list[int]]] = []
    for place, work in enumerate(accepted.work):
        shard, ids = shards[place % len(shards)], of_event[work.event]
        pieces.append((work, ids if shard.is_whole else [each for each in ids if shard.holds(each)]))
    return pieces


def _sum(first: Loaded, second: Loaded) -> Loaded:
    return Loaded(
        events=first.events + second.events,
        repeats=first.repeats + second.repeats,
        refused=first.refused + second.refused,
        left=first.left + second.left,
        matches=first.matches + second.matches,
    )
