"""Conjunctions as rows of predicates: (attribute, operator, value), the shape that paper 003 works on.

The literals of `Conjunctions` are turned back into what they came from: `x != 3`, there "x has a value" and
"not x = 3", is one row again; bounds are `<`, `<=`, `>` or `>=`. Numbers stand for themselves. What is no
number is compared by its atom (see `vocabulary`): IS asks that the atom is true of the event, IS_NOT that
the attribute has a value and the atom is not true.

All of an "any of" are rows, which count as one. What cannot be counted - other negations, and an "any of"
that asks for what the conjunction asks already - makes a conjunction `doubtful`: whoever finds it has the
shared residual check decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.axes import Axes
from matching.algorithms.conjunctions import Conjunctions
from matching.algorithms.slots import Slots
from matching.algorithms.vocabulary import NEVER

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Operator(IntEnum):
    EQUAL = 0
    UNEQUAL = 1
    IS = 2
    IS_NOT = 3
    BELOW = 4
    AT_MOST = 5
    ABOVE = 6
    AT_LEAST = 7


@dataclass(frozen=True, slots=True)
class PredicateRows:
    """Row by row, no row twice; `owner` is the position of the conjunction among those asked for.

    `wanted` and `doubtful` are for each conjunction: how many of its rows hold at least if it does, and
    whether that many are not enough to know.
    """

    owner: Ints
    operator: NDArray[np.int8]
    axis: NDArray[np.int32]
    value: NDArray[np.float64]
    wanted: Ints
    doubtful: Mask


def predicate_rows(conjunctions: Conjunctions, axes: Axes, slots: Slots) -> PredicateRows:
    """The predicates of these conjunctions. O(literals * log)."""
    tests, open_tests = _of_tests(conjunctions, axes, slots)
    groups, open_groups = _of_groups(conjunctions, axes, slots)
    literals = [tests, _of_bounds(conjunctions, slots), groups]
    singles = len(tests.owner) + len(literals[1].owner)
    rows = _joined(literals)
    # The same row again: once is enough, unless an "any of" has it, which then cannot be counted.
    order, is_first, first_of = _repeats(rows)
    kept = np.sort(order[is_first])
    several_times = np.bincount(first_of, minlength=len(order)) > 1
    shared = np.flatnonzero((np.arange(len(order)) >= singles) & several_times[first_of])
    uncounted = np.zeros(groups.count, np.bool_)
    uncounted[rows.literal[shared]] = True
    doubtful = open_tests | open_groups
    doubtful[rows.owner[shared]] = True
    wanted = np.bincount(rows.owner[kept[kept < singles]], minlength=len(slots))
    wanted += np.bincount(groups.owner_of_literal[~uncounted], minlength=len(slots))
    return PredicateRows(
        rows.owner[kept], rows.operator[kept], rows.axis[kept], rows.value[kept], wanted, doubtful
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """`literal` numbers the "any of" that a row belongs to, and `owner_of_literal` has whose they are."""

    owner: Ints
    operator: NDArray[np.int8]
    axis: NDArray[np.int32]
    value: NDArray[np.float64]
    literal: Ints
    owner_of_literal: Ints

    @property
    def count(self) -> int:
        return len(self.owner_of_literal)


def _of_tests(store: Conjunctions, axes: Axes, slots: Slots) -> tuple[_Rows, Mask]:
    rows, owner = store.tests.rows_of(slots)
    atom, negative = store.tests["atom"][rows], store.tests["negative"][rows]
    beyond = negative & (store.tests["excuse"][rows] == NEVER)  # "has no value", which no value satisfies
    doubtful = np.zeros(len(slots), np.bool_)
    doubtful[owner[beyond]] = True
    denied = negative & ~beyond
    used = ~beyond & ~_implied(store, atom, owner, denied)
    return _of_atoms(store, axes, atom[used], owner[used], denied[used]), doubtful


def _implied(store: Conjunctions, atom: NDArray[np.int32], owner: Ints, denied: Mask) -> Mask:
    """Which of the tests ask for a value of an attribute where a denied one does so too."""
    vocabulary = store.vocabulary
    axis = vocabulary.axis_of[atom]
    concerned = np.unique(axis[denied])
    names = list(vocabulary.axes)
    present = np.array([vocabulary.present(names[each]) for each in concerned.tolist()], np.int32)
    pair = owner * max(1, len(names)) + axis
    implied: Mask = ~denied & np.isin(atom, present)
    implied[implied] = np.isin(pair[implied], pair[denied])
    return implied


def _of_atoms(store: Conjunctions, axes: Axes, atom: NDArray[np.int32], owner: Ints, denied: Mask) -> _Rows:
    vocabulary = store.vocabulary
    axis = vocabulary.axis_of[atom]
    by_value = axes.is_number[axis] & vocabulary.is_equality[atom]
    operator = np.where(by_value, Operator.EQUAL, Operator.IS) + denied
    value = np.where(by_value, vocabulary.value_of[atom], atom)
    return _Rows(owner, operator.astype(np.int8), axis, value, np.zeros_like(owner), np.empty(0, np.int64))


def _of_groups(store: Conjunctions, axes: Axes, slots: Slots) -> tuple[_Rows, Mask]:
    rows, owner = store.groups.rows_of(slots)
    negative = store.groups["negative"][rows]
    doubtful = np.zeros(len(slots), np.bool_)
    doubtful[owner[negative]] = True
    rows, owner = rows[~negative], owner[~negative]
    atom_rows, literal = store.group_atoms.rows_of(store.groups["number"][rows])
    atom = store.group_atoms["atom"][atom_rows]
    found = _of_atoms(store, axes, atom, owner[literal], np.zeros(len(atom), np.bool_))
    return _Rows(found.owner, found.operator, found.axis, found.value, literal, owner), doubtful


def _of_bounds(store: Conjunctions, slots: Slots) -> _Rows:
    """An operand just below a whole number came from `<`; just below another number, it may stay `<=`."""
    rows, owner = store.bounds.rows_of(slots)
    column, operand = store.bounds["column"][rows], store.bounds["operand"][rows]
    following = np.nextafter(operand, np.inf)
    strict = (operand != np.floor(operand)) & (following == np.floor(following))
    value = np.where(strict, following, operand)
    mirrored = column % 2 == 1
    operator = np.where(mirrored, Operator.ABOVE, Operator.BELOW) + ~strict
    return _Rows(
        owner,
        operator.astype(np.int8),
        store.axis_of_bound.array[column],
        np.where(mirrored, -value, value) + 0.0,  # no negative zero
        np.zeros_like(owner),
        np.empty(0, np.int64),
    )


def _joined(parts: Sequence[_Rows]) -> _Rows:
    return _Rows(
        np.concatenate([part.owner for part in parts]),
        np.concatenate([part.operator for part in parts]),
        np.concatenate([part.axis for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.literal for part in parts]),
        np.empty(0, np.int64),
    )


def _repeats(rows: _Rows) -> tuple[Ints, Mask, Ints]:
    """An order of the rows with equal ones together, which of them come first there, and for each row,
    in its own place, the number of the first one equal to it."""
    order = np.lexsort((rows.value, rows.operator, rows.axis, rows.owner))
    is_first = np.ones(len(order), np.bool_)
    if len(order) > 1:
        before, after = order[:-1], order[1:]
        is_first[1:] = (
            (rows.owner[before] != rows.owner[after])
            | (rows.axis[before] != rows.axis[after])
            | (rows.operator[before] != rows.operator[after])
            | (rows.value[before] != rows.value[after])
        )
    first_of = np.empty(len(order), np.int64)
    first_of[order] = order[is_first][np.cumsum(is_first) - 1] if len(order) else order
    return order, is_first, first_of
