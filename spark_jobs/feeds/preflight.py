"""The pre-flight of a file: read once as a stream, so that nothing in it can surprise the readers of Spark.

Found are its hash, its size unpacked, its longest line, its rows and whether its end is cut; for CSV also the
header, and whether records span lines. O(bytes) time and about the longest allowed line of memory, also for
a gzip bomb or a file that is one line: what passes a limit is not read further.
"""

import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, cast

from matching.feeds import unfit_files
from matching.feeds.file_kinds import CSV, JSONL, PARQUET
from matching.feeds.mapping import FileFormat
from spark_jobs import places
from spark_jobs.feeds import parquet_files
from spark_jobs.feeds.csv_records import CsvRecords
from spark_jobs.feeds.facts import Facts, Limits, UnfitError
from spark_jobs.feeds.landing import Landed

_AT_ONCE = 1 << 18
_BLANK = b" \t\r"
_GZIP = 16 + zlib.MAX_WBITS


def preflight(landed: Landed, *, limits: Limits, form: FileFormat) -> Facts:
    """What there is to know of the file. Raises nothing that is the file's fault."""
    facts = Facts(landed.file, landed.format, reason=landed.refused)
    if landed.refused is not None:
        return facts
    filesystem, path = places.filesystem(landed.place)
    try:
        with filesystem.open_input_file(path) as file:
            stream = _Hashed(cast(BinaryIO, file), file.size())
            facts = replace(facts, bytes=stream.size)
            look = _LOOKS[landed.format]
            facts = replace(look(facts, landed, stream, limits, form), sha256=stream.digest())
            return _compared(facts, landed)
    except FileNotFoundError:
        return replace(facts, reason=unfit_files.GONE())
    except UnfitError as unfit:
        return replace(facts, reason=str(unfit))
    except Exception as error:  # whatever it holds: the other files are read all the same
        return replace(facts, reason=unfit_files.UNREADABLE(error=f"{type(error).__name__}: {error}"))


class _Hashed:
    """The bytes of a file, hashed as they pass."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file = file
        self.size = size
        self._sha256 = hashlib.sha256()

    def chunks(self) -> Iterator[bytes]:
        while chunk := self.file.read(_AT_ONCE):
            self._sha256.update(chunk)
            yield chunk

    def digest(self) -> str:
        return self._sha256.hexdigest()


class _Lines:
    """The lines of a stream, without their ends; no more of one is kept than is allowed."""

    def __init__(self, chunks: Iterator[bytes], longest: int) -> None:
        self._chunks = chunks
        self._most = longest
        self.longest = 0
        self.unpacked = 0
        self.last, self.ends_in_newline = b"", True

    def batches(self) -> Iterator[list[bytes]]:
        """Lists of lines. Raises UnfitError at a line that is too long."""
        rest = b""
        for chunk in self._chunks:
            self.unpacked += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            self._measure(max(map(len, lines), default=0))
            self._measure(len(rest))
            if lines:
                self.last = lines[-1]
                yield lines
        self.ends_in_newline = not rest
        if rest:
            self.last = rest
            yield [rest]

    def _measure(self, length: int) -> None:
        self.longest = max(self.longest, length)
        if length > self._most:
            raise UnfitError(unfit_files.LONG_LINE(most=self._most))


def _lines(landed: Landed, stream: _Hashed, limits: Limits) -> _Lines:
    chunks = _unpacked(stream, limits) if landed.is_gzip else stream.chunks()
    return _Lines(chunks, limits.line)


def _look_at_jsonl(facts: Facts, landed: Landed, stream: _Hashed, limits: Limits, form: FileFormat) -> Facts:
    lines = _lines(landed, stream, limits)
    rows = sum(sum(1 for line in filter(None, batch) if line.strip(_BLANK)) for batch in lines.batches())
    if not lines.ends_in_newline and not _parses(lines.last, form.encoding):
        raise UnfitError(unfit_files.CUT_JSON())
    return _measured(facts, lines, stream, rows)


def _look_at_csv(facts: Facts, landed: Landed, stream: _Hashed, limits: Limits, form: FileFormat) -> Facts:
    lines = _lines(landed, stream, limits)
    records = CsvRecords(form.delimiter, form.quote, form.encoding, limits.line)
    for batch in lines.batches():
        for line in batch:
            records.take(line)
    records.finish()
    if records.header is None:
        raise UnfitError(unfit_files.NO_HEADER())
    is_short = records.columns_of_last < len(records.header)
    if not lines.ends_in_newline and (records.is_open or is_short):
        raise UnfitError(unfit_files.CUT_CSV())
    facts = replace(facts, header=tuple(records.header), spans_lines=records.spans_lines)
    return _measured(facts, lines, stream, records.rows)


def _look_at_parquet(
    facts: Facts, landed: Landed, stream: _Hashed, limits: Limits, form: FileFormat
) -> Facts:
    for _chunk in stream.chunks():
        pass
    stream.file.seek(0)
    return parquet_files.looked_at(facts, stream.file, limits)


_LOOKS = {JSONL: _look_at_jsonl, CSV: _look_at_csv, PARQUET: _look_at_parquet}


def _unpacked(stream: _Hashed, limits: Limits) -> Iterator[bytes]:
    """The content of a gzip file, of however many members. Raises UnfitError."""
    member = zlib.decompressobj(_GZIP)
    unpacked = 0
    try:
        for chunk in stream.chunks():
            while chunk:
                if member.eof:
                    member = zlib.decompressobj(_GZIP)
                piece = member.decompress(chunk, _AT_ONCE)
                unpacked += len(piece)
                limits.check_unpacked(unpacked, stream.size)
                yield piece
                chunk = member.unused_data if member.eof else member.unconsumed_tail
    except zlib.error:
        raise UnfitError(unfit_files.DAMAGED_GZIP()) from None
    if not member.eof:
        raise UnfitError(unfit_files.CUT_GZIP())


def _measured(facts: Facts, lines: _Lines, stream: _Hashed, rows: int) -> Facts:
    ratio = lines.unpacked / stream.size if stream.size else 1.0
    return replace(facts, rows=rows, longest_line=lines.longest, ratio=ratio)


def _parses(line: bytes, encoding: str) -> bool:
    try:
        json.loads(line.decode(encoding, "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def _compared(facts: Facts, landed: Landed) -> Facts:
    """With a reason, if the manifest says otherwise."""
    said = landed.listing
    for name, found, listed in (
        ("bytes", facts.bytes, said.bytes),
        ("SHA-256", facts.sha256, said.sha256),
        ("rows", facts.rows, said.rows),
    ):
        if listed is not None and listed != found:
            return replace(facts, reason=unfit_files.CONTRADICTS(name=name, listed=listed, found=found))
    return facts
