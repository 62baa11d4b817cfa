"""Rows of a Parquet file in plain Python: what Spark gives when it casts every column to a string.

Only for the first rows of a file, which are shown to people: some are read at a time, and Arrow is imported
when they are asked for. Numbers of four bytes may differ in their last digits.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

_ROWS_AT_ONCE = 16


class DamagedFile(ValueError):  # noqa: N818 - named for what happened
    """What cannot be read as Parquet; the message is Arrow's."""


def parquet_rows(path: Path) -> Iterator[Mapping[str, str | None]]:
    """The rows, in their order. Streams; raises DamagedFile."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE, use_threads=False):
                for row in batch.to_pylist():
                    yield {name: None if value is None else _text(value) for name, value in row.items()}
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DamagedFile(str(error)) from error


def _text(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _number(value)
        case bytes():
            return value.decode(errors="replace")
        case datetime():
            return _moment(value)
        case dict():
            return f"{{{', '.join(map(_text, value.values()))}}}"
        case list() if value and isinstance(value[0], tuple):
            return f"{{{', '.join(f'{_text(key)} -> {_text(each)}' for key, each in value)}}}"
        case list():
            return f"[{', '.join(map(_text, value))}]"
    return str(value)


def _number(value: float) -> str:
    """As Java writes it: from ten millions on, and below a thousandth, with an exponent."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    sign, digits, _exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    exponent = Decimal(repr(value)).adjusted()
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{exponent}"


def _moment(value: datetime) -> str:
    there = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    text = there.isoformat(" ")
    return text.rstrip("0") if there.microsecond else text
