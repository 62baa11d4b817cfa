"""An engine tells how it is laid out: nothing of it is lost or counted twice."""

from matching.engine.engine import Engine
from tests.unit.matching.engine.filled import filled
from tests.unit.matching.engine.lots import SCHEMA


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
    assert shape.keys[0] < 7  # some have a key
