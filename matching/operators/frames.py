"""How an evaluator and the process of an operator talk: JSON behind its length in four bytes.

JSON and not pickle, since what an operator answers must not be able to run in our process. Imports little,
since every process of an operator waits for it.
"""

import json
import numbers
import socket
import time
from decimal import Decimal
from typing import Any

_LENGTH = 4


class TooLargeError(Exception):
    """A frame larger than the reader takes; the rest of it is still in the channel."""


def frame(document: object) -> bytes:
    """Raises TypeError or ValueError for what cannot be written as JSON."""
    body = json.dumps(document, default=_plain).encode("ascii")
    return len(body).to_bytes(_LENGTH) + body


def send(channel: socket.socket, framed: bytes, *, deadline: float | None = None) -> None:
    """Raises TimeoutError after the deadline (of time.monotonic), OSError if nobody listens any more."""
    channel.settimeout(_left(deadline))
    channel.sendall(framed)


def receive(channel: socket.socket, *, deadline: float | None = None, most: int | None = None) -> Any:
    """The next document.

    Raises TimeoutError after the deadline, EOFError at the end, ValueError for what is no JSON, and
    TooLargeError for more than `most` bytes.
    """
    length = int.from_bytes(_exactly(channel, _LENGTH, deadline))
    if most is not None and length > most:
        raise TooLargeError
    return json.loads(_exactly(channel, length, deadline))


def said(error: BaseException) -> str:
    """An exception in one line, of which the beginning will do."""
    line = " ".join(f"{type(error).__name__}: {error}".split())
    return line if len(line) <= 300 else f"{line[:297]}..."


def _exactly(channel: socket.socket, count: int, deadline: float | None) -> bytes:
    body = bytearray()
    while len(body) < count:
        channel.settimeout(_left(deadline))
        part = channel.recv(min(count - len(body), 1 << 16))
        if not part:
            raise EOFError
        body += part
    return bytes(body)


def _left(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _plain(value: object) -> float:
    """Numbers of other libraries."""
    if isinstance(value, (numbers.Real, Decimal)):
        return float(value)
    raise TypeError(f"a {type(value).__name__} is neither a number nor a string")
