"""Which subscriptions have the most matches. Pure; memory grows with the subscriptions, not the matches."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
_COUNTED_AT_ONCE = 1_000_000


class Tally:
    """Costs: O(log) for each id in the long run."""

    def __init__(self) -> None:
        self._ids: Numbers = np.empty(0, np.int64)
        self._counts: Numbers = np.empty(0, np.int64)
        self._waiting: list[Numbers] = []
        self._size = 0

    def add(self, ids: Iterable[Numbers]) -> None:
        for each in ids:
            self._waiting.append(each.copy())  # what it is a part of need not stay
            self._size += len(each)
        if self._size > max(_COUNTED_AT_ONCE, len(self._ids)):
            self._count()

    def top(self, most: int) -> list[tuple[int, int]]:
        """Those with the most, and how many; of equals the lower number first."""
        self._count()
        order = np.lexsort((self._ids, -self._counts))[:most]
        return list(zip(self._ids[order].tolist(), self._counts[order].tolist(), strict=True))

    def _count(self) -> None:
        new, times = np.unique(np.concatenate([*self._waiting, np.empty(0, np.int64)]), return_counts=True)
        ids, place = np.unique(np.concatenate((self._ids, new)), return_inverse=True)
        counts = np.zeros(len(ids), np.int64)
        np.add.at(counts, place, np.concatenate((self._counts, times)))
        self._ids, self._counts, self._waiting, self._size = ids, counts, [], 0
