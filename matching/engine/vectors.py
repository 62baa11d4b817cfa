"""Lines of 512 bits as the processor's vectors, and the bits of a word, for kernels.

Numba makes a loop over eight words eight instructions and more; these are one or two. They are compiled into
the kernels that use them. A processor with narrower vectors takes several; LLVM sees to that.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: ANN001, ANN002, ANN202 - what LLVM's builder takes and gives has no types of ours

from typing import Any

from llvmlite import ir
from numba import types  # type: ignore[attr-defined, unused-ignore]  # it has no stubs
from numba.core import cgutils
from numba.extending import intrinsic

WORDS_OF_A_LINE = 8
_WORD, _BIT = ir.IntType(64), ir.IntType(1)
_LINE = ir.VectorType(_WORD, WORDS_OF_A_LINE)


def _data(context, builder, signature, arguments, place):
    return context.make_array(signature.args[place])(context, builder, arguments[place]).data


def _line_at(builder, data, word):
    """The line that begins with this word, in memory; words are aligned, lines need not be."""
    return builder.bitcast(builder.gep(data, [word]), _LINE.as_pointer())


def _loaded(builder, place):
    return builder.load(place, align=8)


def _called(builder, name, result, *arguments):
    kind = ir.FunctionType(result, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


def _and_line(typing_context: Any, left: Any, words: Any, at: Any) -> Any:
    """AND `left`, an array of one line, with the line that begins at words[at]; 0 if nothing is left."""

    def code(context, builder, signature, arguments):
        first, second = (_data(context, builder, signature, arguments, place) for place in (0, 1))
        into = _line_at(builder, first, _WORD(0))
        other = _loaded(builder, _line_at(builder, second, arguments[2]))
        left_over = builder.and_(_loaded(builder, into), other)
        builder.store(left_over, into, align=8)
        return _called(builder, "llvm.vector.reduce.or.v8i64", _WORD, left_over)

    return types.uint64(left, words, types.int64), code


def _or_line(typing_context: Any, some: Any, words: Any, at: Any) -> Any:
    """OR `some`, an array of one line, with the line that begins at words[at]."""

    def code(context, builder, signature, arguments):
        first, second = (_data(context, builder, signature, arguments, place) for place in (0, 1))
        into = _line_at(builder, first, _WORD(0))
        other = _loaded(builder, _line_at(builder, second, arguments[2]))
        builder.store(builder.or_(_loaded(builder, into), other), into, align=8)
        return context.get_dummy_value()

    return types.void(some, words, types.int64), code


def _set_line(typing_context: Any, line: Any, words: Any, at: Any) -> Any:
    """Copy the line that begins at words[at] to `line`, an array of one."""

    def code(context, builder, signature, arguments):
        first, second = (_data(context, builder, signature, arguments, place) for place in (0, 1))
        copied = _loaded(builder, _line_at(builder, second, arguments[2]))
        builder.store(copied, _line_at(builder, first, _WORD(0)), align=8)
        return context.get_dummy_value()

    return types.void(line, words, types.int64), code


def _bits_of_line(typing_context: Any, line: Any) -> Any:
    """How many bits of `line`, an array of one, are set."""

    def code(context, builder, signature, arguments):
        bits = _loaded(builder, _line_at(builder, _data(context, builder, signature, arguments, 0), _WORD(0)))
        counts = _called(builder, "llvm.ctpop.v8i64", _LINE, bits)
        return _called(builder, "llvm.vector.reduce.add.v8i64", _WORD, counts)

    return types.int64(line), code


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    """The number of the lowest bit that is set in a word that is not 0."""

    def code(context, builder, signature, arguments):
        return _called(builder, "llvm.cttz.i64", _WORD, arguments[0], _BIT(1))

    return types.int64(types.uint64), code


and_line: Any = intrinsic(_and_line)
or_line: Any = intrinsic(_or_line)
set_line: Any = intrinsic(_set_line)
bits_of_line: Any = intrinsic(_bits_of_line)
lowest_bit: Any = intrinsic(_lowest_bit)
