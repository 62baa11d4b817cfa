"""Conjunctions as paths through a matching tree: tests in the fixed order, then inequalities."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.conjunctions import Conjunctions
from matching.algorithms.factoring import IndexAttributes
from matching.algorithms.order_of_tests import OrderOfTests
from matching.algorithms.slots import Slots

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Paths:
    """`atoms` and the inequalities have path after path; the `*_start` arrays say where each begins.

    A path may lead from several roots, where don't-cares of index attributes are: `which` and `root` list
    all pairs of a path and a root.
    """

    slots: Slots
    which: Numbers
    root: Numbers
    atom_start: Numbers
    atoms: Numbers
    inequality_start: Numbers
    columns: Numbers
    operands: NDArray[np.float64]

    def tests(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Step by step: which of the pairs go on, and by which atom."""
        for walking, rows in _steps(self.atom_start, self.which):
            yield walking, self.atoms[rows]

    def inequalities(self) -> Iterator[tuple[Numbers, Numbers, NDArray[np.float64]]]:
        """Step by step: which of the pairs go on, by which column's bound, and by which operand."""
        for walking, rows in _steps(self.inequality_start, self.which):
            yield walking, self.columns[rows], self.operands[rows]


def tested_atoms(conjunctions: Conjunctions, slots: Slots) -> tuple[Numbers, Numbers]:
    """The atoms that these conjunctions test positively, and for each the position of its conjunction."""
    rows, position = conjunctions.tests.rows_of(slots)
    positive = ~conjunctions.tests["negative"][rows]
    return conjunctions.tests["atom"][rows[positive]].astype(np.int64), position[positive]


def paths_of(
    slots: Slots, conjunctions: Conjunctions, order: OrderOfTests, index_attributes: IndexAttributes
) -> Paths:
    """The paths of these conjunctions, whose tests the order must have learnt. O(literals * log).

    What another test of the same conjunction implies is left out: of the bounds on one column all but the
    strongest.
    """
    atoms, position = tested_atoms(conjunctions, slots)
    copies = index_attributes.copies(atoms, position, len(slots))
    atoms, position = atoms[copies.kept], position[copies.kept]
    in_order = np.lexsort((atoms, order.level_of[atoms], position))
    atoms, position = atoms[in_order], position[in_order]
    first = _first_of_runs(position, atoms)
    rows, of_bound = conjunctions.bounds.rows_of(slots)
    columns, operands = conjunctions.bounds["column"][rows], conjunctions.bounds["operand"][rows]
    in_order = np.lexsort((operands, columns, of_bound))
    columns, operands, of_bound = columns[in_order], operands[in_order], of_bound[in_order]
    strongest = _first_of_runs(of_bound, columns)
    return Paths(
        slots=slots,
        which=copies.which,
        root=copies.subtree,
        atom_start=_starts(position[first], len(slots)),
        atoms=atoms[first],
        inequality_start=_starts(of_bound[strongest], len(slots)),
        columns=columns[strongest].astype(np.int64),
        operands=operands[strongest],
    )


def _steps(start: Numbers, which: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    first, lengths = start[which], (start[1:] - start[:-1])[which]
    for step in range(int(lengths.max(initial=0))):
        walking = np.flatnonzero(lengths > step)
        yield walking, first[walking] + step


def _first_of_runs(owners: Numbers, labels: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.bool_]:
    """Of sorted pairs those that differ from the one before."""
    differs = np.ones(len(owners), np.bool_)
    differs[1:] = (owners[1:] != owners[:-1]) | (labels[1:] != labels[:-1])
    return differs


def _starts(owners: Numbers, count: int) -> Numbers:
    ends = np.cumsum(np.bincount(owners, minlength=count))
    return np.concatenate(([0], ends)).astype(np.int64)
