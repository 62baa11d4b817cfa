"""A segment's memory: one block of bytes with all its arrays, which may be a file that many processes map.

A kernel is given where the block is and the table of where in it each array lies, instead of all the arrays:
that saves most of the cost of calling it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64  # bytes: a line of the processor's cache


class Arrays(NamedTuple):
    """The arrays of a segment. An entry is one of its distinct conjunctions: those with keys come first.

    Entry e has the literals from literal_start[e] to literal_start[e + 1] (three numbers each, see
    `programs`), of which the first keyed[e] are decided by its key; and the ids from id_start[e] to
    id_start[e + 1]: numbers of 32 bits, to which `id_base`, one number, is added. (If the ids lie too far
    apart for that, it has none, and the numbers are positions in `subscription`.) `several` marks ids that
    may come more than once. `subscription` has the ids, each once, ascending; the k-th stands in the rows of
    `id` that `row` lists from row_start[k] to row_start[k + 1]. For the others see `clusters` and `lines`.
    """

    literal: NDArray[np.int64]
    literal_start: NDArray[np.int32]
    keyed: NDArray[np.uint8]
    part: NDArray[np.int64]
    operand: NDArray[np.int64]
    constant: NDArray[np.float64]
    constant_start: NDArray[np.int32]
    id_start: NDArray[np.int32]
    id: NDArray[np.uint32]
    id_base: NDArray[np.int64]
    several: NDArray[np.uint8]
    subscription: NDArray[np.int64]
    row_start: NDArray[np.int32]
    row: NDArray[np.int32]
    step_key: NDArray[np.int64]
    step_place: NDArray[np.int32]
    place_start: NDArray[np.int32]
    child_start: NDArray[np.int32]
    child_attribute: NDArray[np.int32]
    child_node: NDArray[np.int32]
    bits: NDArray[np.uint64]
    there: NDArray[np.uint64]
    decided: NDArray[np.uint64]
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


_DTYPES: dict[str, Any] = {
    name: np.dtype(hint.__args__[1].__args__[0]) for name, hint in Arrays.__annotations__.items()
}
FIELDS = tuple(_DTYPES)
PLACE_OF = {name: place for place, name in enumerate(FIELDS)}


def packed(arrays: dict[str, NDArray[Any]]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """(block, table): the arrays in one block; the table has where each begins and ends, in bytes."""
    table = np.zeros(2 * len(_DTYPES), np.int64)
    end = 0
    for place, (name, dtype) in enumerate(_DTYPES.items()):
        start = -(-end // ALIGNMENT) * ALIGNMENT
        end = start + arrays[name].size * dtype.itemsize
        table[2 * place], table[2 * place + 1] = start, end
    room = np.zeros(end + ALIGNMENT, np.uint8)
    skipped = -room.ctypes.data % ALIGNMENT
    block = room[skipped : skipped + end]
    for name, view in unpacked(block, table)._asdict().items():
        view[:] = arrays[name].reshape(-1)
    block.flags.writeable = False  # as a mapped one is: kernels are compiled for one kind
    return block, table


def unpacked(block: NDArray[np.uint8], table: NDArray[np.int64]) -> Arrays:
    """Views of the arrays, without a copy."""
    places = enumerate(_DTYPES.values())
    return Arrays(*(block[table[2 * at] : table[2 * at + 1]].view(dtype) for at, dtype in places))
