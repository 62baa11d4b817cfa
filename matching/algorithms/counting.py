"""Counting: a conjunction holds when as many of its literals were found true as it has.

The second step of paper 002's figures 2, 4 and 5, shared by the matchers of that paper. What can be counted
is a positive test, a bound, and a positive "any of" group; negative literals cannot, and are left to the
residual check.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import GrowingArray, joined
from matching.algorithms.conjunctions import Conjunctions, Truth
from matching.algorithms.postings import AtomPostings, BoundPostings
from matching.algorithms.slots import Slots
from matching.algorithms.work import Work

NEVER_REACHED = np.iinfo(np.int32).max


class CountingIndex:
    """The countable literals of its members, which are conjunctions in ascending order.

    Members have numbers of their own, so that counting costs as much as there are members, not conjunctions.
    Costs: counts O(true literals + members), add and remove O(literals * log).
    """

    def __init__(
        self, conjunctions: Conjunctions, work: Work, *, leave_out_tests: GrowingArray | None = None
    ) -> None:
        """`leave_out_tests` marks the rows of tests that somebody else decides."""
        self._conjunctions = conjunctions
        self._work = work
        self._left_out = leave_out_tests
        self._atoms = AtomPostings()
        self._bounds = BoundPostings()
        self._members = GrowingArray(np.int64)
        self._wanted = GrowingArray(np.int32)

    def load(self, slots: Slots) -> None:
        store = self._conjunctions
        first = len(self._members)
        self._members.extend(slots)
        rows, of_test = store.tests.rows_of(slots)
        counted = self._counted_tests(rows)
        of_test = of_test[counted]
        self._atoms.load(store.tests["atom"][rows[counted]], first + of_test)
        rows, of_bound = store.bounds.rows_of(slots)
        self._bounds.load(store.bounds["column"][rows], store.bounds["operand"][rows], first + of_bound)
        rows, of_group = self._any_of_rows(slots)
        atom_rows, group = store.group_atoms.rows_of(store.groups["number"][rows])
        self._atoms.load(store.group_atoms["atom"][atom_rows], first + of_group[group])
        literals = np.concatenate((of_test, of_bound, of_group))
        self._wanted.extend(np.bincount(literals, minlength=len(slots)))

    def add(self, slot: int) -> None:
        member = len(self._members)
        atoms, bounds, wanted = self._literals_of(slot)
        for atom in atoms:
            self._atoms.add(atom, member)
        for column, operand in bounds:
            self._bounds.add(column, operand, member)
        self._members.extend([slot])
        self._wanted.extend([wanted])

    def remove(self, slot: int) -> None:
        """Take a conjunction out; nothing happens if it is no member."""
        member = int(np.searchsorted(self._members.array, slot))
        if member == len(self._members) or self._members.array[member] != slot:
            return
        atoms, bounds, _ = self._literals_of(slot)
        for atom in atoms:
            self._atoms.discard(atom, member)
        for column, operand in bounds:
            self._bounds.discard(column, operand, member)
        self._wanted.array[member] = NEVER_REACHED

    def counts(self, truth: Truth) -> NDArray[np.int64]:
        """For every member how many of its countable literals are true.

        An "any of" group counts once for each true atom, so with several values of an attribute a count
        may be too high, never too low.
        """
        found = joined(list(self._true_literals(truth)), np.int64)
        self._work.predicate_evaluations += len(found)
        return np.bincount(found, minlength=len(self._members))

    def reached(self, truth: Truth) -> Slots:
        """All members that have enough true literals."""
        reached: Slots = self._members.array[self.counts(truth) >= self._wanted.array]
        return reached

    def reached_among(self, slots: Slots, truth: Truth) -> Slots:
        """Those of these members that have enough true literals."""
        every = self._members.array
        all_there_are = len(every) > 0 and int(every[-1]) == len(every) - 1
        members = slots if all_there_are else np.searchsorted(every, slots)
        return slots[self.counts(truth)[members] >= self._wanted.array[members]]

    def check_invariants(self) -> None:
        members = self._members.array
        assert (np.diff(members) > 0).all()
        assert len(self._wanted) == len(members)
        for member, slot in enumerate(members.tolist()):
            wanted = self._wanted.array[member]
            assert wanted in (NEVER_REACHED, self._literals_of(slot)[2])

    def _true_literals(self, truth: Truth) -> Iterator[Slots]:
        yield from self._atoms.of(truth.atoms)
        yield from self._bounds.reached(truth.bounds)

    def _counted_tests(self, rows: Slots) -> NDArray[np.bool_]:
        counted: NDArray[np.bool_] = ~self._conjunctions.tests["negative"][rows]
        if self._left_out is not None:
            counted &= ~self._left_out.array[rows]
        return counted

    def _any_of_rows(self, slots: Slots) -> tuple[Slots, Slots]:
        groups = self._conjunctions.groups
        rows, position = groups.rows_of(slots)
        countable = ~groups["negative"][rows]
        return rows[countable], position[countable]

    def _literals_of(self, slot: int) -> tuple[list[int], list[tuple[int, float]], int]:
        """A conjunction's countable atoms and bounds, and how many literals they make."""
        store = self._conjunctions
        rows, _ = store.tests.rows_of(np.array([slot]))
        atoms: list[int] = store.tests["atom"][rows[self._counted_tests(rows)]].tolist()
        run = store.bounds.slice_of(slot)
        columns, operands = store.bounds["column"][run], store.bounds["operand"][run]
        bounds = list(zip(columns.tolist(), operands.tolist(), strict=True))
        wanted = len(atoms) + len(bounds)
        rows, _ = self._any_of_rows(np.array([slot]))
        for number in store.groups["number"][rows].tolist():
            atoms += store.group_atoms["atom"][store.group_atoms.slice_of(number)].tolist()
            wanted += 1
        return atoms, bounds, wanted
