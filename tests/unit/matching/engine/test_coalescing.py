"""Equal runs are found, and only equal ones, also when the hash tells nothing apart."""

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from matching.algorithms.columns import SubscriptionColumns
from matching.engine import coalescing
from matching.engine.coalescing import first_equal
from matching.engine.engine import Engine
from tests.unit.matching.engine.lots import SCHEMA, lot, search


def random_runs(seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    rng = random.Random(seed)
    rows = np.array([[rng.randrange(2) for _ in range(3)] for _ in range(50)], np.int64)
    length = np.array([rng.choice([0, 1, 1, 2, 3]) for _ in range(80)])
    first = np.array([rng.randrange(len(rows) - int(each)) for each in length])
    return first, length, rows


def as_tuples(first: NDArray[Any], length: NDArray[Any], rows: NDArray[np.int64]) -> list[Any]:
    return [rows[at : at + count].tolist() for at, count in zip(first, length, strict=True)]


@pytest.mark.parametrize("seed", range(10))
def test_each_run_is_given_the_first_that_is_equal(seed: int) -> None:
    first, length, rows = random_runs(seed)
    runs = as_tuples(first, length, rows)
    assert first_equal(first, length, rows).tolist() == [runs.index(run) for run in runs]


@pytest.mark.parametrize("hashes", [1, 2, 7])
@pytest.mark.parametrize("seed", range(5))
def test_runs_that_share_only_the_hash_stay_apart(
    hashes: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed = coalescing._mixed
    monkeypatch.setattr(coalescing, "_mixed", lambda numbers: mixed(numbers) % np.uint64(hashes))
    first, length, rows = random_runs(seed)
    runs = as_tuples(first, length, rows)
    for number, leader in enumerate(first_equal(first, length, rows).tolist()):
        assert leader <= number
        assert runs[leader] == runs[number]


def test_there_may_be_no_runs_at_all() -> None:
    none = np.empty(0, np.int64)
    assert first_equal(none, none, np.empty((0, 3), np.int64)).tolist() == []


def test_the_engine_answers_alike_when_all_hashes_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coalescing, "_mixed", lambda numbers: np.zeros_like(numbers))
    texts = ["kind in (desk, chair)", "kind in (desk, table)", "price != 1 and price < 5", "price != 2"] * 3
    searches = [search(text) for text in texts]
    engine = Engine(SCHEMA)
    engine.load(SubscriptionColumns.of(enumerate(searches)))
    for event in (lot(kind="desk", price=2), lot(kind="table", price=1), lot(price=[1, 2])):
        assert engine.match(event) == {at for at, each in enumerate(searches) if each.matches(event)}
    engine.check_invariants()
