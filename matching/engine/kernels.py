"""The compiled core: what a view has and events in numbers to the ids of the subscriptions that match.

Kernels hold no lock of the interpreter and write only to arrays of their own call, so any number of threads
may match at once. An event goes through three stages: walk the clusters, scan the bitmaps, check what is
left. Their types are Numba's to find; `matched` has the annotations.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
# ruff: noqa: ANN001, ANN201, ANN202 - Numba finds the types

import numpy as np
from numba import njit
from numpy.typing import NDArray

from matching.engine.batches import CodedEvents, batch_of
from matching.engine.blocks import bytes_at, grown, ints, ints_at, is_empty, longs, longs_at, numbers32, part
from matching.engine.checking import FIELDS, check, clear, unpack
from matching.engine.layout import PLACE_OF
from matching.engine.scanning import scan
from matching.engine.waiting import waiting_for
from matching.engine.walking import find_keys, walk

LITERAL, LITERAL_START, KEYED = (PLACE_OF[name] for name in ("literal", "literal_start", "keyed"))
PART, OPERAND = PLACE_OF["part"], PLACE_OF["operand"]
CHILD_NODE, THERE = PLACE_OF["child_node"], PLACE_OF["there"]
ID_START, ID, ID_BASE = (PLACE_OF[name] for name in ("id_start", "id", "id_base"))
SEVERAL, SUBSCRIPTION = PLACE_OF["several"], PLACE_OF["subscription"]

_FEW = 256
_AT_ONCE = 4
_SOME = 1 << 40  # the size of an array that is only read where counts say that there is something
NUMBERS_OF_A_SEGMENT, NUMBERS_OF_FRESH = 5, 16  # in a directory
_OF_A_TABLE = 2 * len(PLACE_OF)


def matched(
    directory: NDArray[np.int64], coded: CodedEvents, attributes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(offsets, ids): what each of the events matches of all that the directory lists, each id once."""
    offsets, ids = _matched(directory, coded, attributes)
    return offsets, ids


@njit(cache=True, nogil=True)
def _matched(directory, coded, attributes):
    batch = batch_of(coded)
    change, segments, fresh = directory[0], directory[1], directory[2]
    events = batch.row_start.size - 1
    has = np.zeros((attributes, FIELDS), np.int32)
    key_of_number = np.zeros(batch.number.size, np.int64)
    found, doubtful = np.empty(_FEW, np.int32), np.empty(_FEW, np.int32)
    offsets, ids = np.zeros(events + 1, np.int64), np.empty(_FEW, np.int64)
    # Not just 0, of which Numba knows the value: it would compile all that is called below for that alone.
    count = atom_at = number_at = np.int64(0)
    for event in range(events):
        if count > ids.size // 2 and event:
            # As many as the events so far let expect: growing step by step would copy all of it each time.
            ids = _with_room(ids, count, min(7 * count, count // event * (events - event)))
        atom_at, number_at = unpack(batch, event, has, atom_at, number_at)
        at = 3
        for _ in range(segments):
            numbers = directory[at : at + NUMBERS_OF_A_SEGMENT]
            found, doubtful, ids, count = _of_segment(
                numbers, batch, event, has, key_of_number, change, found, doubtful, ids, count
            )
            at += NUMBERS_OF_A_SEGMENT
        for _ in range(fresh):
            numbers = directory[at : at + NUMBERS_OF_FRESH]
            found, doubtful, ids, count = _of_fresh(
                numbers, batch, event, has, change, found, doubtful, ids, count
            )
            at += NUMBERS_OF_FRESH
        clear(batch, event, has)
        offsets[event + 1] = count
    return offsets, ids[:count]


@njit(cache=True, nogil=True)
def _of_segment(numbers, batch, event, has, key_of_number, change, found, doubtful, ids, count):
    """Add what the event matches of a segment. `numbers`: the size of its block, then addresses.

    These are of the block, the table, `died` with for each row of ids the change by which it went, 0 while it
    is there, and `special` with a bit for each entry, set if one of its rows went or may come twice.
    """
    block, table = bytes_at(numbers[1], numbers[0]), longs_at(numbers[2], _OF_A_TABLE)
    died, special = longs_at(numbers[3], _SOME), bytes_at(numbers[4], _SOME)
    matches = doubts = np.int64(0)
    if not is_empty(table, CHILD_NODE):
        find_keys(block, table, batch, event, has, key_of_number)
        doubtful, doubts = walk(block, table, has, key_of_number, batch.atom, doubtful)
    if not is_empty(table, THERE):
        found, matches, doubtful, doubts = scan(block, table, has, batch, found, doubtful, doubts)
    if matches + doubts > found.size:
        found = grown(found, matches, doubts)
    program = (longs(block, table, LITERAL), longs(block, table, PART), longs(block, table, OPERAND))
    literal_start, keyed = ints(block, table, LITERAL_START), part(block, table, KEYED)
    matches = check(program, literal_start, keyed, has, batch, doubtful[:doubts], found, matches)
    names = (
        ints(block, table, ID_START),
        numbers32(block, table, ID),
        longs(block, table, ID_BASE),
        longs(block, table, SUBSCRIPTION),
    )
    several = part(block, table, SEVERAL)
    ids, count = add_ids(names, several, died, special, found[:matches], change, ids, count)
    return found, doubtful, ids, count


@njit(cache=True, nogil=True)
def _of_fresh(numbers, batch, event, has, change, found, doubtful, ids, count):
    """Add what the event matches of what came since. `numbers`: how many entries count, then addresses."""
    entries = numbers[0]
    program = (longs_at(numbers[1], _SOME), longs_at(numbers[2], _SOME), longs_at(numbers[3], _SOME))
    literal_start, keyed = ints_at(numbers[4], entries + 1), bytes_at(numbers[5], entries)
    chains = (
        ints_at(numbers[6], _SOME),
        ints_at(numbers[7], _SOME),
        longs_at(numbers[8], _SOME),
        ints_at(numbers[9], _SOME),
    )
    doubtful, doubts = waiting_for(event, batch, has, entries, chains, doubtful)
    if doubts > found.size:
        found = grown(found, np.int64(0), doubts)
    matches = check(program, literal_start, keyed, has, batch, doubtful[:doubts], found, np.int64(0))
    names = (
        ints_at(numbers[10], entries + 1),
        ints_at(numbers[11], entries).view(np.uint32),
        longs_at(0, 0),  # no base: the numbers are positions
        longs_at(numbers[12], entries),
    )
    several, died = bytes_at(numbers[13], entries), longs_at(numbers[14], entries)
    special = bytes_at(numbers[15], _SOME)
    ids, count = add_ids(names, several, died, special, found[:matches], change, ids, count)
    return found, doubtful, ids, count


@njit(cache=True, nogil=True)
def add_ids(names, several, died, special, found, change, ids, start):
    """Write the ids of the entries found, without those gone, each once, from `start` on. (ids, new end)

    `names` is (where the rows of each entry begin, the number of each row, base, subscriptions): an id is
    the number plus base[0] or, without a base, the subscription with that number.
    """
    id_start, number, base, subscription = names
    one_each = id_start.size - 1 == number.size  # then entry e has row e, and nobody needs to look it up
    total = found.size if one_each else 0
    if not one_each:
        for each in range(found.size):
            entry = np.uint32(found[each])
            total += id_start[entry + np.uint32(1)] - id_start[entry]
    ids = _with_room(ids, start, total + _AT_ONCE)
    added = base[0] if base.size else 0
    whole = max(0, number.size - _AT_ONCE)  # from here on there are fewer rows than are copied at once
    count = start
    twice = np.int64(0)  # so many of the ids may come twice; these stand first
    if one_each:
        some_special = np.uint8(0)
        for each in range(np.uint64(found.size)):
            entry = np.uint32(found[each])
            ids[np.uint64(start) + each] = added + number[entry]
            some_special |= special[entry >> np.uint32(3)] >> (entry & np.uint32(7))
        if not some_special & 1:
            found, count = found[:0], start + found.size
    for each in range(found.size):
        entry = np.uint32(found[each])
        first = np.int64(entry if one_each else id_start[entry])
        last = first + 1 if one_each else np.int64(id_start[entry + np.uint32(1)])
        if special[entry >> np.uint32(3)] >> (entry & np.uint32(7)) & 1:
            count, twice = _looked_at(
                first, last, number, added, several, died, change, ids, start, twice, count
            )
            continue
        if not one_each and first < whole:
            # Most entries have a few rows. So many are copied whether they are its own or not, since a loop
            # that ends unpredictably costs more; the next entry overwrites what was too much.
            for further in range(_AT_ONCE):
                ids[np.uint64(count + further)] = added + number[np.uint64(first + further)]
            if last - first <= _AT_ONCE:
                count += last - first
                continue
            count += _AT_ONCE
            first = first + _AT_ONCE
        for row in range(first, last):
            ids[np.uint64(count)] = added + number[np.uint64(row)]
            count += 1
    if twice > 1:
        once = np.unique(ids[start : start + twice])
        gap = twice - once.size
        if gap:
            rest = ids[start + twice : count].copy()
            ids[start : start + once.size] = once
            ids[start + once.size : count - gap] = rest
        count -= gap
    if not base.size:
        for place in range(start, count):
            ids[place] = subscription[ids[place]]
    return ids, count


@njit(cache=True, nogil=True)
def _looked_at(first, last, number, added, several, died, change, ids, start, twice, count):
    """Of an entry's rows those that are not gone; what may come twice stands first. (count, twice)"""
    for row in range(first, last):
        if died[row] != 0 and died[row] <= change:
            continue
        ids[count] = added + number[row]
        if several[row]:
            ids[count], ids[start + twice] = ids[start + twice], ids[count]
            twice += 1
        count += 1
    return count, twice


@njit(cache=True, nogil=True)
def _with_room(ids, count, more):
    """The same ids, with room for so many more, and some to spare for the parts that follow."""
    if count + more <= ids.size:
        return ids
    larger = np.empty(max(2 * count, (count + more) * 9 // 8), np.int64)
    larger[:count] = ids[:count]
    return larger
