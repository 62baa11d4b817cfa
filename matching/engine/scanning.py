"""The second stage of a match, compiled: the entries that the event's buckets leave possible (see `lines`).

A line is 512 entries, one line of the processor's cache per column and row. The columns of a line are ANDed
one after the other, the most selective first, until nothing is left. Where more than a few entries are left,
the *sure* line that follows each *possible* one in memory tells which of them need no check.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN201, ANN202 - Numba finds the types

import numpy as np
from numba import njit

from matching.engine.bitmaps import DE_BRUIJN, POSITION
from matching.engine.blocks import doubles, grown, ints, longs, part, places_up_to, words
from matching.engine.checking import ATOMS, FIRST_ATOM, FIRST_NUMBER, NUMBERS, VALUES
from matching.engine.layout import PLACE_OF
from matching.engine.lines import BITS_OF_A_LINE, WORDS_OF_A_LINE, WORDS_OF_A_PAIR

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
    stretch_line, stretch_start = ints(block, table, STRETCH_LINE), ints(block, table, STRETCH_START)
    stretch_column, stretch_first = ints(block, table, STRETCH_COLUMN), ints(block, table, STRETCH_FIRST)
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
        columns = stretch_column[stretch_start[stretch] : stretch_start[stretch + 1]]
        firsts = stretch_first[stretch_start[stretch] : stretch_start[stretch + 1]]
        for line in range(stretch_line[stretch], stretch_line[stretch + 1]):
            further = line - stretch_line[stretch]
            left[:] = there[line * WORDS_OF_A_LINE : (line + 1) * WORDS_OF_A_LINE]
            _and(left, bits, columns, firsts, further, row_word, row_start, 0, some)
            many = _how_many(left)
            if many == 0:
                continue
            sure[:] = 0
            if many > FEW:
                for word in range(WORDS_OF_A_LINE):
                    sure[word] = left[word] & decided[line * WORDS_OF_A_LINE + word]
                _and(sure, bits, columns, firsts, further, row_word, row_start, WORDS_OF_A_LINE, some)
            if count + BITS_OF_A_LINE > found.size:
                found = grown(found, count, BITS_OF_A_LINE)
            if doubts + BITS_OF_A_LINE > doubtful.size:
                doubtful = grown(doubtful, doubts, BITS_OF_A_LINE)
            entry = first_entry + line * BITS_OF_A_LINE
            count = _extracted(sure, entry, found, count)
            for word in range(WORDS_OF_A_LINE):
                left[word] &= ~sure[word]
            doubts = _extracted(left, entry, doubtful, doubts)
    return found, count, doubtful, doubts


@njit(inline="always")
def _and(left, bits, columns, firsts, further, row_word, row_start, skipped, some):
    """AND a line with those of its columns, until nothing is left."""
    for each in range(columns.size):
        column = columns[each]
        start = (firsts[each] + further) * WORDS_OF_A_PAIR + skipped
        first, last = row_start[column], row_start[column + 1]
        where = row_word[first] + start
        if last - first == 1:
            line = bits[where : where + WORDS_OF_A_LINE]
            for word in range(WORDS_OF_A_LINE):
                left[word] &= line[word]
        else:
            some[:] = bits[where : where + WORDS_OF_A_LINE]
            for other in range(first + 1, last):
                where = row_word[other] + start
                line = bits[where : where + WORDS_OF_A_LINE]
                for word in range(WORDS_OF_A_LINE):
                    some[word] |= line[word]
            for word in range(WORDS_OF_A_LINE):
                left[word] &= some[word]
        all_words = np.uint64(0)
        for word in range(WORDS_OF_A_LINE):
            all_words |= left[word]
        if all_words == 0:
            break


@njit(inline="always")
def _how_many(line):
    """How many bits are set, up to FEW + 1."""
    many = 0
    for word in range(WORDS_OF_A_LINE):
        bits = line[word]
        while bits != 0 and many <= FEW:
            bits &= bits - _ONE
            many += 1
    return many


@njit(inline="always")
def _extracted(line, entry, into, count):
    """Write down the entries whose bits are set; the new count."""
    for word in range(WORDS_OF_A_LINE):
        bits = line[word]
        while bits != 0:
            lowest = bits & (~bits + _ONE)
            bits ^= lowest
            into[count] = entry + 64 * word + POSITION[(lowest * DE_BRUIJN) >> np.uint64(58)]
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
