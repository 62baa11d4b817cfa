"""Runs of rows, each sorted by key, that grow: what comes later finds its place in its owner's run.

All runs lie in one pool. One that has no room left moves to the pool's end, with half as much room again;
so a row is moved O(1) times on average, and there is no Python object for a run.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from matching.algorithms.arrays import GrowingArray

Rows = NDArray[np.int64]


class SortedRuns:
    """Costs: inserting O(rows of the runs touched * log), searching O(runs * log of the longest)."""

    __slots__ = ("_columns", "_key", "_length", "_room", "_start")

    def __init__(self, key: DTypeLike, **columns: DTypeLike) -> None:
        self._start, self._length, self._room = (GrowingArray(np.int64) for _ in range(3))
        self._key = GrowingArray(key)
        self._columns = {name: GrowingArray(dtype) for name, dtype in columns.items()}

    def __len__(self) -> int:
        """How many owners there are."""
        return len(self._start)

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self._columns[column].array

    @property
    def key(self) -> NDArray[Any]:
        return self._key.array

    def lengths_of(self, owners: Rows) -> NDArray[np.int64]:
        lengths: NDArray[np.int64] = self._length.array[owners]
        return lengths

    def add_owners(self, count: int) -> None:
        """More owners, numbered on, with empty runs."""
        for numbers in (self._start, self._length, self._room):
            numbers.extend(np.zeros(count, np.int64))

    def insert(self, owners: Rows, keys: NDArray[Any], **columns: NDArray[Any]) -> None:
        """Put row k into the run of owners[k]."""
        touched, added = np.unique(owners, return_counts=True)
        old = self.rows_of(touched)
        lengths = self.lengths_of(touched)
        all_owners = np.concatenate((np.repeat(touched, lengths), owners))
        all_keys = np.concatenate((self.key[old], keys))
        order = np.lexsort((all_keys, all_owners))
        merged = {
            name: np.concatenate((column.array[old], columns[name])) for name, column in self._columns.items()
        }
        self._have_room(touched, lengths + added)
        self._length.array[touched] = lengths + added
        rows = self.rows_of(touched)
        self.key[rows] = all_keys[order]
        for name, column in self._columns.items():
            column.array[rows] = merged[name][order]

    def remove(self, owner: int, key: Any) -> None:
        """Take out the row with this key, which must be there."""
        start, length = int(self._start.array[owner]), int(self._length.array[owner])
        at = start + int(np.searchsorted(self.key[start : start + length], key))
        assert at < start + length
        assert self.key[at] == key
        for column in (self._key, *self._columns.values()):
            column.array[at : start + length - 1] = column.array[at + 1 : start + length]
        self._length.array[owner] = length - 1

    def rows_of(self, owners: Rows) -> Rows:
        """The rows of these owners, one run after the other."""
        first = self._start.array[owners]
        return rows_between(first, first + self._length.array[owners])

    def bounds_from(self, owners: Rows, key: Any) -> tuple[Rows, Rows]:
        """For each owner the first row with at least this key (one for all, or one for each); and its end."""
        low = self._start.array[owners]
        end = low + self._length.array[owners]
        high = end.copy()
        wanted = np.broadcast_to(key, len(owners))
        keys = self.key
        searching = np.flatnonzero(low < high)
        while len(searching):  # most runs are short, and done after a step or two
            middle = (low[searching] + high[searching]) >> 1
            below = keys[middle] < wanted[searching]
            low[searching[below]] = middle[below] + 1
            high[searching[~below]] = middle[~below]
            searching = searching[low[searching] < high[searching]]
        return low, end

    def check_invariants(self) -> None:
        start, length, room = self._start.array, self._length.array, self._room.array
        assert (length <= room).all()
        order = np.argsort(start[room > 0])
        ends = (start + room)[room > 0][order]
        assert (ends[:-1] <= start[room > 0][order][1:]).all()
        for first, last in zip(start.tolist(), (start + length).tolist(), strict=True):
            assert (np.diff(self.key[first:last]) > 0).all()

    def _have_room(self, owners: Rows, needed: NDArray[np.int64]) -> None:
        moving = needed > self._room.array[owners]
        owners, needed = owners[moving], needed[moving]
        # Who comes for the first time, as in a load, may never grow.
        room = np.where(self._room.array[owners] == 0, needed, needed + needed // 2)
        self._start.array[owners] = len(self._key) + np.cumsum(room) - room
        self._room.array[owners] = room
        for column in (self._key, *self._columns.values()):
            column.extend(np.zeros(int(room.sum()), column.array.dtype))


def rows_between(first: Rows, last: Rows) -> Rows:
    """The numbers from first[0] up to last[0], then those from first[1] up to last[1], and so on."""
    lengths = last - first
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    rows: Rows = np.arange(total) + np.repeat(first - (ends - lengths), lengths)
    return rows
