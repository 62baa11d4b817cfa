"""The first stage of a match, compiled: the entries whose keys the event's atoms spell (see `clusters`)."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN201, ANN202 - Numba finds the types

import numpy as np
from numba import njit

from matching.engine.blocks import doubles, grown, ints, longs, places_up_to, prefetch
from matching.engine.checking import ATOMS, FIRST_ATOM, FIRST_NUMBER, NUMBERS, VALUES
from matching.engine.hashing import GOLDEN, SECOND
from matching.engine.layout import PLACE_OF

CONSTANT, CONSTANT_START = PLACE_OF["constant"], PLACE_OF["constant_start"]
STEP_KEY, STEP_PLACE = PLACE_OF["step_key"], PLACE_OF["step_place"]
PLACE_START, CHILD_START = PLACE_OF["place_start"], PLACE_OF["child_start"]
CHILD_ATTRIBUTE, CHILD_NODE = PLACE_OF["child_attribute"], PLACE_OF["child_node"]

_SOME = 256
_GOLDEN, _SECOND = np.uint64(GOLDEN), np.uint64(SECOND)


@njit(cache=True, nogil=True)
def find_keys(block, table, batch, event, has, key_of_number):
    """The atoms of the event's numbers: -1 minus the place among the constants in keys, or 0 for none."""
    constant, constant_start = doubles(block, table, CONSTANT), ints(block, table, CONSTANT_START)
    for row in range(4 * batch.row_start[event], 4 * batch.row_start[event + 1], 4):
        attribute = batch.row[row]
        if attribute + 1 >= constant_start.size or batch.row[row + 3] == 0:
            continue
        first, last = constant_start[attribute], constant_start[attribute + 1]
        for number in range(has[attribute, FIRST_NUMBER], has[attribute, FIRST_NUMBER] + batch.row[row + 3]):
            at = first + places_up_to(constant[first:last], batch.number[number]) - 1
            is_there = at >= first and constant[at] == batch.number[number]
            key_of_number[number] = -1 - at if is_there else 0


@njit(cache=True, nogil=True)
def walk(block, table, has, key_of_number, atom, doubtful):
    """(doubtful, how many): the entries whose keys the event's atoms spell.

    Goes in waves, one for each length of a path. The steps of a wave are first all worked out, and the
    processor told to fetch their slots, and only then looked up: each lies somewhere else in memory.
    """
    step_key, step_place = longs(block, table, STEP_KEY), ints(block, table, STEP_PLACE)
    place_start, child_start = ints(block, table, PLACE_START), ints(block, table, CHILD_START)
    child_attribute, child_node = ints(block, table, CHILD_ATTRIBUTE), ints(block, table, CHILD_NODE)
    last_slot = step_key.size - 1
    shift = np.uint64(64)
    while np.uint64(last_slot) >> (np.uint64(64) - shift):
        shift -= np.uint64(1)
    reached = np.empty((_SOME, 2), np.int32)  # places and their nodes; the root leads to the first wave
    reached[0] = 0
    begin, end = 0, 1
    steps = np.empty((_SOME, 3), np.int64)  # a wave's keys, slots, and the nodes they lead to
    while begin < end:
        wave = 0
        for each in range(begin, end):
            place, node = np.int64(reached[each, 0]), reached[each, 1]
            for child in range(child_start[node], child_start[node + 1]):
                attribute = child_attribute[child]
                if attribute >= has.shape[0] or has[attribute, VALUES] == 0:
                    continue
                numbers = has[attribute, NUMBERS]
                count = numbers or has[attribute, ATOMS]
                if wave + count > len(steps):
                    steps = _larger(steps, wave, count)
                for step in range(count):
                    if numbers:
                        atom_here = key_of_number[has[attribute, FIRST_NUMBER] + step]
                        if atom_here == 0:
                            continue
                    else:
                        atom_here = np.int64(atom[has[attribute, FIRST_ATOM] + step])
                        if step and atom_here == atom[has[attribute, FIRST_ATOM] + step - 1]:
                            continue
                    key = (place << 32) | (atom_here & 0xFFFFFFFF)
                    mixed = np.uint64(key) * _GOLDEN
                    mixed ^= mixed >> np.uint64(32)
                    at = np.int64((mixed * _SECOND) >> shift)
                    prefetch(step_key, at)
                    prefetch(step_place, at)
                    steps[wave, 0], steps[wave, 1], steps[wave, 2] = key, at, child_node[child]
                    wave += 1
        begin = end
        if end + wave > len(reached):
            reached = _larger(reached, end, wave)
        for each in range(wave):
            at = steps[each, 1]
            while step_place[at] != 0 and step_key[at] != steps[each, 0]:
                at = (at + 1) & last_slot
            if step_place[at] != 0:
                reached[end, 0], reached[end, 1] = step_place[at], steps[each, 2]
                prefetch(place_start, np.int64(step_place[at]))
                end += 1
    return _entries_of(reached[1:end], place_start, doubtful)


@njit(inline="always")
def _entries_of(reached, place_start, doubtful):
    """(entries, how many): what waits at these places."""
    doubts = 0
    for each in range(len(reached)):
        first, last = place_start[reached[each, 0]], place_start[reached[each, 0] + 1]
        if doubts + last - first > doubtful.size:
            doubtful = grown(doubtful, doubts, last - first)
        for entry in range(first, last):
            doubtful[doubts] = entry
            doubts += 1
    return doubtful, doubts


@njit(inline="always")
def _larger(rows, count, more):
    """The first `count` of these rows, with room for so many more."""
    larger = np.empty((2 * (count + more), rows.shape[1]), rows.dtype)
    larger[:count] = rows[:count]
    return larger
