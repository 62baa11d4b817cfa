"""The arrays of a segment's block, as kernels see them: views by the place that `layout` gives each array.

Everything here is compiled into the kernels that use it, and costs nothing there.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN201 - Numba finds the types

from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, njit, types  # type: ignore[attr-defined, unused-ignore]  # it has no stubs
from numba.core import cgutils
from numba.extending import intrinsic


@njit(inline="always")
def part(block, table, place):
    return block[table[2 * place] : table[2 * place + 1]]


@njit(inline="always")
def is_empty(table, place):
    return table[2 * place] == table[2 * place + 1]


@njit(inline="always")
def ints(block, table, place):
    return part(block, table, place).view(np.int32)


@njit(inline="always")
def numbers32(block, table, place):
    return part(block, table, place).view(np.uint32)


@njit(inline="always")
def longs(block, table, place):
    return part(block, table, place).view(np.int64)


@njit(inline="always")
def words(block, table, place):
    return part(block, table, place).view(np.uint64)


@njit(inline="always")
def doubles(block, table, place):
    return part(block, table, place).view(np.float64)


def _pointer(typing_context: Any, address: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), code


pointer: Any = intrinsic(_pointer)


@njit(inline="always")
def bytes_at(address, size):
    """The array of bytes at this address."""
    return carray(pointer(address), (size,), np.uint8)


@njit(inline="always")
def ints_at(address, size):
    return carray(pointer(address), (size,), np.int32)


@njit(inline="always")
def longs_at(address, size):
    return carray(pointer(address), (size,), np.int64)


@njit(inline="always")
def places_up_to(ascending, number):
    """How many of these are at most the number."""
    low, high = 0, ascending.size
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] <= number:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def grown(found, count, more):
    """A larger array with the first `count` of these, and room for so many more."""
    larger = np.empty(2 * (found.size + more), np.int32)
    larger[:count] = found[:count]
    return larger


def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Let the processor fetch what stands there, while other things are done. Any index will do."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        for_reading, kept, data_cache = number(0), number(3), number(1)
        builder.call(call, [place, for_reading, kept, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.int64), code


prefetch: Any = intrinsic(_prefetch)
