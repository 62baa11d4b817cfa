"""Who waits for what an event has, among the subscriptions that came since (see `fresh`). Compiled.

A number of an attribute, or an atom, leads to the head of a chain of entries; others that have the same head
are told apart by what they wait for.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN201, ANN202 - Numba finds the types

import numpy as np
from numba import njit

from matching.engine.blocks import grown
from matching.engine.checking import ATOMS, FIRST_ATOM, FIRST_NUMBER, NUMBERS
from matching.engine.hashing import GOLDEN, SECOND

HEAD_BITS = 13
HEADS = 1 << HEAD_BITS
ALWAYS = HEADS  # the head of those that wait for nothing
NOBODY = -1
NO_ATTRIBUTE = -1  # of an atom, whose number says all
_ALL_BITS = (1 << 64) - 1


def head_of(attribute: int, wanted: int) -> int:
    """The chain of those that wait for this; kernels work it out in the same way."""
    mixed = (wanted ^ (attribute * SECOND)) & _ALL_BITS
    return ((mixed ^ (mixed >> 32)) * GOLDEN & _ALL_BITS) >> (64 - HEAD_BITS)


@njit(cache=True, nogil=True)
def waiting_for(event, batch, has, count, chains, doubtful):
    """(doubtful, how many): of the first `count` entries those that wait for something that the event has.

    `chains` is (heads, next, what each waits for, of which attribute).
    """
    bits = batch.number.view(np.int64)
    doubtful, doubts = _along(chains, ALWAYS, NO_ATTRIBUTE, np.int64(0), count, doubtful, 0)
    for row in range(4 * batch.row_start[event], 4 * batch.row_start[event + 1], 4):
        attribute = np.int64(batch.row[row])
        first = has[attribute, FIRST_NUMBER]
        for place in range(first, first + has[attribute, NUMBERS]):
            wanted = bits[place] if batch.number[place] != 0 else 0  # there are two zeros
            head = _head_of(attribute, wanted)
            doubtful, doubts = _along(chains, head, attribute, wanted, count, doubtful, doubts)
        first = has[attribute, FIRST_ATOM]
        for place in range(first, first + has[attribute, ATOMS]):
            if place > first and batch.atom[place] == batch.atom[place - 1]:
                continue
            atom = np.int64(batch.atom[place])
            head = _head_of(NO_ATTRIBUTE, atom)
            doubtful, doubts = _along(chains, head, NO_ATTRIBUTE, atom, count, doubtful, doubts)
    return doubtful, doubts


@njit(inline="always")
def _head_of(attribute, wanted):
    mixed = np.uint64(wanted) ^ (np.uint64(np.int64(attribute)) * np.uint64(SECOND))
    return np.int64(((mixed ^ (mixed >> np.uint64(32))) * np.uint64(GOLDEN)) >> np.uint64(64 - HEAD_BITS))


@njit(inline="always")
def _along(chains, head, attribute, wanted, count, doubtful, doubts):
    heads, following, waits_for, of_attribute = chains
    entry = heads[head]
    while entry != NOBODY:
        if entry < count and waits_for[entry] == wanted and of_attribute[entry] == attribute:
            if doubts == doubtful.size:
                doubtful = grown(doubtful, doubts, 1)
            doubtful[doubts] = entry
            doubts += 1
        entry = following[entry]
    return doubtful, doubts
