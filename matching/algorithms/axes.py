"""Predicates as intervals: every attribute is an axis, and what a positive literal asks is a piece of it.

On the axis of a number lie the numbers themselves: `price <= 9` is the piece from minus infinity to 9, a
`between` has two ends, `price = 9` is a point, "has a price" the whole axis. What is no number has no such
line; there each atom (see `vocabulary`) is a point, at its own number. So an event is a few points on
each axis, and a literal holds when one of them lies in its piece; "any of" has several pieces.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray
from matching.algorithms.conjunctions import Conjunctions, Truth
from matching.algorithms.slots import Slots
from schema_registry.core.domains import NumericDomain

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Row by row. `owner` is the position of the conjunction; literals are numbered for all conjunctions
    together, those of one conjunction always in the same order."""

    owner: Ints
    literal: Ints
    axis: NDArray[np.int32]
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.owner)

    def __getitem__(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Pieces":
        return Pieces(self.owner[rows], self.literal[rows], self.axis[rows], self.low[rows], self.high[rows])

    def __iter__(self) -> Iterator[tuple[int, float, float]]:
        """(axis, low, high) of each."""
        return zip(self.axis.tolist(), self.low.tolist(), self.high.tolist(), strict=True)


class Axes:
    def __init__(self, conjunctions: Conjunctions) -> None:
        self._conjunctions = conjunctions
        self._is_number = GrowingArray(np.bool_)
        self._names: list[str] = []

    @property
    def is_number(self) -> NDArray[np.bool_]:
        """For each axis whether numbers lie on it."""
        known = self._conjunctions.vocabulary.axes
        if len(self._names) < len(known):
            new = list(known)[len(self._names) :]
            domain_of = self._conjunctions.schema.domain_of
            self._is_number.extend([isinstance(domain_of[name], NumericDomain) for name in new])
            self._names += new
        return self._is_number.array

    def name(self, axis: int) -> str:
        return self._names[axis]

    def points_of(self, truth: Truth) -> list[tuple[int, float]]:
        """(axis, point) for all that is true of the event; an axis has several if several things are."""
        vocabulary = self._conjunctions.vocabulary
        is_number = self.is_number
        axis = vocabulary.axis_of[truth.atoms]
        others = ~is_number[axis]
        points = list(zip(axis[others].tolist(), truth.atoms[others].tolist(), strict=True))
        for attribute, values in truth.event.values.items():
            number = vocabulary.axes.get(attribute)
            if number is not None and is_number[number]:
                points += [(number, value) for value in values]
        return points

    def pieces(self, slots: Slots) -> Pieces:
        """Where the positive literals of these conjunctions lie. O(literals * log)."""
        parts = [self._of_tests(slots), self._of_bounds(slots), self._of_groups(slots)]
        before = np.cumsum([0, *(1 + part.literal.max(initial=-1) for part in parts)])
        literal = [part.literal + first for part, first in zip(parts, before.tolist(), strict=False)]
        return Pieces(
            np.concatenate([part.owner for part in parts]),
            np.concatenate(literal),
            np.concatenate([part.axis for part in parts]),
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.high for part in parts]),
        )

    def _of_tests(self, slots: Slots) -> Pieces:
        store = self._conjunctions
        rows, owner = store.tests.rows_of(slots)
        positive = ~store.tests["negative"][rows]
        owner = owner[positive]
        return self._of_atoms(store.tests["atom"][rows[positive]], owner, np.arange(len(owner)))

    def _of_groups(self, slots: Slots) -> Pieces:
        """Positive groups are all "any of"."""
        store = self._conjunctions
        rows, owner = store.groups.rows_of(slots)
        positive = ~store.groups["negative"][rows]
        rows, owner = rows[positive], owner[positive]
        atom_rows, group = store.group_atoms.rows_of(store.groups["number"][rows])
        return self._of_atoms(store.group_atoms["atom"][atom_rows], owner[group], group)

    def _of_atoms(self, atoms: NDArray[np.int32], owner: Ints, literal: Ints) -> Pieces:
        vocabulary = self._conjunctions.vocabulary
        axis = vocabulary.axis_of[atoms]
        # On the axis of a number, what compares with none asks for any: that there is a value.
        on_numbers = self.is_number[axis]
        at = np.where(on_numbers, vocabulary.value_of[atoms], atoms)
        anywhere = np.isnan(at)
        return Pieces(owner, literal, axis, np.where(anywhere, -np.inf, at), np.where(anywhere, np.inf, at))

    def _of_bounds(self, slots: Slots) -> Pieces:
        """All bounds of a conjunction on one axis, which one value must satisfy, make one piece."""
        store = self._conjunctions
        rows, owner = store.bounds.rows_of(slots)
        column, operand = store.bounds["column"][rows], store.bounds["operand"][rows]
        axes = max(1, len(store.vocabulary.axes))
        distinct, piece = np.unique(owner * axes + store.axis_of_bound.array[column], return_inverse=True)
        low, high = np.full(len(distinct), -np.inf), np.full(len(distinct), np.inf)
        upper = column % 2 == 0
        np.minimum.at(high, piece[upper], operand[upper])
        np.maximum.at(low, piece[~upper], -operand[~upper])
        return Pieces(
            distinct // axes, np.arange(len(distinct)), (distinct % axes).astype(np.int32), low, high
        )
