"""A publisher who stops in the middle of a batch leaves nothing behind, and holds up nobody."""

import json
import socket
from urllib.parse import urlsplit

import pytest

from tests.chaos.client import MUCH_PATIENCE
from tests.faults.auction_house import AuctionHouse, a_lot

pytestmark = pytest.mark.database

LOTS = 200
HEAD = (
    "POST /api/v1/events/batch HTTP/1.1\r\n"
    "Host: localhost\r\n"
    "Authorization: Bearer {key}\r\n"
    "Content-Type: application/x-ndjson\r\n"
    "{size}\r\n"
    "\r\n"
)


@pytest.mark.parametrize("size", ["Content-Length: {length}", "Transfer-Encoding: chunked"])
def test_of_a_batch_that_is_cut_in_mid_line_nothing_is_stored(house: AuctionHouse, size: str) -> None:
    lots = [a_lot(price) for price in range(LOTS)]
    body = b"".join(json.dumps(lot).encode() + b"\n" for lot in lots)
    part = body[: len(body) // 2 + 10]
    assert part.count(b"\n") > 1
    assert not part.endswith(b"\n")
    head = HEAD.format(key=house.publisher_key, size=size.format(length=len(body))).encode()
    chunk = b"%x\r\n%b\r\n" % (len(part), part) if "chunked" in size else part

    answer = half_closed(house.system.url, head + chunk)

    assert answer[:12] in (b"", b"HTTP/1.1 400")  # mostly nothing: the server goes when its client does
    again = house.publisher.ask("POST", "events/batch", lots, good={200}).document
    assert (again["accepted"], again["repeated"]) == (LOTS, 0)


def half_closed(url: str, sent: bytes) -> bytes:
    """What comes back when we send this and say that nothing will follow."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    with socket.create_connection((parts.hostname, parts.port), timeout=MUCH_PATIENCE) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))
