"""An engine tells how it is laid out: nothing of it is lost or counted twice."""

from matching.engine.engine import Engine
from tests.unit.matching.engine.filled import filled
from tests.unit.matching.engine.lots import SCHEMA, search


def test_an_empty_engine_has_nothing() -> None:
    shape = Engine(SCHEMA).shape()
    assert (shape.segments, shape.fresh, shape.gone, shape.keys, shape.bytes) == (0, 0, 0, (0,), 0)


def test_segments_and_what_came_and_went_since_are_told_apart() -> None:
    shape = filled().shape()
    assert (shape.segments, shape.fresh) == (2, 2)
    assert shape.gone > 0
    assert shape.bytes > 0


def test_a_merge_leaves_one_segment_of_what_is_there() -> None:
    engine = filled()
    engine.merge()
    shape = engine.shape()
    assert (shape.segments, shape.fresh, shape.gone) == (1, 0, 0)
    # price < 5; kind and price; oak; chair; price in ...; price > 8; not (price exists)
    assert sum(shape.keys) == 7


def test_what_is_found_by_a_key_is_told_from_what_bitmaps_find() -> None:
    engine = Engine(SCHEMA, merging="when asked")
    for price in range(500):
        engine.add(price, search(f"price = {price}"))
    engine.add(1_000, search("not (price exists)"))
    engine.merge()
    keys = engine.shape().keys
    assert len(keys) == 2
    assert keys[0] >= 1
    assert (sum(keys), keys[1] > 0) == (501, True)
