"""Conjunctions as paths through a matching tree: tests by level, then general tests, then inequalities."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.conjunctions import Conjunctions
from matching.algorithms.factoring import IndexAttributes
from matching.algorithms.order_of_tests import GENERAL, OrderOfTests
from matching.algorithms.slots import Slots

GENERAL_TESTS = 0  # as a column; the bounds' columns are numbered from 1

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Paths:
    """`atoms`, and what comes after the levels, have path after path; `*_start` say where each begins.

    After the levels a step has a column and a key: GENERAL_TESTS and an atom, or a bound and its operand.
    A path may lead from several roots, where don't-cares of index attributes are: `which` and `root` list
    all pairs of a path and a root.
    """

    slots: Slots
    which: Numbers
    root: Numbers
    atom_start: Numbers
    atoms: Numbers
    further_start: Numbers
    columns: Numbers
    keys: NDArray[np.float64]

    def tests(self) -> Iterator[tuple[Numbers, Numbers]]:
        """Step by step: which of the pairs go on, and by which atom."""
        for walking, rows in _steps(self.atom_start, self.which):
            yield walking, self.atoms[rows]

    def further(self) -> Iterator[tuple[Numbers, Numbers, NDArray[np.float64]]]:
        """Step by step, after the levels: which of the pairs go on, by which column and key."""
        for walking, rows in _steps(self.further_start, self.which):
            yield walking, self.columns[rows], self.keys[rows]


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
    level = order.level_of[atoms]
    general = level == GENERAL
    further = _further(slots, conjunctions, atoms[general], position[general])
    atoms, position, level = atoms[~general], position[~general], level[~general]
    in_order = np.lexsort((atoms, level, position))
    atoms, position = atoms[in_order], position[in_order]
    first = _first_of_runs(position, atoms)
    return Paths(
        slots=slots,
        which=copies.which,
        root=copies.subtree,
        atom_start=_starts(position[first], len(slots)),
        atoms=atoms[first],
        further_start=_starts(further[0], len(slots)),
        columns=further[1],
        keys=further[2],
    )


def _further(
    slots: Slots, conjunctions: Conjunctions, atoms: Numbers, of_atom: Numbers
) -> tuple[Numbers, Numbers, NDArray[np.float64]]:
    """The steps after the levels, path after path: the path's position, column and key of each."""
    rows, of_bound = conjunctions.bounds.rows_of(slots)
    position = np.concatenate((of_atom, of_bound))
    columns = np.concatenate((np.full(len(atoms), GENERAL_TESTS), 1 + conjunctions.bounds["column"][rows]))
    keys = np.concatenate((atoms.astype(np.float64), conjunctions.bounds["operand"][rows]))
    in_order = np.lexsort((keys, columns, position))
    position, columns, keys = position[in_order], columns[in_order], keys[in_order]
    needed = _first_of_runs(position, columns)  # of bounds the strongest
    needed[1:] |= (columns[1:] == GENERAL_TESTS) & (keys[1:] != keys[:-1])
    return position[needed], columns[needed].astype(np.int64), keys[needed]


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
