"""Predicates and subscriptions as a matrix of bits, of which 64 are counted at once (paper 003, section 3.3).

The hits of all subscriptions are binary numbers, kept in planes: each has one bit of every number. Adding a
row is then a binary addition with carry on whole words, and comparing with what is wanted a subtraction.
"""

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined
from matching.algorithms.associations import Ints, Numbers
from matching.algorithms.matrices import Matrix

Words = NDArray[np.uint64]
BITS = 64
BLOCK = 1 << 13  # words at a time, so that the sums stay in the cache


class BitMatrix(Matrix):
    """Costs: reached O(true predicates * subscriptions / 64 * log(most wanted)), add O(predicates), remove
    O(all predicates); memory an eighth of a byte for each predicate and subscription."""

    per_unit = BITS

    def __init__(self) -> None:
        super().__init__(np.uint64)
        self._wanted: list[Words] = []  # planes, the lowest bit first
        self._in_use = np.zeros(0, np.uint64)

    def _set(self, rows: Numbers, columns: Numbers) -> None:
        np.bitwise_or.at(self._cells, (rows, columns // BITS), _bit(columns))

    def _set_wanted(self, numbers: Ints, wanted: Ints) -> None:
        planes = max(len(self._wanted), int(wanted.max(initial=0)).bit_length())
        words = self._cells.shape[1]
        self._in_use = _widened(self._in_use, words)
        self._wanted = [_widened(plane, words) for plane in self._wanted]
        self._wanted += [np.zeros(words, np.uint64) for _ in range(planes - len(self._wanted))]
        _switch_on(self._in_use, numbers)
        for number, plane in enumerate(self._wanted):
            _switch_on(plane, numbers[wanted >> number & 1 == 1])

    def remove(self, subscription: int) -> Numbers:
        word, bit = subscription // BITS, _bit(np.array([subscription]))[0]
        column = self._cells[: self._rows, word]
        predicates = np.flatnonzero(column & bit).astype(np.int32)
        column[predicates] ^= bit
        for plane in (self._in_use, *self._wanted):
            plane[word] &= ~bit
        return predicates

    def reached(self, predicates: Numbers) -> Ints:
        words = -(-self._columns // BITS)
        blocks = (slice(first, min(first + BLOCK, words)) for first in range(0, words, BLOCK))
        enough = joined([self._enough(predicates.tolist(), block) for block in blocks], np.uint64)
        return np.flatnonzero(np.unpackbits(enough.view(np.uint8), bitorder="little"))

    def _enough(self, predicates: list[int], block: slice) -> Words:
        """One bit for each subscription of the block: whether it has enough of these predicates."""
        hits = _Sums(len(self._wanted), block.stop - block.start)
        for predicate in predicates:
            hits.add(self._cells[predicate, block])
        hits.finish()
        too_few = np.zeros(block.stop - block.start, np.uint64)
        for hit, wanted in zip(hits.planes, self._wanted, strict=True):
            too_few = (~hit & wanted[block]) | (~(hit ^ wanted[block]) & too_few)
        enough: Words = (~too_few | hits.beyond) & self._in_use[block]
        return enough

    @property
    def bytes(self) -> int:
        return super().bytes + (1 + len(self._wanted)) * self._in_use.nbytes


class _Sums:
    """Sums of bits, in planes. Two rows go into a plane at a time, and leave one carry for the next."""

    def __init__(self, planes: int, words: int) -> None:
        self.planes = [np.zeros(words, np.uint64) for _ in range(planes)]
        self.beyond = np.zeros(words, np.uint64)
        """Which sums are more than the planes can say."""
        self._waiting: list[Words | None] = [None] * planes

    def add(self, row: Words, level: int = 0) -> None:
        if level == len(self.planes):
            self.beyond |= row
            return
        other = self._waiting[level]
        if other is None:
            self._waiting[level] = row
            return
        self._waiting[level] = None
        differ = row ^ other
        carry = row & other
        carry |= differ & self.planes[level]
        self.planes[level] ^= differ
        self.add(carry, level + 1)

    def finish(self) -> None:
        for level, row in enumerate(self._waiting):
            if row is not None:
                carry = self.planes[level] & row
                self.planes[level] ^= row
                self.add(carry, level + 1)


def _bit(numbers: NDArray[np.int32] | Ints) -> Words:
    """The bit of each number in its word; words are little-endian, as unpacking takes them."""
    return np.uint64(1) << (numbers % BITS).astype(np.uint64)


def _switch_on(plane: Words, numbers: Ints) -> None:
    np.bitwise_or.at(plane, numbers // BITS, _bit(numbers))


def _widened(plane: Words, words: int) -> Words:
    return np.concatenate((plane, np.zeros(words - len(plane), np.uint64)))
