"""Measuring until the mean is known well enough."""

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

PRECISION = 0.05
FEWEST = 100
LEAST_SECONDS = 2.0  # of what is timed: a machine is slower for moments, which its variance does not show


def half_width(numbers: Sequence[float]) -> float:
    """Of the mean's 95% interval, relative to the mean; infinite for fewer than two."""
    if len(numbers) < 2:
        return float("inf")
    mean = float(np.mean(numbers))
    return 1.96 * float(np.std(numbers, ddof=1)) / sqrt(len(numbers)) / mean if mean else 0.0


def checkpoints(most: int) -> Iterator[int]:
    """After how many numbers to look, so that looking costs little: 100, 150, 225, ... up to `most`."""
    count = FEWEST
    while count < most:
        yield count
        count += count // 2
    yield most
