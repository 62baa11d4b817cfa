"""The histogram of waits: few numbers from which quantiles are read, nearly exactly, and which add up."""

import random
from collections import Counter
from math import ceil

import pytest

from matching.traffic.histogram import LAST, LONGEST, SHORTEST, added, bucket_of, quantile

HALF_A_BUCKET = 2 ** (1 / 8)


def histogram(values: list[float]) -> Counter[int]:
    return Counter(map(bucket_of, values))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.5, 0.95, 1.0])
def test_a_quantile_is_within_half_a_bucket_of_the_true_one(seed: int, share: float) -> None:
    rng = random.Random(seed)
    values = sorted(rng.lognormvariate(-1, 2) for _ in range(rng.randint(1, 500)))
    values = [min(max(value, SHORTEST), LONGEST) for value in values]
    true = values[ceil(share * len(values)) - 1]
    found = quantile(histogram(values), share)
    assert found is not None
    assert true / HALF_A_BUCKET / 1.001 <= found <= true * HALF_A_BUCKET * 1.001


def test_histograms_of_minutes_add_up_to_that_of_their_hour() -> None:
    rng = random.Random(7)
    minutes = [[rng.expovariate(2) for _ in range(50)] for _ in range(60)]
    whole = [value for minute in minutes for value in minute]
    assert added(map(histogram, minutes)) == histogram(whole)


def test_longer_waits_are_never_in_an_earlier_bucket() -> None:
    rng = random.Random(3)
    values = sorted([rng.lognormvariate(0, 4) for _ in range(2_000)])
    buckets = [bucket_of(value) for value in values]
    assert buckets == sorted(buckets)
    assert 0 <= buckets[0] <= buckets[-1] <= LAST


@pytest.mark.parametrize("seconds", [LONGEST, LONGEST + 1, 86_400.0])
def test_what_takes_very_long_is_told_as_the_longest(seconds: float) -> None:
    assert quantile({bucket_of(seconds): 3}, 0.5) == LONGEST


@pytest.mark.parametrize("seconds", [0.0, -5.0, SHORTEST / 2])
def test_what_took_no_time_by_our_clocks_is_short(seconds: float) -> None:
    assert quantile({bucket_of(seconds): 1}, 0.95) == SHORTEST


def test_there_is_no_quantile_of_nothing() -> None:
    assert quantile({}, 0.5) is None
    assert quantile({3: 0}, 0.5) is None
