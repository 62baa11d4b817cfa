"""Events that are coded, taken apart, kept as bytes and put together again match as they did."""

import random
from pathlib import Path

import numpy as np
from numba import typeof

from matching.engine.batches import CodedEvents, starts_of, together
from matching.engine.engine import Engine
from tests.contract.cases import case


def test_coded_events_match_in_any_order_by_whoever_opened_the_snapshot(tmp_path: Path) -> None:
    for seed in range(12):
        this = case(seed)
        engine = Engine(this.schema, merging="when asked")
        for number, subscription in enumerate(this.subscriptions):
            engine.add(number, subscription)
        engine.save(tmp_path / str(seed))
        opened = Engine.open(tmp_path / str(seed))
        order = list(range(len(this.events)))
        random.Random(seed).shuffle(order)
        offsets, ids = opened.match_coded(in_order(engine.coded(this.events), order))
        found = [set(part.tolist()) for part in np.split(ids, offsets[1:-1])]
        assert found == [this.matching[place] for place in order], f"seed {seed}"


def in_order(coded: CodedEvents, order: list[int]) -> CodedEvents:
    record_start, number_start = starts_of(coded)
    records = np.split(coded.record, record_start[1:-1])
    numbers = np.split(coded.number, number_start[1:-1])
    return together(
        np.diff(coded.row_start)[order],
        b"".join(records[place].tobytes() for place in order),
        b"".join(numbers[place].tobytes() for place in order),
    )


def test_no_event_is_coded_as_nothing() -> None:
    engine = Engine(case(1).schema)
    assert len(engine.coded([]).record) == 0
    offsets, ids = engine.match_coded(together(np.empty(0, np.int64), b"", b""))
    assert (offsets.tolist(), ids.tolist()) == ([0], [])


def test_events_put_together_need_no_kernels_of_their_own() -> None:
    this = case(1)
    coded = Engine(this.schema).coded(this.events)
    again = together(np.diff(coded.row_start), coded.record.tobytes(), coded.number.tobytes())
    assert typeof(again) == typeof(coded)  # type: ignore[no-untyped-call, unused-ignore]
