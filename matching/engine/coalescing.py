"""Equal runs of numbers found among many: so equal conjunctions are kept, and checked, once."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.engine.programs import IN, JOINT, LACKS, NOT, Programs

_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


def first_equal(first: NDArray[Any], length: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Run k has `length[k]` rows, beginning with first[k]: for each run, the first run that is equal to it.

    Runs are brought together by a hash of 64 bits and then compared; two that only share the hash stay apart.
    """
    count = len(first)
    number = np.arange(count)
    owner = np.repeat(number, length)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    row = np.repeat(first, length) + offset
    hashes = _mixed(length.astype(np.uint64))
    np.add.at(hashes, owner, _hashed(rows[row], offset))
    order = np.argsort(hashes, kind="stable")
    is_leader = np.concatenate(([True], np.diff(hashes[order]) != 0))[:count]
    leader = np.empty(count, np.int64)
    leader[order] = order[is_leader][np.cumsum(is_leader) - 1]
    same: NDArray[np.bool_] = length == length[leader]
    compared = np.flatnonzero(same[owner])
    beside = first[leader[owner[compared]]] + offset[compared]
    differs = (rows[row[compared]] != rows[beside]).any(axis=1)
    same[owner[compared[differs]]] = False
    return np.where(same, leader, number)


def with_shared_lists(programs: Programs) -> Programs:
    """The same programs with equal lists of operands, and of parts, made one: so equal literals are equal.

    Lists that no program uses are left out.
    """
    part, literal = programs.part.copy(), programs.literal.copy()
    in_parts = np.flatnonzero(part[:, 0] % NOT == IN)
    in_literals = np.flatnonzero((programs.operator == IN) | (programs.operator == LACKS))
    first = np.concatenate((part[in_parts, 1], literal[in_literals, 1]))
    length = np.concatenate((part[in_parts, 2], literal[in_literals, 2]))
    shared, operand = _gathered(first, length, programs.operand.reshape(-1, 1))
    part[in_parts, 1], literal[in_literals, 1] = shared[: len(in_parts)], shared[len(in_parts) :]
    joint = np.flatnonzero(programs.operator == JOINT)
    literal[joint, 1], part = _gathered(literal[joint, 1], literal[joint, 2], part)
    return replace(programs, literal=literal, part=part, operand=operand.reshape(-1))


def in_order(programs: Programs) -> Programs:
    """The same programs, their literals ordered by attribute, then by what they say."""
    attributes = int(programs.attribute.max(initial=0)) + 1
    group = programs.owner * attributes + programs.attribute
    order = np.argsort(group, kind="stable")
    group, literal = group[order], programs.literal[order]
    goes_on = np.flatnonzero(group[1:] == group[:-1])
    rows = np.unique(np.concatenate((goes_on, goes_on + 1)))
    literal[rows] = literal[rows][np.lexsort((*literal[rows].T[::-1], group[rows]))]
    return replace(programs, literal=literal)


def _gathered(
    first: NDArray[np.int64], length: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each of these runs of rows begins once only distinct ones are kept, and those rows."""
    distinct, number = np.unique(first_equal(first, length, rows), return_inverse=True)
    lengths = length[distinct]
    ends = np.cumsum(lengths)
    row = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(
        first[distinct] - (ends - lengths), lengths
    )
    return (ends - lengths)[number.reshape(-1)], rows[row]


def _hashed(rows: NDArray[np.int64], offset: NDArray[np.int64]) -> NDArray[np.uint64]:
    hashes = _mixed(offset.astype(np.uint64))
    for column in range(rows.shape[1]):
        hashes = _mixed(
            hashes ^ (np.ascontiguousarray(rows[:, column]).view(np.uint64) * _MIX[column % len(_MIX)])
        )
    return hashes


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(29))) * _MIX[0]
    mixed: NDArray[np.uint64] = (numbers ^ (numbers >> np.uint64(32))) * _MIX[1]
    return mixed
