"""The columns of each step's frame: what a step states on entry and on exit."""

from collections.abc import Sequence
from typing import cast

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)


def _columns(**types: StringType | LongType | IntegerType | BinaryType | ArrayType | object) -> StructType:
    return StructType([StructField(name, kind) for name, kind in types.items()])  # type: ignore[arg-type]


_text, _long, _integer = StringType(), LongType(), IntegerType()

FILES = _columns(
    file=_text,
    format=_text,
    bytes=_long,
    sha256=_text,
    rows=_long,
    longest_line=_long,
    ratio=DoubleType(),
    header=ArrayType(_text),
    types=ArrayType(_text),
    spans_lines=BooleanType(),
    reason=_text,
)

# Where a row stands: in which file, in which part of it (by the byte where a reader began), as how manieth.
PLACE = _columns(file=_text, block=_long, position=_long)
REASONS = ArrayType(_columns(rule=_text, attribute=_text, message=_text))

_CONTENT = _columns(
    external_id=_text,
    revision=_integer,
    digest=_text,
    schema_version=_integer,
    document=_text,
    title=_text,
    url=_text,
    image_url=_text,
    ends_at=_text,
)
# An event in the numbers of each snapshot, see `matching.engine.batches`: matching needs nothing else of it.
CODED = _columns(rows=_integer, record=BinaryType(), number=BinaryType())
_CODED = StructField("coded", ArrayType(CODED))

# A row is either judged good, and has content, or is rejected, and has reasons and its raw fields.
JUDGED = StructType([*PLACE, *_CONTENT, _CODED, StructField("raw", _text), StructField("reasons", REASONS)])
ROW = _columns(file=_text, row=_long)
EVENTS = StructType([*ROW, *_CONTENT, _CODED])
# Numbers ascend within each file of events and of matches, and each file has a range of them to itself.
NUMBERED = StructType([StructField("number", _long), *EVENTS])
MATCHES = _columns(number=_long, subscriptions=ArrayType(_long))
REJECTS = _columns(file=_text, row=_long, raw=_text, rule=_text, attribute=_text, message=_text)
KNOWN = _columns(external_id=_text, revision=_integer, digest=_text)


def names(columns: StructType) -> Sequence[str]:
    return cast(Sequence[str], columns.names)


def selected(frame: DataFrame, columns: StructType) -> DataFrame:
    """These columns of the frame, in this order. Raises AnalysisException for one that is not there."""
    return frame.select(*(f"`{name}`" for name in names(columns)))


def arrow(columns: StructType) -> pa.Schema:
    """The columns as a batch has them on its way back to Spark."""
    return to_arrow_schema(columns, timezone="UTC")
