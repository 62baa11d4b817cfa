"""The production matcher: segments that never change, and what came since.

A reader takes the current view, which is one object: the segments, what came since and how much of it counts,
and the number of the last change. What goes is only marked with the change by which it went. So readers
never wait, and each sees all changes up to one, and none after it. Writers take turns.

What came since is made a segment when there is enough of it, together with the segments that are not much
larger; so there are few of them, and each subscription is moved O(log) times. `merge` makes one of all, laid
out by what is then known of events. Both go on beside readers and writers.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined
from matching.algorithms.base import Ids, Matcher
from matching.algorithms.columns import Matchable, SubscriptionColumns
from matching.engine import kernels, snapshots
from matching.engine import segment as segments
from matching.engine.batches import CodedEvents
from matching.engine.fresh import ROOM, Fresh
from matching.engine.programs import programs_of
from matching.engine.segment import Contents, Segment
from matching.engine.shapes import Shape
from matching.engine.snapshots import Snapshot
from matching.engine.statistics import Statistics
from matching.engine.views import View
from matching.engine.vocabulary import Vocabulary
from schema_registry.core.events import Event
from schema_registry.core.schema import Schema

Merging = Literal["beside", "at once", "when asked"]

SAMPLED_EVENTS = 1_000
SAMPLED_VALUES = 200_000  # an event may have thousands of them
_ONE_IN = 16  # events that go into the sample, once it is full
MOST_FRESH = 4_096
_WEIGHT_OF_A_CHECK = 7  # more, for what is checked for every event
_MUCH_LARGER = 8


class Engine(Matcher):
    """Any number of threads may match; those that change it take turns.

    Costs: add O(predicates) and remove O(1), each and O(log subscriptions) per segment; merge
    O(predicates * log). Who adds while something is loaded, or saved, waits; who matches never does.
    """

    def __init__(self, schema: Schema, *, merging: Merging = "beside") -> None:
        """`merging` says when what came since is made a segment: beside the work, in a thread, or at once."""
        super().__init__(schema)
        self.facts: Mapping[str, Any] = {}
        self._merging = merging
        self._vocabulary = Vocabulary()
        self._view = View((), (Fresh(),), (0,), 1)
        self._count = 0
        self._writing = threading.RLock()
        self._rearranging = threading.Lock()
        self._sample: deque[Event] = deque(maxlen=SAMPLED_EVENTS)
        self._seen = 0
        self._statistics: Statistics | None = None

    @classmethod
    def open(cls, path: Path | str, *, merging: Merging = "beside") -> "Engine":
        """The engine that was saved there; `facts` is what it was saved with. Raises SnapshotError."""
        snapshot = snapshots.opened(Path(path))
        try:
            return cls._of(snapshot, merging)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            said = f"The snapshot in {path} has something that this version of the program does not take"
            raise snapshots.SnapshotError(f"{said}: {error!r}.") from error

    @classmethod
    def _of(cls, snapshot: Snapshot, merging: Merging) -> "Engine":
        documents = snapshot.documents
        engine = cls(Schema.from_dict(documents["schema"]), merging=merging)
        engine.facts = snapshot.facts
        engine._vocabulary = Vocabulary.from_dict(documents["vocabulary"])
        engine._view = replace(engine._view, segments=snapshot.segments, change=documents["change"])
        engine._count = documents["subscriptions"]
        engine.operators.restore(documents["operators"])
        engine._sample.extend(
            Event({name: tuple(values) for name, values in each.items()}, {}, engine.schema)
            for each in documents["sample"]
        )
        return engine

    def save(
        self, path: Path | str, *, before_commit: Callable[[], object] | None = None, **facts: Any
    ) -> None:
        """Write a snapshot into the directory, with what the caller wants to know of it later.

        `before_commit` is called when all is written but what makes it the one that counts.
        """
        with self._rearranging, self.operators.changing(), self._writing:
            if any(self._view.counts):
                self._make_segment(len(self._view.segments))
            view = self._view
            kept = tuple(replace(segment, died=segment.died.copy()) for segment in view.segments)
            events = [event for event in tuple(self._sample) if event.schema_version <= self.schema.version]
            operators = self.operators.to_document()
            documents = {
                "schema": self.schema.to_dict(),
                "vocabulary": self._vocabulary.to_dict(),
                "sample": [{name: list(values) for name, values in event.values.items()} for event in events],
                "change": view.change,
                "subscriptions": self._count,
                "operators": operators,
            }
        has_operators = bool(operators["subscriptions"])
        written = Snapshot(kept, documents, facts, has_operators)
        snapshots.save(Path(path), written, before_commit=before_commit)

    def _size(self) -> int:
        return self._count

    def _holds(self, number: int) -> bool:
        view = self._view
        return any(number in fresh for fresh in view.fresh) or any(
            len(segment.rows_of(number)) for segment in view.segments
        )

    def _add(self, number: int, subscription: Matchable) -> None:
        with self._writing:
            self.follow(subscription.schema)
            change = self._view.change + 1
            conjunctions = subscription.conjunctions
            assert 0 < len(conjunctions) <= ROOM
            if not self._view.fresh[-1].has_room_for(len(conjunctions)):
                self._make_room()
            fresh = self._view.fresh[-1]
            programs = fresh.compiled(conjunctions, subscription.schema, self._vocabulary)
            try:
                self._let_go(number, change)
                fresh.add(number, programs)
            except BaseException:  # as by a time limit: what is half there is never counted, nor added to
                self._make_room()
                raise
            self._count += 1
            self._publish(change)
            if len(fresh) + _WEIGHT_OF_A_CHECK * fresh.checked_always >= MOST_FRESH:
                self._tidy()

    def _remove(self, number: int) -> None:
        with self._writing:
            change = self._view.change + 1
            if not self._let_go(number, change):
                raise KeyError(number)
            self._publish(change)

    def _load(self, columns: SubscriptionColumns) -> None:
        """Takes them as a segment of their own."""
        with self._writing:
            programs = programs_of(columns, self.schema, self._vocabulary)
            ids = np.repeat(columns.ids, np.diff(columns.conjunction_start))
            made = self._built(Contents(programs, np.arange(len(programs)), ids))
            change = self._view.change + 1
            if self._count:
                for number in columns.ids.tolist():
                    self._let_go(number, change)
            self._count += len(columns)
            view = self._view
            self._view = replace(view, segments=(*view.segments, made), change=change)

    def _match_ids(self, event: Event) -> Ids:
        return self._matched((event,))[1]

    def _match_ids_many(self, events: Iterable[Event]) -> tuple[Ids, Ids]:
        return self._matched(list(events))

    def coded(self, events: Sequence[Event]) -> CodedEvents:
        """The events in the numbers of this engine, for `match_coded` of it or of another one that was opened
        from the same snapshot. Events that subscriptions came to mention since are not all in it."""
        return self._vocabulary.coded(events, self.schema)

    def match_coded(self, coded: CodedEvents) -> tuple[Ids, Ids]:
        """What `match_ids_many` answers for the events that were coded; nothing is learnt of them.

        Conjunctions with operators are among the ids: `operators.decided_many` decides them.
        """
        directory = self._view.directory()
        return kernels.matched(directory.numbers, coded, len(self._vocabulary.attributes))

    def merge(self) -> None:
        """Make one segment of all there is."""
        with self._rearranging:
            self._make_segment(0)
        self.operators.reorder()

    def shape(self) -> Shape:
        """How it is laid out now. O(conjunctions); matching goes on beside it."""
        return Shape.of(self._view)

    def check_invariants(self) -> None:
        super().check_invariants()
        view = self._view
        assert len(np.unique(self._contents(view, 0).subscription)) == self._count
        assert [len(fresh) for fresh in view.fresh] == list(view.counts)
        for segment in view.segments:
            segment.check_invariants()

    def _matched(self, events: Sequence[Event]) -> tuple[Ids, Ids]:
        directory = self._view.directory()  # first: an event coded before an atom was added lacks it
        self._learn(events)
        coded = self._vocabulary.coded(events, self.schema)
        return kernels.matched(directory.numbers, coded, len(self._vocabulary.attributes))

    def _let_go(self, number: int, change: int) -> bool:
        """Mark a subscription as gone by this change; False if it is not there."""
        for fresh in self._view.fresh:
            if number in fresh:
                fresh.remove(number, change)
                self._count -= 1
                return True
        for segment in self._view.segments:
            if segment.let_go(number, change):
                self._count -= 1
                return True
        return False

    def _publish(self, change: int) -> None:
        view = self._view
        self._view = replace(view, counts=tuple(map(len, view.fresh)), change=change)

    def _make_room(self) -> None:
        view = self._view
        self._view = replace(view, fresh=(*view.fresh, Fresh()), counts=(*view.counts, 0))

    def _tidy(self) -> None:
        """Make a segment of what came since, unless somebody is at it."""
        if self._merging == "when asked" or not self._rearranging.acquire(blocking=False):
            return
        if self._merging == "at once":
            self._make_small_segment()
        else:
            try:
                threading.Thread(target=self._make_small_segment, name="merging", daemon=True).start()
            except RuntimeError:  # no more threads, or the interpreter ends; a later change tries again
                self._rearranging.release()

    def _make_small_segment(self) -> None:
        """Of what came since, and the newest segments that are not much larger. Ends the rearranging."""
        try:
            view = self._view
            first, rows = len(view.segments), sum(view.counts)
            while first and view.segments[first - 1].alive() <= _MUCH_LARGER * rows:
                first -= 1
                rows += view.segments[first].alive()
            self._make_segment(first, anew=len(self._sample) < SAMPLED_EVENTS)
        finally:
            self._rearranging.release()

    def _make_segment(self, first: int, *, anew: bool = True) -> None:
        """Make one segment of the segments from this one on and of what came since."""
        with self._writing:
            before = self._view
            self._make_room()
        made = self._built(self._contents(before, first), anew=anew)
        with self._writing:
            now = self._view
            for number in self._gone_since(before, first).tolist():
                made.let_go(number, now.change)
            later = now.segments[len(before.segments) :]
            merged = len(before.fresh)
            self._view = View(
                (*now.segments[:first], *([made] if len(made) else []), *later),
                now.fresh[merged:],
                now.counts[merged:],
                now.change,
            )

    def _contents(self, view: View, first: int) -> Contents:
        parts = [segment.contents(view.change) for segment in view.segments[first:]]
        for fresh, count in zip(view.fresh, view.counts, strict=True):
            parts.append(fresh.contents(count, view.change))
        return segments.together(parts)

    def _gone_since(self, before: View, first: int) -> NDArray[np.int64]:
        """The subscriptions of the view before that went while it was merged."""
        gone = [segment.ids()[segment.died > before.change] for segment in before.segments[first:]]
        gone += [
            fresh.gone_since(count, before.change)
            for fresh, count in zip(before.fresh, before.counts, strict=True)
        ]
        return np.unique(joined(gone, np.int64))

    def _built(self, contents: Contents, *, anew: bool = True) -> Segment:
        """A segment of these, by what is known of events; unless `anew`, by what was known before."""
        vocabulary = self._vocabulary
        counts = {"attributes": len(vocabulary.attributes), "atoms": vocabulary.atom_count}
        if anew or self._statistics is None:
            events = _newest(tuple(self._sample), SAMPLED_VALUES)
            self._statistics = Statistics.of(vocabulary.coded(events, self.schema), **counts)
        numeric = frozenset(each.number for each in tuple(vocabulary.attributes.values()) if each.is_numeric)
        return segments.built(contents, self._statistics.grown(**counts), numeric)

    def _learn(self, events: Sequence[Event]) -> None:
        """Keep some of the events, to know what is frequent."""
        for event in events:
            self._seen += 1
            if len(self._sample) < SAMPLED_EVENTS or self._seen % _ONE_IN == 0:
                self._sample.append(event)


def _newest(events: Sequence[Event], values: int) -> Sequence[Event]:
    """The last of these events, as many as have so many values together."""
    sizes = [sum(map(len, event.values.values())) for event in reversed(events)]
    return events[len(events) - sum(total <= values for total in accumulate(sizes)) :]
