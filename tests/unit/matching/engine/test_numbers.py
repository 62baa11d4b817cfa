"""Numbers at the edges of doubles: every operator, in every state of the engine, against the core."""

import itertools
import math
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine.engine import Engine
from schema_registry.core.events import Event
from schema_registry.core.predicates import Predicate
from tests.unit.matching.engine.lots import SCHEMA, Wish, raw_lot

LARGEST, SMALLEST = sys.float_info.max, math.ulp(0.0)
EDGES = (
    -LARGEST,
    -1e300,
    math.nextafter(-1.0, 0.0),
    -SMALLEST,
    0.0,
    SMALLEST,
    sys.float_info.min,
    math.nextafter(1.0, 0.0),
    1.0,
    math.nextafter(1.0, 2.0),
    LARGEST,
)
ORDER = ("=", "!=", "<", "<=", ">", ">=")


def wishes() -> list[Wish]:
    singles = [Predicate("price", operator, (edge,)) for operator in ORDER for edge in (*EDGES, -0.0)]
    singles += [Predicate("price", "contains", (edge,)) for edge in EDGES]
    pairs = list(itertools.combinations(EDGES, 2))
    for negated in (False, True):
        singles += [
            Predicate("price", operator, pair, negated) for operator in ("between", "in") for pair in pairs
        ]
    joint = [
        Wish.of(
            Predicate("price", ">", (low,)),
            Predicate("price", "<", (high,)),
            Predicate("price", "!=", (0.0,)),
        )
        for low, high in pairs
    ]
    open_ranges = [
        Wish.of(Predicate("price", ">", (low,)), Predicate("price", "<", (high,))) for low, high in pairs
    ]
    return [*map(Wish.of, singles), *joint, *open_ranges]


def events() -> list[Event]:
    several = [*itertools.combinations(EDGES, 2), EDGES]
    return [raw_lot(price=(edge,)) for edge in (*EDGES, -0.0)] + [raw_lot(price=each) for each in several]


def fresh(engine: Engine, directory: Path) -> Engine:
    for number, wish in enumerate(wishes()):
        engine.add(number, wish)
    return engine


def loaded(engine: Engine, directory: Path) -> Engine:
    engine.load(SubscriptionColumns.of(enumerate(wishes())))
    return engine


def merged(engine: Engine, directory: Path) -> Engine:
    fresh(engine, directory).merge()
    return engine


def reopened(engine: Engine, directory: Path) -> Engine:
    loaded(engine, directory).save(directory)
    return Engine.open(directory)


@pytest.mark.parametrize("prepared", [fresh, loaded, merged, reopened])
def test_edges_are_compared_exactly(prepared: Callable[[Engine, Path], Engine], tmp_path: Path) -> None:
    engine = prepared(Engine(SCHEMA, merging="when asked"), tmp_path)
    all_wishes = wishes()
    for event in events():
        expected = {number for number, wish in enumerate(all_wishes) if wish.matches(event)}
        assert engine.match(event) == expected, event.values
    assert engine.match_many(events()) == [engine.match(event) for event in events()]


def test_neighbours_of_cuts_fall_on_the_right_side() -> None:
    """With more ends than buckets, so that most ranges end inside one."""
    ends = [number / 7 for number in range(-200, 200)]
    ranges = [
        Wish.of(Predicate("price", low, (a,)), Predicate("price", high, (a + 9.0,)))
        for a, (low, high) in zip(
            ends, itertools.cycle(itertools.product((">", ">="), ("<", "<="))), strict=False
        )
    ]
    engine = Engine(SCHEMA)
    engine.load(SubscriptionColumns.of(enumerate(ranges)))
    for end in ends[::9]:
        for value in (math.nextafter(end, -math.inf), end, math.nextafter(end, math.inf), end + 9.0):
            event = raw_lot(price=(value,))
            assert engine.match(event) == {at for at, each in enumerate(ranges) if each.matches(event)}
