"""How often events have what subscriptions ask for: counted in a sample of events, else guessed.

Before any event was seen, an attribute's values are taken to be as frequent in events as in subscriptions.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.engine.batches import FIELDS_OF_A_ROW, CodedEvents, batch_of
from matching.engine.programs import EQUAL, Programs, numbers_of

WEIGHT_OF_A_GUESS = 10.0  # as if so many events had been seen already
_MARK = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Statistics:
    """`present`: how many events have each attribute; `fan_out`: how many atoms or numbers of it, on average.

    `marks` tell sets of attributes apart.
    """

    events: int
    atoms: NDArray[np.float64]
    numbers: dict[int, NDArray[np.float64]]
    present: NDArray[np.int64]
    fan_out: NDArray[np.float64]
    marks: NDArray[np.uint64]

    @classmethod
    def of(cls, coded: CodedEvents, *, attributes: int, atoms: int) -> "Statistics":
        """Of a sample of events, perhaps an empty one."""
        sample = batch_of(coded)
        events = len(sample.row_start) - 1
        row = sample.row.reshape(-1, FIELDS_OF_A_ROW)
        in_events = np.bincount(row[:, 0], row[:, 2] + row[:, 3], minlength=attributes)
        present = np.bincount(row[:, 0], minlength=attributes)
        owner = np.repeat(row[:, 0], row[:, 3])
        return cls(
            events=events,
            atoms=np.bincount(sample.atom, minlength=atoms).astype(np.float64),
            numbers={number: np.sort(sample.number[owner == number]) for number in np.unique(owner).tolist()},
            present=present,
            fan_out=np.where(present > 0, in_events / max(1, events), 1.0),
            marks=_marks(attributes),
        )

    def grown(self, *, attributes: int, atoms: int) -> "Statistics":
        """The same, with room for attributes and atoms that have come since and were seen in no event."""
        more = max(0, attributes - len(self.present))
        return replace(
            self,
            atoms=np.pad(self.atoms, (0, max(0, atoms - len(self.atoms)))),
            present=np.pad(self.present, (0, more)),
            fan_out=np.pad(self.fan_out, (0, more), constant_values=1.0),
            marks=_marks(max(attributes, len(self.marks))),
        )

    def chance_of(self, programs: Programs, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Of each of these equalities, how likely it is to hold for an event."""
        attribute, operator = programs.attribute[rows], programs.operator[rows]
        a = programs.literal[rows, 1]
        mixed = a.view(np.uint64) * _MARK + self.marks[attribute]  # a rare collision only makes a guess worse
        _, same, uses = np.unique(mixed, return_inverse=True, return_counts=True)
        of_attribute = np.bincount(attribute, minlength=len(self.fan_out))
        guess = uses[same.reshape(-1)] / of_attribute[attribute] * np.maximum(1.0, self.fan_out[attribute])
        seen = np.zeros(len(rows))
        is_atom = operator == EQUAL
        seen[is_atom] = self.atoms[a[is_atom]]
        for number in np.unique(attribute[~is_atom]).tolist():
            here = np.flatnonzero(~is_atom & (attribute == number))
            seen[here] = self._count_of(number, numbers_of(a[here]))
        chance = (seen + WEIGHT_OF_A_GUESS * np.minimum(guess, 1.0)) / (self.events + WEIGHT_OF_A_GUESS)
        likely: NDArray[np.float64] = np.minimum(chance, 1.0)
        return likely

    def _count_of(self, attribute: int, values: NDArray[np.float64]) -> NDArray[np.int64]:
        found = self.numbers.get(attribute, np.empty(0))
        return np.searchsorted(found, values, "right") - np.searchsorted(found, values, "left")


def _marks(attributes: int) -> NDArray[np.uint64]:
    marks: NDArray[np.uint64] = (np.arange(1, attributes + 1, dtype=np.uint64) * _MARK) ** np.uint64(3)
    return marks
