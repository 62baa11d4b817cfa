"""The compiled check of programs: which of some conjunctions an event satisfies.

`has` says of each attribute what the event has: how many values, atoms and numbers, and where its atoms and
numbers begin. Programs are as `programs` describes them; doubles among them are read as such.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN201, ANN202 - Numba finds the types
# ruff: noqa: SIM109, SIM110 - what Numba compiles best

import numpy as np
from numba import njit

from matching.engine.blocks import prefetch
from matching.engine.programs import ABSENT, EQUAL, IN, LACKS, NOT, NOT_BOTH, OUTSIDE, PRESENT, RANGE

VALUES, ATOMS, NUMBERS, FIRST_ATOM, FIRST_NUMBER = range(5)
FIELDS = 5
ANY = -1  # value
AHEAD = 12  # entries
FEW = 8  # atoms: looked at one by one


@njit(cache=True, nogil=True)
def unpack(batch, event, has, atom_at, number_at):
    """Put down what the event has; where the next one's atoms and numbers begin."""
    for row in range(4 * batch.row_start[event], 4 * batch.row_start[event + 1], 4):
        mine = has[batch.row[row]]
        mine[VALUES], mine[ATOMS], mine[NUMBERS] = batch.row[row + 1], batch.row[row + 2], batch.row[row + 3]
        mine[FIRST_ATOM], mine[FIRST_NUMBER] = atom_at, number_at
        atom_at += mine[ATOMS]
        number_at += mine[NUMBERS]
    return atom_at, number_at


@njit(cache=True, nogil=True)
def clear(batch, event, has):
    """Forget what the event has."""
    for row in range(4 * batch.row_start[event], 4 * batch.row_start[event + 1], 4):
        has[batch.row[row]] = 0


@njit(cache=True, nogil=True)
def check(program, literal_start, keyed, has, batch, doubtful, found, count):
    """Put those of the doubtful entries into `found` all of whose literals hold; the new count of these.

    `program` is (literals, parts, operands). The first keyed[e] literals of entry e are known to hold.
    """
    literal = program[0]
    number_in = literal.view(np.float64)
    atom, number = batch.atom, batch.number
    # Literals lie far apart in memory, and so does where they begin: what later entries need is on its way
    # while this one is checked.
    for place in range(min(2 * AHEAD, doubtful.size)):
        prefetch(literal_start, np.int64(doubtful[place]))
        prefetch(keyed, np.int64(doubtful[place]))
    for place in range(min(AHEAD, doubtful.size)):
        prefetch(literal, 3 * np.int64(literal_start[doubtful[place]]))
    for place in range(doubtful.size):
        if place + 2 * AHEAD < doubtful.size:
            ahead = np.int64(doubtful[place + 2 * AHEAD])
            prefetch(literal_start, ahead)
            prefetch(keyed, ahead)
        if place + AHEAD < doubtful.size:
            ahead = 3 * np.int64(literal_start[doubtful[place + AHEAD]])
            prefetch(literal, ahead)
            prefetch(literal, ahead + 8)
            prefetch(literal, ahead + 11)
        entry = doubtful[place]
        all_hold = True
        for row in range(3 * (literal_start[entry] + keyed[entry]), 3 * literal_start[entry + 1], 3):
            operator, attribute = literal[row] & 7, literal[row] >> 3
            values = has[attribute, VALUES] if attribute < has.shape[0] else 0
            if operator == ABSENT:
                holds = values == 0
            elif values == 0:
                holds = False
            elif operator == RANGE:
                low, high = number_in[row + 1], number_in[row + 2]
                first = has[attribute, FIRST_NUMBER]
                holds = False
                for each in range(first, first + has[attribute, NUMBERS]):
                    holds |= low <= number[each] <= high
            elif operator == EQUAL:
                holds = _has_atom(literal[row + 1], has[attribute, FIRST_ATOM], has[attribute, ATOMS], atom)
            elif operator == PRESENT:
                holds = True
            elif operator == OUTSIDE:
                low, high = number_in[row + 1], number_in[row + 2]
                first = has[attribute, FIRST_NUMBER]
                holds = False
                for each in range(first, first + has[attribute, NUMBERS]):
                    holds |= not low <= number[each] <= high
            else:
                holds = _list_holds(
                    operator, literal[row + 1], literal[row + 2], attribute, program, has, batch
                )
            if not holds:
                all_hold = False
                break
        if all_hold:
            found[count] = entry
            count += 1
    return count


@njit(cache=True, nogil=True)
def _list_holds(operator, a, b, attribute, program, has, batch):
    """The literals with lists: IN, LACKS, JOINT."""
    operand = program[2]
    if operator == IN or operator == LACKS:
        wanted = operator == IN
        for each in range(a, a + b):
            if _has(operand, each, ANY, attribute, has, batch) == wanted:
                return True
        return False
    for value in range(has[attribute, VALUES]):
        holds = True
        for each in range(3 * a, 3 * (a + b), 3):
            if not _part_holds(each, value, attribute, program, has, batch):
                holds = False
                break
        if holds:
            return True
    return False


@njit(cache=True, nogil=True)
def _part_holds(at, value, attribute, program, has, batch):
    """Whether the part at this place holds of one value."""
    part, operand = program[1], program[2]
    kind = part[at]
    if kind == NOT_BOTH:
        has_first = _has(part, at + 1, value, attribute, has, batch)
        return not (has_first and _has(part, at + 2, value, attribute, has, batch))
    plain = kind & (NOT - 1)
    if plain == RANGE:
        bound = part.view(np.float64)
        holds = bound[at + 1] <= batch.number[has[attribute, FIRST_NUMBER] + value] <= bound[at + 2]
    elif plain == EQUAL:
        holds = _has(part, at + 1, value, attribute, has, batch)
    else:
        holds = False
        for each in range(part[at + 1], part[at + 1] + part[at + 2]):
            if _has(operand, each, value, attribute, has, batch):
                holds = True
                break
    return holds != (kind >= NOT)


@njit(cache=True, nogil=True)
def _has(wanted, at, value, attribute, has, batch):
    """Whether a value of the event, or ANY, has the atom at this place; of a number, is this one."""
    if has[attribute, NUMBERS]:
        double = wanted.view(np.float64)[at]
        first = has[attribute, FIRST_NUMBER]
        if value != ANY:
            return batch.number[first + value] == double
        for place in range(first, first + has[attribute, NUMBERS]):
            if batch.number[place] == double:
                return True
        return False
    first, count = has[attribute, FIRST_ATOM], has[attribute, ATOMS]
    if value == ANY:
        return _has_atom(wanted[at], first, count, batch.atom)
    for place in range(first, first + count):
        if batch.atom[place] == wanted[at] and batch.value_of_atom[place] == value:
            return True
    return False


@njit(inline="always")
def _has_atom(wanted, first, count, atom):
    """Whether it is among these atoms, which ascend."""
    low, high = first, first + count
    while high - low > FEW:
        middle = (low + high) >> 1
        if atom[middle] < wanted:
            low = middle + 1
        else:
            high = middle + 1
    for place in range(low, high):
        if atom[place] == wanted:
            return True
    return False
