"""Rows of feed files in plain Python: what Spark's readers give with a schema of strings, for the dry run.

Every value is a string: numbers and nested values of JSON keep their exact text; null and blank cells of CSV
are None; a field that a row lacks is not there. A line that cannot be read gives a row with CORRUPT alone.
Spark's readings of odd lines are followed: a JSON line that is a list gives a row for each object in it,
what stands after the first value of a line is passed over, of a field that occurs twice the last counts.
CSV is read line by line: a quoted cell that goes on in the next line makes corrupt lines here.
"""

import gzip
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO

from matching.feeds.file_kinds import CSV, JSONL, PARQUET, kind_of
from matching.feeds.mapping import CORRUPT, FileFormat
from matching.feeds.parquet_rows import parquet_rows
from matching.feeds.sources import Row
from schema_registry.core.sentences import gettext as _

_BOM = "\ufeff"
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\n\r]*")
_decoded = json.JSONDecoder().raw_decode


class UnreadableFile(ValueError):  # noqa: N818 - named for what happened
    """A file that is not of a kind we read."""


def rows_of(
    path: Path, form: FileFormat, *, most_bytes: int = sys.maxsize, longest_line: int = sys.maxsize
) -> Iterator[Row]:
    """The rows of a file, whose kind its name tells. Streams, at most so many bytes, unpacked.

    Raises UnreadableFile, and what reading raises: OSError, EOFError, zlib.error, DamagedFile.
    """
    kind, is_gzip = kind_of(path.name)
    if kind == PARQUET and not is_gzip:
        yield from parquet_rows(path)
        return
    if kind not in (JSONL, CSV):
        raise UnreadableFile(_("{name} is neither JSON Lines, CSV nor Parquet.", name=path.name))
    read = jsonl_rows if kind == JSONL else csv_rows
    with gzip.open(path) if is_gzip else path.open("rb") as stream:
        yield from read(_lines(stream, most_bytes, longest_line), form)


def _lines(stream: BinaryIO | gzip.GzipFile, most_bytes: int, longest_line: int) -> Iterator[bytes]:
    left = most_bytes
    while left > 0 and (line := stream.readline(min(left, longest_line))):
        left -= len(line)
        yield line


def jsonl_rows(lines: Iterable[bytes] | IO[bytes], form: FileFormat) -> Iterator[Row]:
    # Spark takes UTF-8 apart as bytes, and refuses lines with others; of other encodings it decodes first.
    errors = "strict" if form.encoding == "UTF-8" else "replace"
    for line in lines:
        if not line.strip():
            continue
        try:
            yield from _objects(line.decode(form.encoding, errors).removeprefix(_BOM))
        except (ValueError, RecursionError):
            yield {CORRUPT: line.rstrip(b"\r\n").decode(form.encoding, "replace")}


def csv_rows(lines: Iterable[bytes] | IO[bytes], form: FileFormat) -> Iterator[Row]:
    header: list[str] | None = None
    for raw in lines:
        line = raw.decode(form.encoding, "replace").rstrip("\r\n")
        if not line.strip():
            continue
        if header is None:
            header = _cells(line.removeprefix(_BOM), form)
            continue
        cells = _cells(line, form)
        if len(cells) == len(header):
            yield {name: cell or None for name, cell in zip(header, cells, strict=True)}
        else:
            yield {CORRUPT: line}


def _objects(text: str) -> list[Row]:
    """The objects of a line. Raises ValueError."""
    place = _skipped(text, 0)
    if text.startswith("{", place):
        return [_object(text, place)[0]]
    if not text.startswith("[", place):
        raise ValueError(text)
    rows: list[Row] = []
    place = _skipped(text, place + 1)
    while not text.startswith("]", place):
        if rows:
            place = _skipped(text, _after(text, place, ","))
        row, place = _object(text, place)
        rows.append(row)
        place = _skipped(text, place)
    return rows


def _object(text: str, place: int) -> tuple[Row, int]:
    """The object that begins there, and where it ends. Its values are strings, or None for null."""
    row: dict[str, str | None] = {}
    place = _skipped(text, _after(text, place, "{"))
    while not text.startswith("}", place):
        if row:
            place = _skipped(text, _after(text, place, ","))
        name, place = _decoded(text, _after(text, place, '"') - 1)
        place = _skipped(text, _after(text, _skipped(text, place), ":"))
        row[name], place = _value(text, place)
        place = _skipped(text, place)
    return row, place + 1


def _value(text: str, place: int) -> tuple[str | None, int]:
    value, end = _decoded(text, place)
    if value is None:
        return None, end
    if isinstance(value, str):
        return _SURROGATE.sub("?", value), end  # halves of pairs, which UTF-8 cannot hold
    return text[place:end], end


def _skipped(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _after(text: str, place: int, wanted: str) -> int:
    if not text.startswith(wanted, place):
        raise json.JSONDecodeError(wanted, text, place)
    return place + 1


def _cells(line: str, form: FileFormat) -> list[str]:
    """The cells of a line. A quote that does not close takes the rest; one inside a cell is a character."""
    quote, delimiter = form.quote, form.delimiter
    if quote not in line:
        return line.split(delimiter)
    cells, place = [], 0
    while place <= len(line):
        closing = _closing(line, place + 1, quote) if line.startswith(quote, place) else -1
        end = line.find(delimiter, max(place, closing))
        end = len(line) if end < 0 else end
        if closing >= 0 and not line[closing + 1 : end].strip(" "):
            cells.append(line[place + 1 : closing].replace(quote * 2, quote))
        elif line.startswith(quote, place) and closing < 0:
            cells.append(line[place + 1 :].replace(quote * 2, quote))
            end = len(line)
        else:
            cells.append(line[place:end])
        place = end + 1
    return cells


def _closing(line: str, place: int, quote: str) -> int:
    """Where the quoted cell closes; -1 if it does not. Two quotes stand for one."""
    while (found := line.find(quote, place)) >= 0:
        if not line.startswith(quote, found + 1):
            return found
        place = found + 2
    return -1
