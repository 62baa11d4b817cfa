"""A flood of events from a process that has one core to itself: `python -m tests.chaos.flood`.

It reads an order as JSON from its standard input, and writes what came back, as JSON, when all was answered.
Requests are sent when they are due, however late the answers are, as long as a connection is free.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

from lesubscribe.loadtest.figures import Percentiles
from lesubscribe.loadtest.sending import Request, Sender, Sent
from matching import workloads
from tests.running_system import ROOT

CONNECTIONS_PER_KEY = 64  # together more than a web process lets in
DIFFERENT_EVENTS = 500
REFUSALS = (429, 503)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """So many events a second, of all keys together. All their names begin with `name`."""

    url: str
    keys: Sequence[str]
    name: str
    rate: float
    seconds: float
    seed: int
    core: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """What came back. Times are in seconds since the epoch."""

    began: float
    ended: float
    sending: float  # seconds until the last one was sent
    sent: int
    statuses: dict[str, int]
    silent_refusals: int  # without a word when to come again
    accepted: Sequence[str]
    answer: Percentiles | None

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def offered(self) -> float:
        """In a second."""
        return self.sent / self.sending

    @property
    def refused(self) -> int:
        return sum(self.statuses.get(str(status), 0) for status in REFUSALS)


def flooded(order: Order) -> Flood:
    """Let a process of its own do it."""
    answer = subprocess.run(
        [sys.executable, "-m", "tests.chaos.flood"],
        input=json.dumps(asdict(order)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    told = json.loads(answer.stdout)
    return Flood(**{**told, "answer": told["answer"] and Percentiles(**told["answer"])})


def _send(order: Order) -> Flood:
    pool = [
        event.to_dict() for event in workloads.create("auction", seed=order.seed).events(DIFFERENT_EVENTS)
    ]
    documents = [json.dumps(document) for document in pool]
    share = order.rate / len(order.keys)
    count = round(share * order.seconds)

    def requests(number: int) -> Iterator[Request]:
        for place in range(count):
            document = documents[(number + place * len(order.keys)) % len(documents)]
            body = f'{{"external_id": "{_name(order, number, place)}", "event": {document}}}'
            yield Request(body.encode(), 1)

    def sent_by(number: int) -> list[Sent]:
        key = order.keys[number]
        sender = Sender(
            order.url,
            "/api/v1/events",
            key=key,
            content_type="application/json",
            connections=CONNECTIONS_PER_KEY,
        )
        return sender.send(requests(number), per_second=share, progress=lambda _: None)

    began = time.time()
    with ThreadPoolExecutor(len(order.keys)) as threads:
        by_key = list(threads.map(sent_by, range(len(order.keys))))
    ended = time.time()
    sent = [each for of_key in by_key for each in of_key]
    return Flood(
        began=began,
        ended=ended,
        sending=order.seconds + max(each.late for each in sent),
        sent=len(sent),
        statuses={str(status): count for status, count in Counter(each.status for each in sent).items()},
        silent_refusals=sum(each.status in REFUSALS and not each.asks_to_come_again for each in sent),
        accepted=[
            _name(order, number, each.place)
            for number, of_key in enumerate(by_key)
            for each in of_key
            if each.status == 202
        ],
        answer=Percentiles.of(each.seconds for each in sent),
    )


def _name(order: Order, number: int, place: int) -> str:
    return f"{order.name}{number}-{place}"


def main() -> None:
    order = Order(**json.load(sys.stdin))
    os.sched_setaffinity(0, {order.core})
    json.dump(asdict(_send(order)), sys.stdout)


if __name__ == "__main__":
    main()
