"""Drawing numbers 0, 1, ... by weight. A distribution is the array of its cumulative probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Distribution = NDArray[np.float64]
Codes = NDArray[np.int32]


def by_weight(weights: NDArray[np.float64]) -> Distribution:
    """The distribution in which a number is as likely as its weight says."""
    total: Distribution = np.cumsum(weights)
    total /= total[-1]
    return total


def zipf(size: int, exponent: float, *, first_rank: int = 1) -> Distribution:
    """Number k has the weight (first_rank + k) ** -exponent; the exponent 0 is the uniform distribution."""
    return by_weight(np.arange(first_rank, first_rank + size, dtype=np.float64) ** -exponent)


def draw(random: np.random.Generator, distribution: Distribution, shape: int | tuple[int, ...]) -> Codes:
    """Independent numbers. O(numbers * log size)."""
    return np.searchsorted(distribution, random.random(shape), side="right").astype(np.int32)


def draw_below(random: np.random.Generator, sizes: NDArray[Any]) -> Codes:
    """Independent numbers, each uniform from 0 to below its size; integers() is slow with many sizes."""
    drawn: NDArray[np.float64] = random.random(sizes.shape) * sizes
    return drawn.astype(np.int32)


def draw_up_to(random: np.random.Generator, distribution: Distribution, last: NDArray[Any]) -> Codes:
    """Independent numbers, each from the distribution cut off after its `last`. O(numbers * log size)."""
    below = random.random(last.shape) * distribution[last]
    # Rounding may lift the product to the cut-off itself.
    found: NDArray[np.int64] = np.minimum(np.searchsorted(distribution, below, side="right"), last)
    return found.astype(np.int32)


def draw_distinct(random: np.random.Generator, distribution: Distribution, rows: int, per_row: int) -> Codes:
    """A matrix of numbers, distinct within a row, drawn one after the other without putting back.

    What repeats an earlier number of its row is drawn again. O(rows * per_row ** 2), with a small constant.
    """
    drawn = np.empty((per_row, rows), np.int32)
    for place in range(per_row):
        drawn[place] = draw(random, distribution, rows)
        earlier, repeating = drawn[:place], np.arange(rows)
        while True:
            repeating = repeating[(earlier[:, repeating] == drawn[place, repeating]).any(axis=0)]
            if not len(repeating):
                break
            drawn[place, repeating] = draw(random, distribution, len(repeating))
    return drawn.T


def ascending_choice(
    random: np.random.Generator, distribution: Distribution, lengths: NDArray[Any]
) -> tuple[Codes, NDArray[np.bool_]]:
    """For each row as many distinct numbers as its length says, ascending; and which places are filled."""
    most = int(lengths.max(initial=1))
    chosen = np.ascontiguousarray(draw_distinct(random, distribution, len(lengths), most))
    chosen[np.arange(most) >= lengths[:, None]] = len(distribution)
    chosen.sort(axis=1)
    present = chosen < len(distribution)
    return np.where(present, chosen, 0).astype(np.int32), present
