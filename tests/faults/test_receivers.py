"""Receivers that are slow, down, or gone, and workers killed while they send."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.records import Records
from tests.faults.failpoints import Failpoints
from tests.faults.receivers import Post, let_leases_run_out, plan
from tests.limits.measuring import Measured
from tests.running_system import RunningSystem, wait_until
from tests.sinks import Behaviour, HttpSink

pytestmark = pytest.mark.database

SECONDS_TO_DELIVER = 300
COMPRESSED_DAY = 24 * 3600 * 0.0001  # at the pace of `breakable`
MESSAGES = 200  # three are tried in a second, and a slow machine makes the day longer than it is
MEASUREMENTS = 4  # of which the best counts: the machine may be busy with other things


@pytest.fixture(scope="module")
def records(breakable: RunningSystem) -> Records:
    return Records(breakable.database_url)


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[HttpSink]:
    with HttpSink(tmp_path / "receipts") as sink:
        yield sink


def wait_until_all_is_told(breakable: RunningSystem, records: Records) -> None:
    wait_until(
        lambda: "deliveries" not in records.untold(),
        seconds=SECONDS_TO_DELIVER,
        why=lambda: f"{records.untold()}\n{breakable.log[-3000:]}",
    )


@pytest.mark.parametrize(
    ("place", "receipts"),
    [
        ("deliver.leased", 1),
        ("deliver.before-send", 1),
        ("deliver.after-send", 2),  # the one place where a message is sent twice, under the same id
        ("deliver.after-commit", 1),
    ],
)
def test_a_worker_killed_while_it_sends_leaves_one_delivery_that_arrives(
    breakable: RunningSystem,
    records: Records,
    sink: HttpSink,
    failpoints: Failpoints,
    place: str,
    receipts: int,
) -> None:
    failpoints.arm(place)
    plan(breakable, Post(urls=[sink.url("/killed")], messages=1))
    failpoints.wait_until_struck(place)
    let_leases_run_out(breakable)
    wait_until_all_is_told(breakable, records)
    ids = [receipt.id for receipt in sink.receipts()]
    assert len(ids) == receipts
    assert len(set(ids)) == 1


def test_a_receiver_that_was_down_for_a_day_gets_everything_after_it(
    breakable: RunningSystem, records: Records, sink: HttpSink
) -> None:
    down, broken = sink.url("/down"), sink.url("/broken")
    sink.behave(Behaviour(is_down=True), path="/down")
    sink.behave(Behaviour(status=500), path="/broken")
    plan(breakable, Post(urls=[down, broken], messages=MESSAGES))
    wait_until(lambda: sink.arrivals("/broken"), seconds=SECONDS_TO_DELIVER)
    ends = time.monotonic() + COMPRESSED_DAY
    wait_until(lambda: time.monotonic() > ends, seconds=SECONDS_TO_DELIVER)
    tried = {receipt.id for receipt in sink.receipts(path="/broken")}
    assert len(tried) < MESSAGES  # the whole channel was left alone, but for a probe now and then
    sink.behave(Behaviour(), path="/down")
    sink.behave(Behaviour(), path="/broken")
    wait_until_all_is_told(breakable, records)
    for path in ("/down", "/broken"):
        assert len({receipt.id for receipt in sink.receipts(path=path)}) == MESSAGES


def test_receivers_that_drip_do_not_hold_up_the_others(
    breakable: RunningSystem, records: Records, sink: HttpSink, measured: Measured
) -> None:
    good = [sink.url(f"/good/{number}") for number in range(80)]
    for number in range(20):
        drips = "headers" if number % 2 else "body"
        sink.behave(Behaviour(drips=drips), path=f"/drip/{number}")
    dripping = [sink.url(f"/drip/{number}") for number in range(20)]
    plan(breakable, Post(urls=good, messages=5, name="warm-up"))
    wait_until_all_is_told(breakable, records)
    # Twice: other tests may leave the machine alone for just that moment.
    alone = max(
        _seconds_until_all_arrived(breakable, sink, Post(urls=good, messages=5, name=f"alone {number}"))
        for number in range(2)
    )
    plan(breakable, Post(urls=dripping, messages=5))
    wait_until(lambda: len(sink.arrivals("/drip")) >= 20, seconds=SECONDS_TO_DELIVER)
    for number in range(MEASUREMENTS):
        post = Post(urls=good, messages=5, name=f"among {number}")
        among = _seconds_until_all_arrived(breakable, sink, post)
        if among <= 2 * alone:
            break
    measured("time for 80 receivers beside 20 that drip", among / alone, "times as long", at_most=2)


def _seconds_until_all_arrived(breakable: RunningSystem, sink: HttpSink, post: Post) -> float:
    """From the first of these messages to the last."""
    before = len(sink.arrivals("/good"))
    plan(breakable, post)
    everything = before + len(post.urls) * post.messages
    wait_until(
        lambda: len(sink.arrivals("/good")) >= everything,
        seconds=SECONDS_TO_DELIVER,
        why=lambda: f"{len(sink.arrivals('/good'))} of {everything}",
    )
    arrived = sorted(sink.arrivals("/good"))[before:]
    return arrived[-1] - arrived[0]
