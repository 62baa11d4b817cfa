"""The second stage of a match, compiled: the entries that the event's buckets leave possible (see `lines`).

A line is 512 entries, one line of the processor's cache per column and row. The columns of a line are ANDed
one after the other, the most selective first, until nothing is left. Where more than a few entries are left,
the *sure* line that follows each *possible* one in memory tells which of them need no check.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN201, ANN202 - Numba finds the types

import numpy as np
from numba import njit

from matching.engine.blocks import doubles, grown, ints, longs, part, places_up_to, prefetch, words
from matching.engine.checking import ATOMS, FIRST_ATOM, FIRST_NUMBER, NUMBERS, VALUES
from matching.engine.layout import PLACE_OF
from matching.engine.lines import BITS_OF_A_LINE, WORDS_OF_A_PAIR
from matching.engine.vectors import (
    WORDS_OF_A_LINE,
    and_line,
    bits_of_line,
    lowest_bit,
    or_line,
    set_line,
)

BITS, THERE, DECIDED = PLACE_OF["bits"], PLACE_OF["there"], PLACE_OF["decided"]
COLUMN_ATTRIBUTE, COLUMN_IS_NUMERIC = PLACE_OF["column_attribute"], PLACE_OF["column_is_numeric"]
COLUMN_ROWS, COLUMN_WORD = PLACE_OF["column_rows"], PLACE_OF["column_word"]
COLUMN_LINES, BUCKET_START = PLACE_OF["column_lines"], PLACE_OF["bucket_start"]
BUCKET_ATOM, CUT = PLACE_OF["bucket_atom"], PLACE_OF["cut"]
STRETCH_LINE, STRETCH_START = PLACE_OF["stretch_line"], PLACE_OF["stretch_start"]
STRETCH_COLUMN, STRETCH_FIRST = PLACE_OF["stretch_column"], PLACE_OF["stretch_first"]
PLACE_START = PLACE_OF["place_start"]

FEW = 2  # entries of a line: checking these costs less than reading what is sure
_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def scan(block, table, has, batch, found, doubtful, doubts):
    """The entries of the bitmaps that are possible: sure ones are found, others doubtful.

    (found, how many, doubtful, how many)
    """
    bits, there = words(block, table, BITS), words(block, table, THERE)
    decided = words(block, table, DECIDED)
    stretch_line = ints(block, table, STRETCH_LINE)
    stretches = (
        ints(block, table, STRETCH_START),
        ints(block, table, STRETCH_COLUMN),
        ints(block, table, STRETCH_FIRST),
    )
    first_entry = ints(block, table, PLACE_START)[-1]
    row_word, row_start = _rows(block, table, has, batch)
    count = 0
    if found.size < there.size:  # for one in 64: growing step by step costs more
        found = np.empty(there.size, np.int32)
    left, sure, some = (
        np.empty(WORDS_OF_A_LINE, np.uint64),
        np.empty(WORDS_OF_A_LINE, np.uint64),
        np.empty(WORDS_OF_A_LINE, np.uint64),
    )
    for stretch in range(stretch_line.size - 1):
        columns, firsts = _of_stretch(stretch, stretches)
        for line in range(stretch_line[stretch], stretch_line[stretch + 1]):
            further = line - stretch_line[stretch]
            if line + 1 < stretch_line[stretch + 1]:
                _fetch(bits, columns, firsts, further + 1, row_word, row_start)
            elif stretch + 2 < stretch_line.size:
                next_columns, next_firsts = _of_stretch(stretch + 1, stretches)
                _fetch(bits, next_columns, next_firsts, 0, row_word, row_start)
            set_line(left, there, line * WORDS_OF_A_LINE)
            if not _and(left, bits, columns, firsts, further, row_word, row_start, 0, some):
                continue
            if count + BITS_OF_A_LINE > found.size:
                found = grown(found, count, BITS_OF_A_LINE)
            if doubts + BITS_OF_A_LINE > doubtful.size:
                doubtful = grown(doubtful, doubts, BITS_OF_A_LINE)
            entry = first_entry + line * BITS_OF_A_LINE
            if bits_of_line(left) > FEW:
                set_line(sure, decided, line * WORDS_OF_A_LINE)
                and_line(sure, left, 0)
                if _and(sure, bits, columns, firsts, further, row_word, row_start, WORDS_OF_A_LINE, some):
                    count = _extracted(sure, entry, found, count)
                    for word in range(WORDS_OF_A_LINE):
                        left[word] &= ~sure[word]
            doubts = _extracted(left, entry, doubtful, doubts)
    return found, count, doubtful, doubts


@njit(inline="always")
def _of_stretch(stretch, stretches):
    """The columns of a stretch, and the first line of each that belongs to it."""
    start, column, first = stretches
    return column[start[stretch] : start[stretch + 1]], first[start[stretch] : start[stretch + 1]]


@njit(inline="always")
def _fetch(bits, columns, firsts, further, row_word, row_start):
    """Let the processor fetch what the line so much further in a stretch is ANDed with."""
    for each in range(columns.size):
        where = row_word[row_start[columns[each]]] + (firsts[each] + further) * WORDS_OF_A_PAIR
        prefetch(bits, where)
        prefetch(bits, where + WORDS_OF_A_LINE)


@njit(inline="always")
def _and(left, bits, columns, firsts, further, row_word, row_start, skipped, some):
    """AND a line with those of its columns, until nothing is left; whether something is."""
    for each in range(columns.size):
        column = columns[each]
        start = (firsts[each] + further) * WORDS_OF_A_PAIR + skipped
        first, last = row_start[column], row_start[column + 1]
        if last - first == 1:
            rest = and_line(left, bits, row_word[first] + start)
        else:
            set_line(some, bits, row_word[first] + start)
            for other in range(first + 1, last):
                or_line(some, bits, row_word[other] + start)
            rest = and_line(left, some, 0)
        if rest == 0:
            return False
    return True


@njit(inline="always")
def _extracted(line, entry, into, count):
    """Write down the entries whose bits are set; the new count."""
    for word in range(WORDS_OF_A_LINE):
        bits = line[word]
        while bits != 0:
            into[count] = entry + 64 * word + lowest_bit(bits)
            bits &= bits - _ONE
            count += 1
    return count


@njit(cache=True, nogil=True)
def _rows(block, table, has, batch):
    """(words, start): where the rows begin, of each column, that the event's values, or atoms, fall into."""
    column_attribute = ints(block, table, COLUMN_ATTRIBUTE)
    column_is_numeric = part(block, table, COLUMN_IS_NUMERIC)
    column_rows, column_lines = ints(block, table, COLUMN_ROWS), ints(block, table, COLUMN_LINES)
    column_word = longs(block, table, COLUMN_WORD)
    bucket_start, bucket_atom = ints(block, table, BUCKET_START), ints(block, table, BUCKET_ATOM)
    cut = doubles(block, table, CUT)
    row_word = np.empty(column_attribute.size + batch.number.size + batch.atom.size, np.int64)
    start = np.empty(column_attribute.size + 1, np.int32)
    end = 0
    for column in range(column_attribute.size):
        start[column] = end
        attribute = column_attribute[column]
        low, high = bucket_start[column], bucket_start[column + 1]
        if attribute >= has.shape[0] or has[attribute, VALUES] == 0:
            row_word[end] = column_rows[column] - 1
            end += 1
        elif column_is_numeric[column]:
            first = has[attribute, FIRST_NUMBER]
            for number in range(first, first + has[attribute, NUMBERS]):
                row_word[end] = places_up_to(cut[low:high], batch.number[number])
                end += 1
        else:
            first = has[attribute, FIRST_ATOM]
            for number in range(first, first + has[attribute, ATOMS]):
                place = places_up_to(bucket_atom[low:high], batch.atom[number])
                if place > 0 and bucket_atom[low + place - 1] == batch.atom[number]:
                    row_word[end] = place
                    end += 1
            if end == start[column]:
                row_word[end] = 0
                end += 1
        for row in range(start[column], end):
            row_word[row] = column_word[column] + row_word[row] * column_lines[column] * WORDS_OF_A_PAIR
    start[column_attribute.size] = end
    return row_word, start
