"""Blocks: consecutive conjunctions packed together, few and growing, with the newest of all in front of
them.

A structure that is built by sorting is quick to build and to read, and cannot be added to. So the
conjunctions, which are numbered as they come, are cut into blocks: those of one load are packed at once;
those that come singly wait in front, looked at one by one, until there are `fresh` of them, and are packed
then. A block that is not at least twice as large as the next is packed anew together with it (the
logarithmic method of Bentley and Saxe), so there are O(log conjunctions) blocks, and a conjunction is
packed O(log) times in its life. A block most of whose conjunctions were removed is packed anew without
them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

FRESH = 1_000
Living = NDArray[np.bool_]
Packed = TypeVar("Packed")


@dataclass(slots=True)
class Block(Generic[Packed]):
    """The conjunctions from `first` on: `living` says which there are, `packed` was made of `size`."""

    first: int
    living: Living
    packed: Packed
    size: int
    removed: int = 0

    @property
    def last(self) -> int:
        return self.first + len(self.living)


class Blocks(Generic[Packed]):
    """Costs: remove O(log), add amortised O(log) times the packing of one conjunction."""

    def __init__(self, pack: Callable[[int, Living], Packed], *, fresh: int = FRESH) -> None:
        """`pack` is given the first number of a block and which of the conjunctions from there on live."""
        self._pack = pack
        self._most_fresh = fresh
        self._blocks: list[Block[Packed]] = []
        self._fresh_removed: set[int] = set()
        self._end = 0

    def __iter__(self) -> Iterator[Block[Packed]]:
        return iter(self._blocks)

    @property
    def fresh(self) -> slice:
        """Where the conjunctions are that are in no block yet."""
        return slice(self._packed_end, self._end)

    def extend(self, count: int, *, at_once: bool) -> None:
        """So many conjunctions more; those loaded at once are packed, a single one may wait."""
        self._end += count
        waiting = self._end - self._packed_end
        if waiting and (at_once or waiting >= self._most_fresh):
            self._append(self._packed_end)

    def remove(self, slot: int) -> None:
        for number, block in enumerate(self._blocks):
            if block.first <= slot < block.last:
                block.living[slot - block.first] = False
                block.removed += 1
                if 2 * block.removed > block.size:
                    self._blocks[number] = self._packed(block.first, block.living)
                return
        self._fresh_removed.add(slot)

    def check_invariants(self) -> None:
        first = 0
        for block in self._blocks:
            assert block.first == first
            assert len(block.living)
            assert np.count_nonzero(block.living) == block.size - block.removed
            first = block.last
        assert first <= self._end
        assert all(first <= slot < self._end for slot in self._fresh_removed)

    def _append(self, first: int) -> None:
        living = np.ones(self._end - first, np.bool_)
        living[[slot - first for slot in self._fresh_removed]] = False
        self._fresh_removed.clear()
        while self._blocks and len(self._blocks[-1].living) < 2 * len(living):
            before = self._blocks.pop()
            first, living = before.first, np.concatenate((before.living, living))
        self._blocks.append(self._packed(first, living))

    def _packed(self, first: int, living: Living) -> Block[Packed]:
        return Block(first, living, self._pack(first, living), int(np.count_nonzero(living)))

    @property
    def _packed_end(self) -> int:
        return self._blocks[-1].last if self._blocks else 0
