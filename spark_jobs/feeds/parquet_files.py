"""The pre-flight of a Parquet file: its footer, and then every page of it once, in batches.

A page that cannot be unpacked would end a task of Spark, and with it the night; so would a column of a type
that Spark does not read. What it unpacks to is counted, since a few bytes can stand for very many rows.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from matching.feeds import unfit_files
from spark_jobs.feeds.facts import Facts, Limits, UnfitError, check_columns

_ROWS_AT_ONCE = 1_024
_MOST_DIGITS = 38  # of Spark's decimals


def looked_at(facts: Facts, file: BinaryIO, limits: Limits) -> Facts:
    """The facts with those of the file, which is read twice. Raises UnfitError."""
    try:
        metadata = pq.read_metadata(file)
        header = tuple(metadata.schema.to_arrow_schema().names)
    except (pa.ArrowException, OSError):
        raise UnfitError(unfit_files.CUT_PARQUET()) from None
    size = facts.bytes or 0
    limits.check_unpacked(
        sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)), size
    )
    types = tuple(_types(metadata.schema))
    check_columns(len(types))
    if twice := [name for name, times in Counter(header).items() if times > 1]:
        raise UnfitError(unfit_files.SAME_NAMES(name=repr(twice[0])))
    longest, unpacked = _measured(file, metadata, limits, size)
    return replace(
        facts,
        rows=metadata.num_rows,
        longest_line=longest,
        ratio=unpacked / size if size else 1.0,
        header=header,
        types=types,
    )


def _types(schema: pq.ParquetSchema) -> Iterator[str]:
    """Of each column the way to it and how it is stored. Raises UnfitError for what Spark does not read."""
    for place in range(len(schema.names)):
        column = schema.column(place)
        stored = f"{column.physical_type} {column.logical_type}"
        if not _is_read(column):
            raise UnfitError(unfit_files.ODD_COLUMN(name=repr(column.path), stored=stored))
        yield f"{column.path}: {stored}"


def _is_read(column: pq.ColumnSchema) -> bool:
    """As Spark 4 was seen to do: it refuses the whole file, also if nobody needs the column."""
    logical = column.logical_type.type
    if logical == "DECIMAL":
        return bool(column.precision <= _MOST_DIGITS)
    if logical == "TIMESTAMP":
        return "nanoseconds" not in str(column.logical_type)
    return bool(logical != "TIME" and (column.physical_type != "FIXED_LEN_BYTE_ARRAY" or logical == "NONE"))


def _measured(file: BinaryIO, metadata: pq.FileMetaData, limits: Limits, size: int) -> tuple[int, int]:
    """(the longest string, the bytes of all values). Raises UnfitError."""
    texts = [
        column.path
        for column in (metadata.schema.column(place) for place in range(len(metadata.schema.names)))
        if column.physical_type == "BYTE_ARRAY" and column.max_repetition_level == 0
    ]
    longest = unpacked = 0
    try:
        # A value that stands in many rows is kept once.
        parquet = pq.ParquetFile(file, metadata=metadata, read_dictionary=texts, buffer_size=1 << 16)
        for batch in parquet.iter_batches(_ROWS_AT_ONCE, use_threads=False):
            for column in batch.columns:
                longest_here, bytes_here = _measure(column)
                longest, unpacked = max(longest, longest_here), unpacked + bytes_here
            if longest > limits.line:
                raise UnfitError(unfit_files.LONG_VALUE(most=limits.line))
            limits.check_unpacked(unpacked, size)
    except (pa.ArrowException, OSError) as error:
        first, *_rest = str(error).splitlines() or [type(error).__name__]
        raise UnfitError(unfit_files.DAMAGED(error=first)) from None
    return longest, unpacked


def _measure(column: pa.Array) -> tuple[int, int]:
    """(the longest string, the bytes of all values) of a column."""
    if isinstance(column, pa.DictionaryArray):
        lengths = pc.binary_length(column.dictionary)
        of_rows = lengths.take(column.indices)
        return pc.max(of_rows).as_py() or 0, pc.sum(of_rows).as_py() or 0
    if pa.types.is_nested(column.type):
        inner = [_measure(each) for each in _inside(column)]
        return max((longest for longest, _bytes in inner), default=0), sum(size for _longest, size in inner)
    if pa.types.is_string(column.type) or pa.types.is_binary(column.type) or _is_large(column.type):
        return pc.max(pc.binary_length(column)).as_py() or 0, column.nbytes
    return 0, column.nbytes


def _is_large(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_string(kind) or pa.types.is_large_binary(kind))


def _inside(column: pa.Array) -> list[pa.Array]:
    if pa.types.is_struct(column.type):
        return list(column.flatten())
    if pa.types.is_map(column.type):
        return [column.keys, column.items]
    return [column.flatten()]
