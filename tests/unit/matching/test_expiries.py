"""Moments of expiry are kept in arrays, and in a dictionary what has changed since."""

import random
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from matching import expiries
from matching.expiries import Expiries
from matching.recent.segments import microseconds

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def alive(known: Expiries, numbers: list[int], moment: datetime) -> list[int]:
    ids = np.array(numbers, np.int64)
    mask = known.is_alive(ids, np.full(len(ids), microseconds(moment)))
    found: list[int] = ids[mask].tolist()
    return found


def test_one_is_alive_until_just_before_its_expiry_and_without_one_for_ever() -> None:
    known = Expiries()
    known.set(7, NOON)
    known.set(8, None)
    assert alive(known, [7, 8, 9], NOON - timedelta(microseconds=1)) == [7, 8, 9]
    assert alive(known, [7, 8, 9], NOON) == [8, 9]
    assert alive(known, [], NOON) == []


@pytest.mark.parametrize("seed", range(5))
def test_it_is_a_dictionary_however_often_it_is_written_down(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiries, "_FEW", 5)
    rng = random.Random(seed)
    known, plain = Expiries(), dict[int, datetime | None]()
    for step in range(300):
        number = rng.randrange(60)
        plain[number] = rng.choice([None, NOON + timedelta(hours=rng.randrange(50))])
        if rng.random() < 0.2:
            plain[number] = None
            known.forget(number)
        else:
            known.set(number, plain[number])
        if rng.random() < 0.05:
            known = Expiries(known.arrays())
        moment = NOON + timedelta(hours=rng.randrange(50))
        numbers = rng.sample(range(70), 20)
        lives = [each for each in numbers if (expiry := plain.get(each)) is None or moment < expiry]
        assert alive(known, numbers, moment) == lives, f"seed {seed}, step {step}"


def test_what_was_written_down_does_not_change_afterwards() -> None:
    known = Expiries()
    known.set(7, NOON)
    written = known.arrays()
    known.set(7, NOON + timedelta(days=1))
    known.set(5, NOON)
    known.arrays()
    assert written["ids"].tolist() == [7]
    assert written["moments"].tolist() == [microseconds(NOON)]
