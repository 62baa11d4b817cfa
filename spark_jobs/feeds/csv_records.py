"""Where the records of a CSV file end, line by line: a quoted field may go on in the next line.

A quote opens a field only where the field begins, so that 5" is no quote; doubled it stands for itself. A
field that opens and never closes is dirt of one line, not a record that swallows the rest of the file: lines
belong together only if together they have the columns of the header. O(bytes); keeps one record.
"""

import csv
from dataclasses import dataclass, field

from matching.feeds import unfit_files
from spark_jobs.feeds.facts import UnfitError, check_columns


@dataclass(slots=True)
class CsvRecords:
    """Takes a file's lines in their order, and counts its records."""

    delimiter: str = ","
    quote: str = '"'
    encoding: str = "utf-8"
    longest: int = 1_000_000
    header: list[str] | None = None
    rows: int = 0
    spans_lines: bool = False
    columns_of_last: int = 0
    is_open: bool = False
    _pending: list[str] = field(default_factory=list)
    _pending_size: int = 0

    def take(self, line: bytes) -> None:
        """Raises UnfitError at a header that cannot be one."""
        if not self._pending and not line.strip():
            return
        text = line.decode(self.encoding, "replace").rstrip("\r")
        if self.header is None:
            text = text.removeprefix("\ufeff")
        if not self._pending and self.quote not in text and "\r" not in text:
            self._take_record(text, plain=True)
            return
        self.spans_lines = self.spans_lines or "\r" in text
        self._pending.append(text)
        self._pending_size += len(text) + 1
        self.is_open = _is_open_after(text, self.delimiter, self.quote, is_open=self.is_open)
        if not self.is_open or self._pending_size > self.longest:
            self._settle()

    def finish(self) -> None:
        """No more lines come. `is_open` stays true if the last record was cut inside of a quoted field."""
        if self._pending:
            was_open = self.is_open
            self._settle()
            self.is_open = was_open

    def _settle(self) -> None:
        """Decide on the lines that may be one record."""
        lines, self._pending, self._pending_size = self._pending, [], 0
        is_whole, self.is_open = not self.is_open, False
        together = "\n".join(lines)
        if len(lines) == 1 or (is_whole and self._fits(together)):
            self.spans_lines = self.spans_lines or len(lines) > 1
            self._take_record(together)
            return
        for line in lines:  # none of them is looked at again, or a file of quotes would cost O(bytes^2)
            self._take_record(line)

    def _fits(self, record: str) -> bool:
        try:
            columns = len(self._split(record, strict=True))
        except csv.Error:  # something stands between the end of a quoted field and the delimiter
            return False
        return self.header is None or columns == len(self.header)

    def _take_record(self, record: str, *, plain: bool = False) -> None:
        if self.header is None:
            self._take_header(record)
            return
        self.rows += 1
        try:
            self.columns_of_last = record.count(self.delimiter) + 1 if plain else len(self._split(record))
        except csv.Error:
            self.columns_of_last = 0  # dirt, which is none of the header's columns

    def _take_header(self, record: str) -> None:
        if "\r" in record:  # then all that follows may be one line, too
            raise UnfitError(unfit_files.RETURN_IN_HEADER())
        try:
            self.header = self._split(record)
        except csv.Error as error:
            raise UnfitError(unfit_files.ODD_HEADER(error=error)) from None
        check_columns(len(self.header))
        self.columns_of_last = len(self.header)

    def _split(self, record: str, *, strict: bool = False) -> list[str]:
        """Raises csv.Error. A carriage return inside of a cell is none of its ends, which `csv` denies."""
        csv.field_size_limit(max(csv.field_size_limit(), 2 * self.longest))
        lines = [f"{line}\n" for line in record.replace("\r", " ").split("\n")]
        records = csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote, strict=strict)
        return next(records, [])


def _is_open_after(line: str, delimiter: str, quote: str, *, is_open: bool) -> bool:
    """Whether a quoted field goes on behind this line."""
    place = 0
    while True:
        if is_open:
            place = line.find(quote, place)
            if place < 0:
                return True
            if line.startswith(quote, place + 1):
                place += 2
                continue
            place, is_open = place + 1, False
        elif line.startswith(quote, place):
            place, is_open = place + 1, True
            continue
        place = line.find(delimiter, place)
        if place < 0:
            return False
        place += len(delimiter)
