"""Lines of a request body, decompressed if need be, as they come: never more than a line in memory.

A small gzip can hold gigabytes; both the bytes it gives and their ratio to what was sent are capped. So are
blank lines, of which those bytes could hold hundreds of millions.
"""

import zlib
from collections.abc import Iterator
from typing import IO

from schema_registry.core.errors import InvalidJson
from schema_registry.core.sentences import gettext as _

MOST_BYTES = 256_000_000
LONGEST_LINE = 1_000_000
MOST_RATIO = 200
MOST_BLANK_LINES = 100_000
_FREE_BYTES = 1_000_000  # below this the ratio does not count: a few equal lines compress very well
_CHUNK = 1 << 16


class UnreadableBody(InvalidJson):
    """A body that cannot be read on."""


def lines(stream: IO[bytes], *, is_gzip: bool) -> Iterator[bytes]:
    """The lines without their ends, blank ones left out. Raises UnreadableBody where it cannot go on."""
    rest, blank = b"", 0
    for chunk in _decompressed(stream) if is_gzip else _chunks(stream):
        *whole, rest = (rest + chunk).split(b"\n")
        written = [line for line in whole if line.strip()]
        yield from written
        blank += len(whole) - len(written)
        if blank > MOST_BLANK_LINES:
            raise UnreadableBody(_("More than {most:,} lines are blank.", most=MOST_BLANK_LINES))
        if len(rest) > LONGEST_LINE:
            raise UnreadableBody(_("A line is over {most:,} bytes long.", most=LONGEST_LINE))
    if rest.strip():
        yield rest


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _decompressed(stream: IO[bytes]) -> Iterator[bytes]:
    unzip = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    read = given = 0
    for chunk in _chunks(stream):
        read += len(chunk)
        waiting = chunk
        while waiting and not unzip.eof:
            try:
                part = unzip.decompress(waiting, _CHUNK)
            except zlib.error:
                raise UnreadableBody(
                    _("The body is not gzip, though its Content-Encoding says so.")
                ) from None
            given += len(part)
            if given > MOST_BYTES or (given > _FREE_BYTES and given > MOST_RATIO * read):
                raise UnreadableBody(_("The body decompresses to far more than we take."))
            yield part
            waiting = unzip.unconsumed_tail
    if not unzip.eof:
        raise UnreadableBody(_("The gzip body is cut off."))
