"""The live feed: Server-Sent Events, gone on with after a lost connection from the last number that came."""

import json
import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import httpx

from lesubscribe_client._api.models import MatchDocument
from lesubscribe_client.connection import LOST
from lesubscribe_client.errors import NoAnswer, Refused

STREAM = "/api/v1/feed/stream"
PATIENCE = 600.0
# The server says something every 12 seconds; after this silence it is not there any more.
TIMEOUT = httpx.Timeout(40.0, connect=10.0)
SECONDS_UNTIL_NEXT = 2.0
FIRST_FAILURE = 500


class Heard(NamedTuple):
    number: int  # in your feed
    match: MatchDocument


@dataclass(slots=True)
class ServerEvent:
    name: str = ""
    id: int | None = None
    data: str = ""
    retry: float | None = None  # seconds


def listen(http: httpx.Client, *, after: int | None, patience: float) -> Iterator[Heard]:
    pause = SECONDS_UNTIL_NEXT
    heard_at = time.monotonic()
    while True:
        headers = {"Accept": "text/event-stream"} | ({} if after is None else {"Last-Event-ID": str(after)})
        try:
            with http.stream("GET", STREAM, headers=headers, timeout=TIMEOUT) as response:
                for event in server_events(response.iter_bytes()):
                    heard_at = time.monotonic()
                    pause = pause if event.retry is None else event.retry
                    after = after if event.id is None else event.id
                    if event.name == "match" and after is not None:
                        yield Heard(after, MatchDocument.from_dict(json.loads(event.data)))
        except (*LOST, NoAnswer, Refused) as error:
            if isinstance(error, Refused) and error.status < FIRST_FAILURE:
                raise
            if time.monotonic() - heard_at > patience:
                raise NoAnswer(f"Nothing was heard from {STREAM} for {patience:g} s.") from error
        time.sleep(pause * (0.5 + random.random()))  # noqa: S311 - nobody gains by guessing it


def server_events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """An event ends with an empty line. Comments are passed over, and so is an event that is cut off."""
    event = ServerEvent()
    for line in lines(chunks):
        if not line:
            yield event
            event = ServerEvent()
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "id":
                event.id = int(value)
            case "event":
                event.name = value
            case "data":
                event.data += value if not event.data else f"\n{value}"
            case "retry":
                event.retry = int(value) / 1_000


def lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Ended by a newline and nothing else: those of httpx end at U+0085 too, which may stand in a title."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line.removesuffix(b"\r").decode() for line in whole)
