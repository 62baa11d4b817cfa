"""Events in numbers, as kernels read them: made of what the vocabulary wrote down, without the interpreter's
lock. Compiled.

What the vocabulary wrote can also be cut, event by event, kept, and put together again in any order: whoever
has opened the same snapshot matches it without the events themselves.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
# ruff: noqa: ANN001, ANN201 - Numba finds the types

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FIELDS_OF_A_ROW = 4


class CodedEvents(NamedTuple):
    """Events as the vocabulary writes them: a record for each attribute of each, one after the other.

    Event k has the records from row_start[k] to row_start[k + 1]. A record is a row, see `EventBatch`, then
    its atoms, then their values. The record of a text is shorter: its attribute stands as ~attribute, its
    atoms have no order, and their values are left out, since all the words of a text are one value.
    """

    row_start: NDArray[np.int64]
    record: NDArray[np.int32]
    number: NDArray[np.float64]


class EventBatch(NamedTuple):
    """Events in numbers. Event k has the rows from row_start[k] to row_start[k + 1], one per attribute.

    A row says: the attribute, how many values, how many atoms, how many numbers. The atoms and numbers of
    all rows follow each other in `atom` and `number`; `value_of_atom` says which of the values an atom is
    true of. The atoms of a row ascend; one that is true of several values is there several times.
    """

    row_start: NDArray[np.int64]
    row: NDArray[np.int32]
    atom: NDArray[np.int32]
    value_of_atom: NDArray[np.int32]
    number: NDArray[np.float64]


def together(rows: NDArray[np.integer[Any]], record: bytes, number: bytes) -> CodedEvents:
    """Events whose bytes follow each other."""
    row_start = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(rows, out=row_start[1:])
    # Of the same types as the vocabulary's, or else every kernel would be compiled once more for these.
    numbers = np.frombuffer(number, np.float64).copy()
    return CodedEvents(row_start, np.frombuffer(record, np.int32), numbers)


@njit(cache=True, nogil=True)
def starts_of(coded):
    """(record_start, number_start): where those of each event begin, and the last ones end."""
    events = coded.row_start.size - 1
    record_start, number_start = np.zeros(events + 1, np.int64), np.zeros(events + 1, np.int64)
    at = numbers = 0
    for event in range(events):
        for _ in range(coded.row_start[event], coded.row_start[event + 1]):
            has_values = coded.record[at] >= 0
            atoms = np.int64(coded.record[at + 2])
            numbers += np.int64(coded.record[at + 3])
            at += FIELDS_OF_A_ROW + (2 * atoms if has_values else atoms)
        record_start[event + 1] = at
        number_start[event + 1] = numbers
    return record_start, number_start


@njit(cache=True, nogil=True)
def batch_of(coded):
    rows = FIELDS_OF_A_ROW * coded.row_start[-1]
    record = coded.record
    row = np.empty(rows, np.int32)
    atom = np.empty(record.size - rows, np.int32)
    value_of_atom = np.zeros(atom.size, np.int32)
    at = atoms = 0
    for first in range(0, rows, FIELDS_OF_A_ROW):
        for place in range(FIELDS_OF_A_ROW):
            row[first + place] = record[at + place]
        at += FIELDS_OF_A_ROW
        count = np.int64(row[first + 2])
        for place in range(count):
            atom[atoms + place] = record[at + place]
        at += count
        if row[first] < 0:
            row[first] = ~row[first]
            atom[atoms : atoms + count].sort()
        else:
            for place in range(count):
                value_of_atom[atoms + place] = record[at + place]
            at += count
        atoms += count
    return EventBatch(coded.row_start, row, atom[:atoms], value_of_atom[:atoms], coded.number)
