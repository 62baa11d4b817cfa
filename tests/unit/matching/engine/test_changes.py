"""Changes are whole or not at all, and what is gone takes no room after a merge."""

import pytest

from matching.algorithms.columns import SubscriptionColumns
from matching.engine import engine as production
from matching.engine.engine import Engine
from schema_registry.core import extension
from schema_registry.language import parse
from tests.unit.matching.engine.lots import SCHEMA, lot, search


def test_a_load_that_fails_changes_nothing() -> None:
    later = extension.create_attribute(SCHEMA, "height", "money")
    engine = Engine(SCHEMA)
    engine.load(SubscriptionColumns.of([(1, search("price < 5")), (2, search("price < 9"))]))
    with pytest.raises(KeyError):
        engine.load(SubscriptionColumns.of([(1, parse("height < 3", later))]))
    engine.add(3, search("price < 7"))
    assert len(engine) == 3
    assert engine.match(lot(price=1)) == {1, 2, 3}
    engine.check_invariants()


def test_a_merge_drops_what_is_gone() -> None:
    engine = Engine(SCHEMA, merging="when asked")
    texts = [
        f"price in ({number}, {number + 1}) and seller = s{number} or weight != {number}"
        for number in range(200)
    ]
    engine.load(SubscriptionColumns.of(enumerate(map(search, texts))))
    size = sum(len(segment.block) for segment in engine._view.segments)
    for number in range(1, 200):
        engine.remove(number)
    engine.add(500, search("price = 500"))
    engine.merge()
    assert sum(len(segment.block) for segment in engine._view.segments) < size / 5
    assert engine.match(lot(price=500, seller="s0")) == {500}
    assert engine.match(lot(price=0, seller="s0")) == {0}


def test_churn_does_not_make_it_grow() -> None:
    engine = Engine(SCHEMA, merging="when asked")
    sizes = []
    for turn in range(6):
        for number in range(50):
            engine.add(number, search(f"price in ({turn}, {turn + 1}, {number}) and weight != {number}"))
        engine.merge()
        sizes.append(sum(len(segment.block) for segment in engine._view.segments))
    assert max(sizes) < 1.3 * sizes[0]


def test_a_merge_of_nothing_leaves_nothing() -> None:
    engine = Engine(SCHEMA)
    engine.merge()
    engine.add(1, search("price < 5"))
    engine.remove(1)
    engine.merge()
    assert engine.match(lot(price=1)) == set()
    assert engine._view.segments == ()
    engine.check_invariants()


@pytest.mark.parametrize("merging", ["beside", "at once"])
def test_what_comes_singly_becomes_segments_by_itself(
    merging: production.Merging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(production, "MOST_FRESH", 20)
    engine = Engine(SCHEMA, merging=merging)
    for number in range(1_000):
        engine.add(number, search(f"price < {number}"))
    engine.merge()  # waits for the one beside
    assert engine.match(lot(price=989.5)) == set(range(990, 1_000))
    engine.check_invariants()


def test_an_id_may_go_and_come_back_any_number_of_times() -> None:
    engine = Engine(SCHEMA, merging="when asked")
    for turn in range(5):
        engine.add(7, search(f"price = {turn}"))
        assert [engine.match(lot(price=each)) for each in (turn - 1, turn)] == [set(), {7}]
        if turn % 2:
            engine.merge()
        engine.remove(7)
        assert 7 not in engine
        assert engine.match(lot(price=turn)) == set()
        with pytest.raises(KeyError):
            engine.remove(7)
    assert len(engine) == 0


def test_equal_conjunctions_are_kept_once_however_they_came() -> None:
    """Loaded, added singly, merged before: the weight comes first in no order but that of names."""
    texts = [f"weight < {number} and price = 7 and kind = desk" for number in range(30)]
    engine = Engine(SCHEMA, merging="when asked")
    for turn in range(4):
        rows = [(1_000 * turn + number, search(text)) for number, text in enumerate(texts)]
        if turn % 2:
            for number, subscription in rows:
                engine.add(number, subscription)
        else:
            engine.load(SubscriptionColumns.of(rows))
        engine.merge()
    (segment,) = engine._view.segments
    assert len(segment.arrays.keyed) == len(texts)
    assert engine.match(lot(weight=28.5, price=7, kind="desk")) == {29, 1_029, 2_029, 3_029}
