"""The bitmaps' columns: which buckets the values of an attribute fall into.

The numbers of an attribute are cut, at ends of ranges, into at most MOST_BUCKETS buckets, so that each has
about the same share of the ends and of the numbers in events. Where there are few ends, all are cuts, and
then no range has a bucket it only touches. Of another attribute, the atoms that are asked for most have a
bucket each; bucket 0 is for values without one. The last row of every column is for events without the
attribute.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.engine.programs import next_double
from matching.engine.statistics import Statistics

MOST_BUCKETS = 127


@dataclass(frozen=True, slots=True)
class Column:
    """Bucket k of numbers has those from cut[k - 1] up to cut[k]; `atom`, ascending, has 1, 2, ..."""

    attribute: int
    is_numeric: bool
    cut: NDArray[np.float64]
    atom: NDArray[np.int64]

    @property
    def buckets(self) -> int:
        return len(self.cut) + len(self.atom) + 1

    @property
    def rows(self) -> int:
        return self.buckets + 1

    def frequencies(self, statistics: Statistics) -> NDArray[np.float64]:
        """How often an event falls into each row; guessed to be even before any was seen."""
        if self.is_numeric:
            numbers = statistics.numbers.get(self.attribute, np.empty(0))
            counts = np.bincount(np.searchsorted(self.cut, numbers, "right"), minlength=self.buckets)
        else:
            counts = np.concatenate(([0], statistics.atoms[self.atom]))
        present = statistics.present[self.attribute]
        absent = statistics.events - present
        if not self.is_numeric:
            counts[0] = max(0, present - counts.sum())  # at least so many have a value without a bucket
        guess = 1.0 / self.rows
        frequencies: NDArray[np.float64] = (np.append(counts, absent) + guess) / (statistics.events + 1)
        return frequencies


def numeric_column(
    attribute: int, low: NDArray[np.float64], high: NDArray[np.float64], statistics: Statistics
) -> Column:
    """A column for these ranges."""
    ends = np.concatenate((low, next_double(high, np.inf)))
    ends, uses = np.unique(ends[np.isfinite(ends)], return_counts=True)
    most_cuts = MOST_BUCKETS - 1
    if len(ends) > most_cuts:
        numbers = statistics.numbers.get(attribute, np.empty(0))
        between = np.bincount(np.searchsorted(ends, numbers, "right"), minlength=len(ends) + 1)[1:]
        weight = uses / uses.sum() + between / max(1, len(numbers))
        share = np.cumsum(weight) / weight.sum()
        chosen = np.searchsorted(share, (np.arange(most_cuts) + 0.5) / most_cuts)
        ends = ends[np.unique(np.minimum(chosen, len(ends) - 1))]
    return Column(attribute, True, ends, np.empty(0, np.int64))


def column_of_atoms(attribute: int, atoms: NDArray[np.int64]) -> Column:
    """A column for literals that ask for these atoms, some of them often."""
    distinct, uses = np.unique(atoms, return_counts=True)
    frequent = distinct[np.argsort(-uses, kind="stable")[: MOST_BUCKETS - 1]]
    return Column(attribute, False, np.empty(0), np.sort(frequent))
