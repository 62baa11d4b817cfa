"""Dense bitmaps over subscriptions: the AND of some of them, and the numbers of the bits that are left.

Reading as many bitmaps as an event has attributes is what any bitmap matcher must do, so these two kernels
are also the yardstick `limit` of the benchmarks. Costs: O(rows * bits / 64) and O(words + bits found).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from matching.engine.vectors import lowest_bit

Words = NDArray[np.uint64]
_BLOCK = 4096  # words; the running result of a block stays in the first-level cache


def and_of_rows(rows: Words, chosen: NDArray[np.int64], into: Words) -> None:
    """The AND of the chosen rows."""
    _and_of_rows(rows, chosen, into)


def set_bits(words: Words, room: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the bits that are set, written to the beginning of `room`, which must be long enough."""
    return room[: _set_bits(words, room)]


# The types of kernels are Numba's to find; the functions above have the annotations.
@njit(cache=True, nogil=True)
def _and_of_rows(rows, chosen, into):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for start in range(0, into.size, _BLOCK):
        end = min(start + _BLOCK, into.size)
        into[start:end] = rows[chosen[0], start:end]
        for row in chosen[1:]:
            for word in range(start, end):
                into[word] &= rows[row, word]


@njit(cache=True, nogil=True)
def _set_bits(words, room):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    found = 0
    for number in range(words.size):
        word = words[number]
        while word != 0:
            room[found] = number * 64 + lowest_bit(word)
            found += 1
            word &= word - np.uint64(1)
    return found
