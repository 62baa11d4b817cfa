"""Arrays that grow, and runs of rows that belong to numbered owners."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class GrowingArray:
    """An array with room at its end: appending costs O(appended) on average."""

    __slots__ = ("_buffer", "_length")

    def __init__(self, dtype: DTypeLike, initial: Any = ()) -> None:
        self._buffer: NDArray[Any] = np.array(initial, dtype)
        self._length = len(self._buffer)

    def __len__(self) -> int:
        return self._length

    @property
    def array(self) -> NDArray[Any]:
        """What is in it, without a copy; appending may leave this view behind."""
        return self._buffer[: self._length]

    def extend(self, values: Any) -> None:
        end = self._length + len(values)
        if end > len(self._buffer):
            grown = np.empty(max(end, len(self._buffer) * 3 // 2, 16), self._buffer.dtype)
            grown[: self._length] = self.array
            self._buffer = grown
        self._buffer[self._length : end] = values
        self._length = end

    def shorten(self, count: int) -> None:
        """Forget so many at the end."""
        self._length -= count


class Runs:
    """Rows of several columns; each owner, numbered from 0, has a run of them. Owners are only ever added."""

    __slots__ = ("_columns", "_start")

    def __init__(self, **columns: DTypeLike) -> None:
        self._start = GrowingArray(np.int64, [0])
        self._columns = {name: GrowingArray(dtype) for name, dtype in columns.items()}

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self._columns[column].array

    @property
    def start(self) -> NDArray[np.int64]:
        return self._start.array

    def counts(self) -> NDArray[np.int64]:
        return np.diff(self.start)

    def extend(self, owners: NDArray[Any], count: int, **columns: NDArray[Any]) -> None:
        """Add `count` owners; row k belongs to the owners[k]-th of them. Rows may come in any order."""
        order = np.argsort(owners, kind="stable")
        lengths = np.bincount(owners, minlength=count)
        self._start.extend(self.start[-1] + np.cumsum(lengths))
        for name, values in columns.items():
            self._columns[name].extend(values[order])

    def rows_of(self, owners: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of these owners, one run after the other, and for each row the position of its owner."""
        return ragged(self.start[owners], self.start[owners + 1])

    def slice_of(self, owner: int) -> slice:
        return slice(int(self.start[owner]), int(self.start[owner + 1]))


def ragged(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers from each start up to its end, run after run, and for each the position of its run."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    position = np.repeat(np.arange(len(starts)), lengths)
    return np.arange(len(position)) + np.repeat(starts - before, lengths), position


def joined(parts: list[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    """The arrays one after the other; an empty one of the type if there are none."""
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def slices(array: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end > start:
            yield array[start:end]


def starts_of(counts: NDArray[Any]) -> NDArray[np.int32]:
    """Where runs of these lengths begin, one after the other, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
