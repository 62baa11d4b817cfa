"""Reading feed files into one frame: every field a string, or null where a file does not have it.

Casts are the shared core's. Spark only takes records apart, and keeps the text of those it cannot. Files of a
kind that have the same header are read together.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import groupby
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as all of Spark's own texts call it
from pyspark.sql.types import LongType, StringType, StructField, StructType

from matching.feeds.file_kinds import CSV, JSONL
from matching.feeds.mapping import FileFormat
from spark_jobs import places
from spark_jobs.feeds.facts import Facts

_UTF_8 = "UTF-8"
_MOST_CELLS = 2_000_002  # of two of the longest lines: a row with more than is allowed would end the night
_CORRUPT = "\0corrupt"  # no field of a site is called so


class _Kind(NamedTuple):
    """What files must have in common to be read together."""

    format: str
    spans_lines: bool
    header: tuple[str, ...]
    types: tuple[str, ...]


def read(
    spark: SparkSession, source: str, files: Iterable[Facts], fields: Sequence[str], form: FileFormat
) -> DataFrame:
    """None -> (path, block, corrupt, raw).

    `raw` is a struct of the fields, and `corrupt` null, or the text of a record that cannot be taken apart.
    `path` is the file's URL, and `block` the byte at which the reader of this part of the file began.
    """
    kinds = sorted(
        (_Kind(each.format, each.spans_lines, each.header or (), each.types or ()), each.file)
        for each in files
    )
    frames = [
        _read(
            spark,
            kind,
            [places.to_read(places.joined(source, file)) for _kind, file in group],
            fields,
            form,
        )
        for kind, group in groupby(kinds, key=lambda each: each[0])
    ]
    return reduce(DataFrame.unionByName, frames) if frames else _nothing(spark, fields)


def _read(
    spark: SparkSession, kind: _Kind, paths: list[str], fields: Sequence[str], form: FileFormat
) -> DataFrame:
    if kind.format == JSONL:
        return _placed(_jsonl(spark, paths, fields, form), {name: name for name in fields}, fields)
    if kind.format == CSV:
        names = _names(kind.header)
        columns = dict(zip(kind.header, names, strict=True))  # of a name that is there twice, the last counts
        return _placed(_csv(spark, paths, kind.spans_lines, names, form), columns, fields)
    return _placed(spark.read.parquet(*paths), {name: name for name in kind.header}, fields)


def _jsonl(spark: SparkSession, paths: list[str], fields: Sequence[str], form: FileFormat) -> DataFrame:
    reader = spark.read.schema(_strings([*fields, _CORRUPT])).options(
        mode="PERMISSIVE",
        columnNameOfCorruptRecord=_CORRUPT,
        lineSep="\n",
        allowSingleQuotes=False,
    )
    if form.encoding != _UTF_8:  # said of UTF-8, a byte order mark would be taken for content
        reader = reader.option("encoding", form.encoding)
    return reader.json(paths)


def _csv(
    spark: SparkSession, paths: list[str], spans_lines: bool, names: Sequence[str], form: FileFormat
) -> DataFrame:
    return (
        spark.read.schema(_strings([*names, _CORRUPT]))
        .options(
            mode="PERMISSIVE",
            columnNameOfCorruptRecord=_CORRUPT,
            header=True,
            sep=form.delimiter,
            quote=form.quote,
            escape=form.quote,
            encoding=form.encoding,
            multiLine=spans_lines,
            maxColumns=_MOST_CELLS,
            columnPruning=False,  # else a record of too few columns is noticed only if we need the last
        )
        .csv(paths)
    )


def _names(header: Sequence[str]) -> list[str]:
    """Names for the columns of a CSV file: the header's, where they can name a column."""
    times = Counter(header)
    return [name if name and times[name] == 1 else f"\0{place}" for place, name in enumerate(header)]


def _placed(frame: DataFrame, columns: dict[str, str], fields: Sequence[str]) -> DataFrame:
    corrupt = F.col(_quoted(_CORRUPT)) if _CORRUPT in frame.columns else F.lit(None).cast("string")
    about = frame.metadataColumn("_metadata")  # a site may have a field that is called so
    return frame.select(
        about.getField("file_path").alias("path"),
        about.getField("file_block_start").alias("block"),
        corrupt.alias("corrupt"),
        _raw([_string(columns.get(name)) for name in fields], fields),
    )


def _raw(values: Sequence[Column], fields: Sequence[str]) -> Column:
    return F.struct(*(value.alias(name) for value, name in zip(values, fields, strict=True))).alias("raw")


def _string(column: str | None) -> Column:
    return (F.lit(None) if column is None else F.col(_quoted(column))).cast("string")


def _quoted(column: str) -> str:
    return f"`{column.replace('`', '``')}`"


def _strings(names: Sequence[str]) -> StructType:
    return StructType([StructField(name, StringType()) for name in names])


def _nothing(spark: SparkSession, fields: Sequence[str]) -> DataFrame:
    columns = StructType(
        [
            StructField("path", StringType()),
            StructField("block", LongType()),
            StructField("corrupt", StringType()),
            StructField("raw", _strings(fields)),
        ]
    )
    return spark.createDataFrame([], columns)
