"""Many lists in one array: each has a place with some room, and moves to the end when it outgrows it.

The "re-allocatable arrays" of paper 003, section 3.3, without an object for each.
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, joined, ragged

Items = NDArray[np.int32]
Ints = NDArray[np.int64]


class PackedLists:
    """Numbered lists of numbers. Costs: append O(appended) on average, remove O(length of the list)."""

    def __init__(self) -> None:
        self._start = GrowingArray(np.int64)
        self._length = GrowingArray(np.int64)
        self._room = GrowingArray(np.int64)
        self._items = GrowingArray(np.int32)
        self._all_room = 0

    def __getitem__(self, number: int) -> Items:
        """A list, without a copy."""
        start = int(self._start.array[number])
        found: Items = self._items.array[start : start + int(self._length.array[number])]
        return found

    def extend(self, numbers: NDArray[np.int32], items: NDArray[np.int32], end: int) -> None:
        """Append each item to the list of its number; numbers ascend, and are below `end`."""
        for array in (self._start, self._length, self._room):
            array.extend(np.zeros(max(0, end - len(array)), np.int64))
        distinct, first, more = np.unique(numbers.astype(np.int64), return_index=True, return_counts=True)
        self._make_room(distinct, more)
        rank = np.arange(len(numbers)) - np.repeat(first, more)
        place = np.repeat(self._start.array[distinct] + self._length.array[distinct], more) + rank
        self._items.array[place] = items
        self._length.array[distinct] += more

    def _make_room(self, numbers: Ints, more: Ints) -> None:
        """Lists too short for so many more move to the end; those that had something grow by half."""
        length = self._length.array[numbers]
        cramped = length + more > self._room.array[numbers]
        numbers, more, length = numbers[cramped], more[cramped], length[cramped]
        self._compact()
        room = length + more + length // 2
        self._all_room += int((room - self._room.array[numbers]).sum())
        start = len(self._items) + np.cumsum(room) - room
        self._items.extend(np.zeros(int(room.sum()), np.int32))
        old, position = ragged(self._start.array[numbers], self._start.array[numbers] + length)
        new = start[position] + old - self._start.array[numbers][position]
        self._items.array[new] = self._items.array[old]
        self._start.array[numbers], self._room.array[numbers] = start, room

    def _compact(self) -> None:
        """When most of the array is what lists have left behind, put them together again."""
        if len(self._items) < 2 * self._all_room + 64:
            return
        room = self._room.array
        start = np.cumsum(room) - room
        old, position = ragged(self._start.array, self._start.array + self._length.array)
        items = np.zeros(self._all_room, np.int32)
        items[start[position] + old - self._start.array[position]] = self._items.array[old]
        self._items = GrowingArray(np.int32, items)
        self._start.array[:] = start

    def remove(self, number: int, item: int) -> None:
        """Take an item out of a list; the last one takes its place."""
        items = self[number]
        items[np.flatnonzero(items == item)[0]] = items[-1]
        self._length.array[number] -= 1

    def clear(self, number: int) -> None:
        self._length.array[number] = 0

    def items_of(self, numbers: NDArray[np.int32]) -> Items:
        """What is in these lists. Lists that lie side by side are read as one. O(lists + items)."""
        start = self._start.array[numbers]
        end = start + self._length.array[numbers]
        goes_on = np.flatnonzero(end[:-1] == start[1:])
        first, last = np.delete(start, goes_on + 1), np.delete(end, goes_on)
        return joined(
            [self._items.array[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)], np.int32
        )

    @property
    def bytes(self) -> int:
        return 4 * len(self._items) + 24 * len(self._start)
