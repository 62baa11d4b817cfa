"""Which conjunctions have a given literal: lists by atom, and lists sorted by operand.

Both come in two parts: packed arrays for what was loaded at once, and containers of their own for what was
added one by one. Neither is ever rebuilt. A removed conjunction leaves the containers; in the packed arrays
its number stays, and is passed over by whoever counts.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sortedcontainers import SortedList

from matching.algorithms.slots import Slots


class AtomPostings:
    """Conjunctions by atom. Finding those of k atoms costs O(k + found)."""

    def __init__(self) -> None:
        self._packed: list[tuple[NDArray[np.int64], Slots]] = []
        self._added: dict[int, list[int]] = {}

    def load(self, atoms: NDArray[np.int32], slots: Slots) -> None:
        order = np.argsort(atoms, kind="stable")
        highest = int(atoms.max()) + 1 if len(atoms) else 0
        start = np.concatenate(([0], np.cumsum(np.bincount(atoms, minlength=highest))))
        self._packed.append((start, slots[order]))

    def add(self, atom: int, slot: int) -> None:
        self._added.setdefault(atom, []).append(slot)

    def discard(self, atom: int, slot: int) -> None:
        slots = self._added.get(atom)
        if slots is not None and slot in slots:
            slots.remove(slot)
            if not slots:
                del self._added[atom]

    def of(self, atoms: NDArray[np.int32]) -> Iterator[Slots]:
        for start, slots in self._packed:
            within = atoms[atoms < len(start) - 1]
            for first, last in zip(start[within].tolist(), start[within + 1].tolist(), strict=True):
                if first < last:
                    yield slots[first:last]
        if self._added:
            added = [slot for atom in atoms.tolist() for slot in self._added.get(atom, ())]
            yield np.array(added, np.int64)


class BoundPostings:
    """Conjunctions by bound: per column the operands in ascending order. Finding costs O(log + found)."""

    def __init__(self) -> None:
        self._packed: dict[int, list[tuple[NDArray[np.float64], Slots]]] = {}
        self._added: dict[int, SortedList[tuple[float, int]]] = {}

    def load(self, columns: NDArray[np.int32], operands: NDArray[np.float64], slots: Slots) -> None:
        for column in np.unique(columns).tolist():
            rows = np.flatnonzero(columns == column)
            rows = rows[np.argsort(operands[rows], kind="stable")]
            self._packed.setdefault(column, []).append((operands[rows], slots[rows]))

    def add(self, column: int, operand: float, slot: int) -> None:
        self._added.setdefault(column, SortedList()).add((operand, slot))

    def discard(self, column: int, operand: float, slot: int) -> None:
        if column in self._added:
            self._added[column].discard((operand, slot))

    def reached(self, bounds: NDArray[np.float64]) -> Iterator[Slots]:
        """The conjunctions whose bounds hold, once for each such bound."""
        for column, blocks in self._packed.items():
            if bounds[column] < np.inf:
                for operands, slots in blocks:
                    yield slots[np.searchsorted(operands, bounds[column]) :]
        for column, added in self._added.items():
            if bounds[column] < np.inf:
                reached = added.irange(minimum=(bounds[column], -1))
                yield np.fromiter((slot for _, slot in reached), np.int64)
