"""The bitmaps of a segment: for each column and bucket, which conjunctions an event there may satisfy.

Conjunctions stand in lines of 512 bits, sorted by the attributes that they constrain, so that a line has few;
a column has rows only for its lines, and lines in a row with the same columns form a stretch. Of every
line of a row there are two, side by side: *possible*, the conjunctions that the bucket does not exclude,
and *sure*, those whose constraint it satisfies whole. What is possible but not sure is checked.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from matching.algorithms.arrays import joined, starts_of
from matching.engine.allowing import Exclusions, exclusions, operands_of, ranges_of
from matching.engine.buckets import Column, column_of_atoms, numeric_column
from matching.engine.programs import EQUAL, IN, Programs, numbers_of
from matching.engine.statistics import Statistics
from matching.engine.vectors import WORDS_OF_A_LINE

BITS_OF_A_LINE = 64 * WORDS_OF_A_LINE
WORDS_OF_A_PAIR = 2 * WORDS_OF_A_LINE
MOST_COLUMNS = 62  # they are the bits of a number

Words = NDArray[np.uint64]


class Lines(NamedTuple):
    """Column c's row r begins at word column_word[c] + r * 16 * column_lines[c] of `bits`.

    Stretch s has the lines from stretch_line[s] to stretch_line[s + 1]; its columns, and the first line of
    each that belongs to it, stand from stretch_start[s] to stretch_start[s + 1], the most selective first.
    """

    bits: Words
    there: Words
    decided: Words
    column_attribute: NDArray[np.int32]
    column_is_numeric: NDArray[np.uint8]
    column_rows: NDArray[np.int32]
    column_word: NDArray[np.int64]
    column_lines: NDArray[np.int32]
    bucket_start: NDArray[np.int32]
    cut: NDArray[np.float64]
    bucket_atom: NDArray[np.int32]
    stretch_line: NDArray[np.int32]
    stretch_start: NDArray[np.int32]
    stretch_column: NDArray[np.int32]
    stretch_first: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Signatures:
    """For each conjunction the columns it constrains, as bits; `attributes` are the columns, 0 the lowest."""

    bits: NDArray[np.int64]
    attributes: NDArray[np.int64]

    @classmethod
    def of(cls, programs: Programs) -> "Signatures":
        """The attributes constrained most become columns, the most frequent one the highest bit."""
        attribute = programs.attribute
        distinct, uses = np.unique(attribute, return_counts=True)
        columns = distinct[np.argsort(uses, kind="stable")[-MOST_COLUMNS:]]
        column_of = np.full(int(distinct.max(initial=0)) + 1, -1)
        column_of[columns] = np.arange(len(columns))
        column = column_of[attribute]
        bits = np.zeros(len(programs), np.int64)
        is_column = column >= 0
        np.bitwise_or.at(bits, programs.owner[is_column], np.int64(1) << column[is_column])
        return cls(bits, columns)


def built(
    programs: Programs, signatures: Signatures, statistics: Statistics, numeric: frozenset[int]
) -> Lines:
    """The bitmaps of these programs, which are in the order of their signatures. O(literals * buckets).

    `numeric` has the numbers of the numeric attributes.
    """
    count = len(programs)
    lines = -(-count // BITS_OF_A_LINE)
    union = (
        np.bitwise_or.reduceat(signatures.bits, np.arange(0, count, BITS_OF_A_LINE))
        if count
        else np.empty(0, np.int64)
    )
    columns = [
        _column(attribute, programs, statistics, attribute in numeric)
        for attribute in signatures.attributes.tolist()
    ]
    has_column = (union[:, None] >> np.arange(len(columns)) & 1).astype(np.bool_)
    column_lines = has_column.sum(axis=0)
    words = np.array([column.rows for column in columns], np.int64) * column_lines * WORDS_OF_A_PAIR
    column_word = np.cumsum(words) - words
    bits = np.full(int(words.sum()), ~np.uint64(0))
    line_of = np.cumsum(has_column, axis=0) - 1
    density = np.ones(has_column.shape)
    owner = programs.owner
    for number, column in enumerate(columns):
        here = np.flatnonzero(programs.attribute == column.attribute)
        line, bit = np.divmod(owner[here], BITS_OF_A_LINE)
        word = line_of[line, number] * WORDS_OF_A_PAIR + (bit >> 6)
        mask = ~(np.uint64(1) << (bit & 63).astype(np.uint64))
        rows = bits[column_word[number] :][: words[number]].reshape(column.rows, -1)
        possible, sure = exclusions(programs, here, column)
        _exclude(rows, word, mask, possible)
        _exclude(rows, word + WORDS_OF_A_LINE, mask, sure)
        density[has_column[:, number], number] = _density(rows, column.frequencies(statistics))
    decided, there = np.full((2, lines * WORDS_OF_A_LINE), ~np.uint64(0))
    _clear(decided, owner[~np.isin(programs.attribute, signatures.attributes)])
    _clear(there, np.arange(count, lines * BITS_OF_A_LINE))
    stretch = np.flatnonzero(np.concatenate(([True], np.diff(union) != 0)))[: len(union)]
    in_stretch, of_column = np.nonzero(has_column[stretch])
    order = np.lexsort((density[stretch][in_stretch, of_column], in_stretch))
    in_stretch, of_column = in_stretch[order], of_column[order]
    return Lines(
        bits=bits,
        there=there,
        decided=decided,
        column_attribute=signatures.attributes.astype(np.int32),
        column_is_numeric=np.array([column.is_numeric for column in columns], np.uint8),
        column_rows=np.array([column.rows for column in columns], np.int32),
        column_word=column_word.astype(np.int64),
        column_lines=column_lines.astype(np.int32),
        bucket_start=starts_of(np.array([column.buckets - 1 for column in columns], np.int64)),
        cut=joined([_cuts(column) for column in columns], np.float64),
        bucket_atom=joined([_atoms(column) for column in columns], np.int32),
        stretch_line=np.concatenate((stretch, [lines])).astype(np.int32),
        stretch_start=starts_of(np.bincount(in_stretch, minlength=len(stretch))),
        stretch_column=of_column.astype(np.int32),
        stretch_first=line_of[stretch][in_stretch, of_column].astype(np.int32),
    )


def _cuts(column: Column) -> NDArray[np.float64]:
    return column.cut if column.is_numeric else np.zeros(len(column.atom))


def _atoms(column: Column) -> NDArray[np.int32]:
    return np.zeros(len(column.cut), np.int32) if column.is_numeric else column.atom.astype(np.int32)


def _column(attribute: int, programs: Programs, statistics: Statistics, is_numeric: bool) -> Column:
    here = np.flatnonzero(programs.attribute == attribute)
    operator = programs.operator[here]
    _, listed = operands_of(programs, here, np.flatnonzero(operator == IN))
    if is_numeric:
        ranges, _ = ranges_of(programs, here, np.ones(len(here), np.bool_))
        low, high = (np.concatenate((ends, numbers_of(listed))) for ends in (ranges.low, ranges.high))
        return numeric_column(attribute, low, high, statistics)
    asked_for = programs.literal[here[operator == EQUAL], 1]
    return column_of_atoms(attribute, np.concatenate((asked_for, listed)))


def _density(rows: Words, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each line, which share of its conjunctions the column leaves possible for an event, on average."""
    pairs = rows.reshape(len(rows), -1, WORDS_OF_A_PAIR)
    left = np.bitwise_count(pairs[:, :, :WORDS_OF_A_LINE]).sum(axis=2, dtype=np.int64)
    density: NDArray[np.float64] = frequencies @ left / BITS_OF_A_LINE
    return density


def _exclude(rows: Words, word: NDArray[np.int64], mask: Words, runs: Exclusions) -> None:
    _clear_runs(rows, word[runs.literal], mask[runs.literal], runs.first, runs.last)


# Numba finds the types.
@njit(cache=True, nogil=True)
def _clear_runs(rows, word, mask, first, last):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Mask a word in the rows from `first` to `last`, for each of these runs of rows."""
    for run in range(word.size):
        for row in range(first[run], last[run] + 1):
            rows[row, word[run]] &= mask[run]


def _clear(words: Words, bits: NDArray[np.int64]) -> None:
    np.bitwise_and.at(words, bits >> 6, ~(np.uint64(1) << (bits & 63).astype(np.uint64)))
