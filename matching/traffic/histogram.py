"""How long something took, of many, in few numbers: a histogram whose buckets grow by a fixed factor. Pure.

A bucket is known by its number, so histograms of minutes add up to that of their hour. A quantile read from
one is wrong by less than half a bucket, 9 %, however the values lie. (The idea of HdrHistogram and DDSketch.)
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import ceil, floor, log2

SHORTEST = 0.001  # seconds; whatever is shorter is in the first bucket
LONGEST = 600.0  # whatever takes so long, or longer, is in the last
_PER_DOUBLING = 4

Histogram = Mapping[int, int]  # buckets and how many are in each


def bucket_of(seconds: float) -> int:
    """O(1). Negative ones, as clocks may give, are short."""
    if seconds < SHORTEST:
        return 0
    return 1 + floor(_PER_DOUBLING * log2(min(seconds, LONGEST) / SHORTEST) + 1e-9)


LAST = bucket_of(LONGEST)


def added(histograms: Iterable[Histogram]) -> Counter[int]:
    """All of them as one."""
    total: Counter[int] = Counter()
    for each in histograms:
        total.update(each)
    return total


def quantile(histogram: Histogram, share: float) -> float | None:
    """The seconds within which this share of them was done; None where there are none. O(buckets)."""
    count = sum(histogram.values())
    if not count:
        return None
    rank = max(1, ceil(share * count))
    for bucket in sorted(histogram):
        rank -= histogram[bucket]
        if rank <= 0:
            break
    return _middle(bucket)


def _middle(bucket: int) -> float:
    """By ratio, so that both ends are equally far."""
    if bucket <= 0:
        return SHORTEST
    return LONGEST if bucket >= LAST else SHORTEST * 2 ** ((bucket - 0.5) / _PER_DOUBLING)
