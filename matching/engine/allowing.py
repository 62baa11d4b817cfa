"""Which buckets of a column a literal excludes: some for certain, others unless a check says otherwise.

What is left when all exclusions are made is *possible*, or *sure*. A number falls into one bucket, so what
must hold of one number together is possible, or sure, where all its parts are. An event falls into the
buckets of all its atoms; so of these, one literal must do.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.arrays import joined
from matching.engine.buckets import Column
from matching.engine.programs import (
    ABSENT,
    EQUAL,
    IN,
    JOINT,
    NOT,
    OUTSIDE,
    PRESENT,
    RANGE,
    Programs,
    next_double,
    numbers_of,
)

Ints = NDArray[np.int64]


class Exclusions(NamedTuple):
    """Runs of rows, from `first` to `last`, each for one of the literals, by its position."""

    literal: Ints
    first: Ints
    last: Ints


class Ranges(NamedTuple):
    """Ranges that a number must lie in, or, if negated, must not; each belongs to one of the literals."""

    literal: Ints
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    negated: NDArray[np.bool_]


def exclusions(programs: Programs, here: Ints, column: Column) -> tuple[Exclusions, Exclusions]:
    """What the literals `here`, all that there are on the column, exclude: from possible, and from sure."""
    operator, everyone = programs.operator[here], np.arange(len(here))
    leads, alone = _places(programs, here)
    absent = column.buckets
    wants_none = operator == ABSENT
    basic = [
        _runs(everyone[wants_none], 0, absent - 1),
        _runs(everyone[~wants_none], absent, absent),
    ]
    if column.is_numeric:
        tests, is_exact = ranges_of(programs, here, leads)
        possible, sure = _of_ranges(tests, column)
        possible += _of_numbers(programs, here, column, leads & (operator == IN))
    else:
        possible, is_exact = _of_atoms(programs, here, column, leads)
        sure = possible
    unsure = everyone[~(wants_none | (operator == PRESENT) | is_exact) | ~alone]
    return (
        _together([*basic, *possible]),
        _together([*basic, *sure, _runs(unsure, 0, absent - 1)]),
    )


def _places(programs: Programs, here: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which literals are the first, and which the only one, of their conjunction on the attribute.

    Two about the value set, as of two words, may be satisfied by two values, which fall into two buckets.
    """
    owner = programs.owner[here]
    goes_on = np.concatenate(([False], np.diff(owner) == 0, [False]))
    return ~goes_on[:-1], ~(goes_on[:-1] | goes_on[1:])


def ranges_of(programs: Programs, here: Ints, leads: NDArray[np.bool_]) -> tuple[Ranges, NDArray[np.bool_]]:
    """The ranges in leading literals; and which literals say nothing else."""
    operator, literal = programs.operator[here], programs.literal[here]
    plain = np.flatnonzero(leads & ((operator == RANGE) | (operator == OUTSIDE)))
    joint = np.flatnonzero(leads & (operator == JOINT))
    length = literal[joint, 2]
    owner = np.repeat(joint, length)
    end = np.cumsum(length)
    row = np.arange(len(owner)) + np.repeat(literal[joint, 1] - (end - length), length)
    part = programs.part[row]
    is_range = part[:, 0] % NOT == RANGE
    is_exact = (operator == RANGE) | (operator == OUTSIDE)
    is_exact[joint] = True
    is_exact[owner[~is_range]] = False
    owner, part = owner[is_range], part[is_range]
    return (
        Ranges(
            literal=np.concatenate((plain, owner)),
            low=numbers_of(np.concatenate((literal[plain, 1], part[:, 1]))),
            high=numbers_of(np.concatenate((literal[plain, 2], part[:, 2]))),
            negated=np.concatenate((operator[plain] == OUTSIDE, part[:, 0] >= NOT)),
        ),
        is_exact,
    )


def _of_ranges(tests: Ranges, column: Column) -> tuple[list[Exclusions], list[Exclusions]]:
    """What the ranges exclude from possible, and from sure.

    A bucket is touched by a range from `first` to `last`; it lies inside of it from `inner_first` on.
    """
    cut = np.concatenate(([-np.inf], column.cut, [np.inf]))
    beyond = next_double(tests.high, np.inf)
    first = np.searchsorted(cut, tests.low, "right") - 1
    last = np.searchsorted(cut, beyond, "left") - 1
    inner_first = np.searchsorted(cut, tests.low, "left")
    inner_last = np.searchsorted(cut, beyond, "right") - 2
    top = column.buckets - 1
    plain, negated = np.flatnonzero(~tests.negated), np.flatnonzero(tests.negated)
    return (
        [
            _runs(tests.literal[plain], 0, first[plain] - 1),
            _runs(tests.literal[plain], last[plain] + 1, top),
            _runs(tests.literal[negated], inner_first[negated], inner_last[negated]),
        ],
        [
            _runs(tests.literal[plain], 0, inner_first[plain] - 1),
            _runs(tests.literal[plain], inner_last[plain] + 1, top),
            _runs(tests.literal[negated], first[negated], last[negated]),
        ],
    )


def _of_numbers(
    programs: Programs, here: Ints, column: Column, chosen: NDArray[np.bool_]
) -> list[Exclusions]:
    """What lists of numbers exclude: all buckets in which none of them lies."""
    literal, operand = operands_of(programs, here, np.flatnonzero(chosen))
    return _all_but(literal, np.searchsorted(column.cut, numbers_of(operand), "right"), column)


def _of_atoms(
    programs: Programs, here: Ints, column: Column, leads: NDArray[np.bool_]
) -> tuple[list[Exclusions], NDArray[np.bool_]]:
    """What literals that ask for an atom, or for one of several, exclude: all buckets but those of the atoms.

    If one of them has no bucket, nothing. Also which literals that decides.
    """
    operator = programs.operator[here]
    one = np.flatnonzero(leads & (operator == EQUAL))
    listing, listed = operands_of(programs, here, np.flatnonzero(leads & (operator == IN)))
    literal = np.concatenate((one, listing))
    atom = np.concatenate((programs.literal[here[one], 1], listed))
    has_bucket = np.isin(atom, column.atom)
    decided = np.zeros(len(here), np.bool_)
    decided[literal] = True
    decided[literal[~has_bucket]] = False
    chosen = decided[literal]
    return _all_but(literal[chosen], np.searchsorted(column.atom, atom[chosen]) + 1, column), decided


def operands_of(programs: Programs, here: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """The operands of these literals, and the literal of each."""
    first, length = programs.literal[here[chosen], 1], programs.literal[here[chosen], 2]
    end = np.cumsum(length)
    literal = np.repeat(chosen, length)
    row = np.arange(len(literal)) + np.repeat(first - (end - length), length)
    return literal, programs.operand[row]


def _all_but(literal: Ints, row: Ints, column: Column) -> list[Exclusions]:
    """Runs of all rows for values but these, which a literal may have several of."""
    order = np.lexsort((row, literal))
    literal, row = literal[order], row[order]
    is_first = np.concatenate(([True], np.diff(literal) != 0))[: len(literal)]
    is_last = np.concatenate((np.diff(literal) != 0, [True]))[: len(literal)]
    before = np.concatenate(([-1], row[:-1]))[: len(row)]
    return [
        _runs(literal, np.where(is_first, -1, before) + 1, row - 1),
        _runs(literal[is_last], row[is_last] + 1, column.buckets - 1),
    ]


def _runs(literal: Ints, first: Ints | int, last: Ints | int) -> Exclusions:
    return Exclusions(literal, np.broadcast_to(first, len(literal)), np.broadcast_to(last, len(literal)))


def _together(parts: list[Exclusions]) -> Exclusions:
    first, last = (joined([part[at] for part in parts], np.int64) for at in (1, 2))
    literal = joined([part.literal for part in parts], np.int64)
    is_any = first <= last
    return Exclusions(literal[is_any], first[is_any], last[is_any])
