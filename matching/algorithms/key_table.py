"""A hash table from 64-bit keys to numbers that is asked, and filled, for many keys at once.

Open addressing in two arrays, at most half full; when it would be fuller, it doubles. So a key costs 24 to
48 bytes, and no Python object.
"""

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.int64]
MISSING = -1
_FREE = -1
_FEWEST_BITS = 4


class KeyTable:
    """Costs: finding k keys O(k), adding k keys O(k) on average."""

    __slots__ = ("_at", "_bits", "_keys", "_length")

    def __init__(self) -> None:
        self._length = 0
        self._make_room(_FEWEST_BITS)

    def __len__(self) -> int:
        return self._length

    def find(self, keys: Keys) -> NDArray[np.int64]:
        """For each key its number, or MISSING. Keys are not negative."""
        place = self._home(keys)
        there = self._keys[place]
        found = np.where(there == keys, self._at[place], MISSING)
        waiting = np.flatnonzero((there != keys) & (there != _FREE))
        place = place[waiting]
        while len(waiting):
            place = (place + 1) & self._mask
            there = self._keys[place]
            hit = there == keys[waiting]
            found[waiting[hit]] = self._at[place[hit]]
            going_on = ~hit & (there != _FREE)
            waiting, place = waiting[going_on], place[going_on]
        return found

    def number(self, keys: Keys, following: int) -> tuple[NDArray[np.int64], Keys]:
        """For each key its number, and the distinct keys that had none: they get the following ones."""
        found = self.find(keys)
        missing = np.flatnonzero(found == MISSING)
        fresh, which = np.unique(keys[missing], return_inverse=True)
        numbers = following + np.arange(len(fresh))
        self._insert(fresh, numbers)
        found[missing] = numbers[which.reshape(-1)]
        return found, fresh

    def items(self) -> tuple[Keys, NDArray[np.int64]]:
        """All keys and their numbers, in no order."""
        taken = self._keys != _FREE
        return self._keys[taken], self._at[taken]

    def _insert(self, keys: Keys, numbers: NDArray[np.int64]) -> None:
        """Take keys that are new and distinct."""
        self._length += len(keys)
        if 2 * self._length > len(self._keys):
            old_keys, old_numbers = self.items()
            self._make_room(int(2 * self._length - 1).bit_length())
            self._put(old_keys, old_numbers)
        self._put(keys, numbers)

    def _put(self, keys: Keys, numbers: NDArray[np.int64]) -> None:
        place = self._home(keys)
        while len(keys):
            free = self._keys[place] == _FREE
            # Of those that meet at one place the last written stays; the others go on to the next place.
            self._keys[place[free]] = keys[free]
            self._at[place[free]] = numbers[free]
            lost = self._keys[place] != keys
            keys, numbers, place = keys[lost], numbers[lost], (place[lost] + 1) & self._mask

    def _make_room(self, bits: int) -> None:
        self._bits = bits
        self._keys = np.full(1 << bits, _FREE, np.int64)
        self._at = np.zeros(1 << bits, np.int64)

    @property
    def _mask(self) -> int:
        return (1 << self._bits) - 1

    def _home(self, keys: Keys) -> NDArray[np.int64]:
        mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> np.uint64(64 - self._bits)).astype(np.int64)


def pair(owner: NDArray[np.int64], label: NDArray[np.int64] | int) -> Keys:
    """An owner and a label as one key; both are below 2 ** 31."""
    key: Keys = (owner << 32) | label
    return key


def unpaired(keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return keys >> 32, keys & 0xFFFFFFFF
