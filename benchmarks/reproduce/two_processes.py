"""Matching as paper 002, section 4, measures it: events come from another process, and ids go back to it.

The first process sends sets of events; the second, which is this one, matches them one by one and sends the
ids of each back. *Processing* an event is receiving it (reading JSON and validating included) and matching
it; *execution* is processing, and sending the ids until the first process has them as numbers it can use.

A cell has `algorithm`, `subscriptions`, `p`, and may have `strings`, how many values a string takes in
subscriptions and events instead of the paper's 200, and `adding`, whether adding is measured too.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.cell import create, fresh_subscriptions, learn
from benchmarks.own_process import Report
from benchmarks.reproduce.precision import LEAST_SECONDS, PRECISION, checkpoints, half_width
from matching.algorithms.base import Matcher
from matching.workloads.draws import Codes
from matching.workloads.lesubscribe import NUMBERS, OF_A_KIND, STRINGS, LeSubscribe

EVENTS_OF_A_SET = 50
MOST_EVENTS = 20_000
EVENTS_OF_PAPER = 5_000  # it does not say how many; so many with --paper, however soon the mean is known
FRESH = 200
LEARNING_SECONDS = 10.0
READY, NEXT, DONE = b"ready", b"next", b"done"


@dataclass(frozen=True, kw_only=True)
class FewStrings(LeSubscribe):
    """The same with fewer different strings, so that equalities on them are less selective."""

    strings: int = STRINGS

    def _values(self, random: np.random.Generator, count: int) -> Codes:
        sizes = [NUMBERS] * OF_A_KIND + [self.strings] * OF_A_KIND
        return random.integers(0, sizes, (count, len(sizes)), dtype=np.int32)


def measure(cell: dict[str, Any], *, paper: bool, report: Report) -> dict[str, Any]:
    """Microseconds per event: means over events, with the half width of processing's 95% interval."""
    report("subscriptions", 0.0)
    workload = FewStrings(p=cell["p"], strings=cell.get("strings", STRINGS))
    columns = workload.subscriptions(cell["subscriptions"])
    matcher = create(cell["algorithm"], workload.schema)
    report("loading", 0.0)
    began = perf_counter()
    matcher.load(columns)
    loading = perf_counter() - began
    del columns
    report("learning", 0.0)
    learn(matcher, workload, seconds=LEARNING_SECONDS)
    matcher.work.reset()
    with publisher(workload) as connection:
        numbers = _matched(matcher, connection, report, least=EVENTS_OF_PAPER if paper else 0)
    evaluations = matcher.work.predicate_evaluations / numbers["events_taken"]
    added = {"add_us": _adding_us(matcher, workload, cell["subscriptions"])} if cell.get("adding") else {}
    return {**numbers, "evaluations": evaluations, "load_seconds": round(loading, 2), **added}


def _matched(matcher: Matcher, connection: Connection, report: Report, *, least: int) -> dict[str, Any]:
    processing: list[float] = []
    sending: list[float] = []
    matching: list[float] = []
    matches = 0
    looks = checkpoints(MOST_EVENTS)
    look = next(looks)
    while True:
        report("matching", min(1.0, PRECISION / half_width(processing)) if processing else 0.0)
        began = perf_counter()
        connection.send_bytes(NEXT)
        events = [matcher.schema.validate(document) for document in json.loads(connection.recv_bytes())]
        receiving = (perf_counter() - began) / len(events)
        found = []
        for event in events:
            began = perf_counter()
            found.append(matcher.match_ids(event))
            matching.append(perf_counter() - began)
            processing.append(receiving + matching[-1])
        began = perf_counter()
        _send(connection, found)
        sending.append((perf_counter() - began) / len(events))
        matches += sum(map(len, found))
        if len(processing) >= max(look, least):
            is_known = half_width(processing) <= PRECISION and sum(processing) >= LEAST_SECONDS
            if is_known or len(processing) >= MOST_EVENTS:
                break
            look = next(looks)
    return {
        "processing_us": fmean(processing) * 1e6,
        "matching_us": fmean(matching) * 1e6,
        "sending_us": fmean(sending) * 1e6,
        "execution_us": (fmean(processing) + fmean(sending)) * 1e6,
        "matches": matches / len(processing),
        "events_taken": len(processing),
        "half_width": half_width(processing),
    }


def _send(connection: Connection, found: list[Any]) -> None:
    lengths = np.array([len(ids) for ids in found], np.int64)
    connection.send_bytes(np.concatenate((lengths, *found)).tobytes())
    assert connection.recv_bytes() == DONE


def _adding_us(matcher: Matcher, workload: LeSubscribe, subscriptions: int) -> float:
    """One more subscription, the mean of some; parsing is not counted."""
    fresh = list(fresh_subscriptions(workload, FRESH, first=subscriptions))
    began = perf_counter()
    for number, subscription in fresh:
        matcher.add(number, subscription)
    return (perf_counter() - began) * 1e6 / len(fresh)


@contextmanager
def publisher(workload: LeSubscribe) -> Iterator[Connection]:
    """The first process, once it has its events, and the way to it."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=publish, args=(workload, there), daemon=True)
    process.start()
    there.close()
    try:
        assert here.recv_bytes() == READY
        yield here
    finally:
        here.close()
        process.join()


def publish(workload: LeSubscribe, connection: Connection) -> None:
    """What the first process does, until nobody listens. A set is ready before it is asked for."""
    events = workload.events(MOST_EVENTS)
    documents = [event.to_dict() for event in events]
    sets = [
        json.dumps(documents[first : first + EVENTS_OF_A_SET]).encode()
        for first in range(0, MOST_EVENTS, EVENTS_OF_A_SET)
    ]
    connection.send_bytes(READY)
    number = 0
    try:
        while True:
            if connection.recv_bytes() == NEXT:
                connection.send_bytes(sets[number % len(sets)])
                number += 1
                answer = np.frombuffer(connection.recv_bytes(), np.int64)
                ends = EVENTS_OF_A_SET + np.cumsum(answer[:EVENTS_OF_A_SET])
                lists = [ids.tolist() for ids in np.split(answer, ends[:-1])]
                assert len(lists) == EVENTS_OF_A_SET
                connection.send_bytes(DONE)
    except EOFError:
        return
