"""Numbers that are given again once they are free, so that arrays have no holes (paper 003, section 3)."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class RecycledNumbers:
    """0, 1, 2, ...; what was given back is given before a new one. O(1) for each."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self.end = 0
        """One more than the highest number ever given."""

    def __len__(self) -> int:
        """How many are in use."""
        return self.end - len(self._free)

    def take(self, count: int) -> Ints:
        again = [self._free.pop() for _ in range(min(count, len(self._free)))]
        fresh = np.arange(self.end, self.end + count - len(again))
        self.end += len(fresh)
        return np.concatenate((np.array(again, np.int64), fresh))

    def give_back(self, numbers: Ints) -> None:
        self._free += numbers.tolist()

    def check_invariants(self) -> None:
        assert len(set(self._free)) == len(self._free)
        assert all(0 <= number < self.end for number in self._free)
