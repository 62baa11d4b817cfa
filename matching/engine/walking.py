"""The first stage of a match, compiled: the entries whose keys the event's atoms spell (see `clusters`)."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN201 - Numba finds the types

import numpy as np
from numba import njit

from matching.engine.blocks import doubles, grown, ints, longs, places_up_to
from matching.engine.checking import ATOMS, FIRST_ATOM, FIRST_NUMBER, NUMBERS, VALUES
from matching.engine.hashing import GOLDEN, SECOND
from matching.engine.layout import PLACE_OF

CONSTANT, CONSTANT_START = PLACE_OF["constant"], PLACE_OF["constant_start"]
STEP_KEY, STEP_PLACE = PLACE_OF["step_key"], PLACE_OF["step_place"]
PLACE_START, CHILD_START = PLACE_OF["place_start"], PLACE_OF["child_start"]
CHILD_ATTRIBUTE, CHILD_NODE = PLACE_OF["child_attribute"], PLACE_OF["child_node"]

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
    """(doubtful, how many): the entries whose keys the event's atoms spell."""
    step_key, step_place = longs(block, table, STEP_KEY), ints(block, table, STEP_PLACE)
    place_start, child_start = ints(block, table, PLACE_START), ints(block, table, CHILD_START)
    child_attribute, child_node = ints(block, table, CHILD_ATTRIBUTE), ints(block, table, CHILD_NODE)
    last_slot = step_key.size - 1
    shift = np.uint64(64)
    while np.uint64(last_slot) >> (np.uint64(64) - shift):
        shift -= np.uint64(1)
    doubts = 0
    stack = np.empty((256, 2), np.int32)
    stack[0, 0] = stack[0, 1] = 0
    waiting = 1
    while waiting:
        waiting -= 1
        node, place = stack[waiting, 0], stack[waiting, 1]
        for child in range(child_start[node], child_start[node + 1]):
            attribute = child_attribute[child]
            if attribute >= has.shape[0] or has[attribute, VALUES] == 0:
                continue
            following = child_node[child]
            leads_on = child_start[following] < child_start[following + 1]
            numbers = has[attribute, NUMBERS]
            for step in range(numbers or has[attribute, ATOMS]):
                if numbers:
                    atom_here = key_of_number[has[attribute, FIRST_NUMBER] + step]
                    if atom_here == 0:
                        continue
                else:
                    atom_here = np.int64(atom[has[attribute, FIRST_ATOM] + step])
                    if step and atom_here == atom[has[attribute, FIRST_ATOM] + step - 1]:
                        continue
                key = (np.int64(place) << 32) | (atom_here & 0xFFFFFFFF)
                mixed = np.uint64(key) * _GOLDEN
                mixed ^= mixed >> np.uint64(32)
                at = np.int64((mixed * _SECOND) >> shift)
                while step_place[at] != 0 and step_key[at] != key:
                    at = (at + 1) & last_slot
                reached = step_place[at]
                if reached == 0:
                    continue
                first, last = place_start[reached], place_start[reached + 1]
                if doubts + last - first > doubtful.size:
                    doubtful = grown(doubtful, doubts, last - first)
                for entry in range(first, last):
                    doubtful[doubts] = entry
                    doubts += 1
                if leads_on:
                    if waiting == stack.shape[0]:
                        larger = np.empty((2 * waiting, 2), np.int32)
                        larger[:waiting] = stack
                        stack = larger
                    stack[waiting, 0], stack[waiting, 1] = following, reached
                    waiting += 1
    return doubtful, doubts
