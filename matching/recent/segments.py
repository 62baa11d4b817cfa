"""Many events as columns: an array for each attribute. Pure.

A segment has its events in the order of their numbers. A column lists the values of one attribute, event by
event; `rows` says to which event each belongs, and is left out where every event has exactly one. Numbers
are kept as doubles, anything else as its place in the sorted list of the segment's distinct strings: for
text attributes the words.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schema_registry.core.domains import Value
from schema_registry.core.events import Event

Ints = NDArray[np.int32]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """Since 1970, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


class RecentEvent(NamedTuple):
    number: int
    accepted_at: int  # microseconds
    event: Event


class Strings(Sequence[bytes]):
    """Distinct strings in ascending order, as UTF-8, which has the order of the code points.

    Its place stands for a string. Finding one costs O(log strings).
    """

    def __init__(self, characters: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.characters, self.ends = characters, ends

    @classmethod
    def of(cls, ordered: Sequence[bytes]) -> "Strings":
        ends = np.cumsum(np.fromiter(map(len, ordered), np.int64, len(ordered)), dtype=np.int64)
        return cls(np.frombuffer(b"".join(ordered), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, place: Any) -> Any:
        first = self.ends[place - 1] if place else 0
        return self.characters[first : self.ends[place]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        joined, first = self.characters.tobytes(), 0
        for end in self.ends.tolist():
            yield joined[first:end]
            first = end

    def below(self, value: str) -> int:
        """How many strings are below this one; its own place if it is there."""
        return bisect_left(self, value.encode())

    def not_above(self, value: str) -> int:
        return bisect_right(self, value.encode())

    def place(self, value: str) -> int | None:
        place = self.below(value)
        return place if place < len(self) and self[place] == value.encode() else None

    @cached_property
    def texts(self) -> list[str]:
        """All of them; for finite domains only, which have few."""
        return [each.decode() for each in self]


@dataclass(frozen=True, slots=True)
class Column:
    """`present` names the events that have the attribute, where some of them have no value: a text may have
    no words. `strings` is None for numbers."""

    values: NDArray[Any]
    rows: Ints | None
    present: Ints | None = None
    strings: Strings | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """`accepted_at` is in microseconds; `version` is the newest schema version of its events."""

    ids: NDArray[np.int64]
    accepted_at: NDArray[np.int64]
    version: int
    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(self.ids)

    def places_of(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where events of these numbers are, and which of the numbers are here."""
        places = np.minimum(np.searchsorted(self.ids, numbers), max(0, len(self) - 1))
        return places, self.ids[places] == numbers

    def check_invariants(self) -> None:
        assert len(self.ids) == len(self.accepted_at)
        assert (np.diff(self.ids) > 0).all()
        for column in self.columns.values():
            assert column.rows is not None or len(column.values) == len(self)
            for rows in (column.rows, column.present):
                assert rows is None or ((np.diff(rows) >= 0).all() and (rows < len(self)).all())
            assert column.rows is None or len(column.rows) == len(column.values)
            if column.strings is not None:
                assert all(low < high for low, high in pairwise(column.strings))
                assert (column.values < len(column.strings)).all()


def encode(events: Sequence[RecentEvent]) -> Segment:
    """The segment of these events, which come in the order of their numbers. O(values * log)."""
    drafts: dict[str, _Draft] = {}
    for row, each in enumerate(events):
        for name, values in each.event.values.items():
            draft = drafts.get(name)
            if draft is None:
                draft = drafts[name] = _Draft(is_text=name in each.event.texts)
            draft.add(row, values)
    return Segment(
        ids=np.array([each.number for each in events], np.int64),
        accepted_at=np.array([each.accepted_at for each in events], np.int64),
        version=max((each.event.schema_version for each in events), default=0),
        columns={name: draft.column(len(events)) for name, draft in drafts.items()},
    )


def merged(first: Segment, second: Segment) -> Segment:
    """Both as one; the numbers of the second come after those of the first. O(values + strings)."""
    names = first.columns.keys() | second.columns.keys()
    sides = (first, second)
    return Segment(
        ids=np.concatenate((first.ids, second.ids)),
        accepted_at=np.concatenate((first.accepted_at, second.accepted_at)),
        version=max(first.version, second.version),
        columns={name: _joined([side.columns.get(name) for side in sides], sides) for name in sorted(names)},
    )


class _Draft:
    """A column in the making."""

    def __init__(self, *, is_text: bool) -> None:
        self._rows: list[int] = []
        self._values: list[Value] = []
        self._present: list[int] | None = [] if is_text else None

    def add(self, row: int, values: Sequence[Value]) -> None:
        self._values += values
        self._rows += [row] * len(values)
        if self._present is not None:
            self._present.append(row)

    def column(self, events: int) -> Column:
        rows = _unless_each_once(np.array(self._rows, np.int32), events)
        present = None if self._present is None else np.array(self._present, np.int32)
        if self._values and not isinstance(self._values[0], str):
            return Column(np.array(self._values, np.float64), rows)
        ordered = sorted(str(value) for value in set(self._values))
        place = {value: number for number, value in enumerate(ordered)}
        values = np.fromiter((place[str(value)] for value in self._values), np.int32, len(self._values))
        return Column(values, rows, present, Strings.of([value.encode() for value in ordered]))


def _joined(columns: Sequence[Column | None], sides: Sequence[Segment]) -> Column:
    shifts = (0, len(sides[0]))
    there = [
        (column, shift, len(side))
        for column, shift, side in zip(columns, shifts, sides, strict=True)
        if column is not None
    ]
    rows = np.concatenate([_rows(column, count) + np.int32(shift) for column, shift, count in there])
    total = sum(len(side) for side in sides)
    if there[0][0].strings is None:
        values = np.concatenate([column.values for column, *_ in there])
        return Column(values, _unless_each_once(rows, total))
    strings, values = _renumbered([column for column, *_ in there])
    present = [column.present + np.int32(shift) for column, shift, _ in there if column.present is not None]
    named = np.concatenate(present) if present else None
    return Column(values, _unless_each_once(rows, total), named, strings)


def _renumbered(columns: Iterable[Column]) -> tuple[Strings, Ints]:
    """One list of strings for all, and the values by their places in it."""
    lists = [(column, list(column.strings or ())) for column in columns]
    ordered = sorted({each for _, strings in lists for each in strings})
    place = {each: number for number, each in enumerate(ordered)}
    values = [
        np.fromiter((place[each] for each in strings), np.int32, len(strings))[column.values]
        for column, strings in lists
    ]
    return Strings.of(ordered), np.concatenate(values)


def _rows(column: Column, events: int) -> Ints:
    return np.arange(events, dtype=np.int32) if column.rows is None else column.rows


def _unless_each_once(rows: Ints, events: int) -> Ints | None:
    is_each_once = len(rows) == events and bool((rows == np.arange(events)).all())
    return None if is_each_once else rows
