"""`peers-range`: four constraints over a domain of 10,000, most of them intervals (see `peers`).

30% are equalities with a Zipf(0.7) value; else the interval [c - h, c + h] clipped to the domain, c uniform
in the domain, h uniform from 0 to half the domain.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.workloads.assembly import BETWEEN, EQUAL, NO_VALUE
from matching.workloads.base import require
from matching.workloads.peers import Peers


@dataclass(frozen=True, kw_only=True)
class PeersRange(Peers):
    """`equality`: the share of equalities."""

    values: int = 10_000
    predicates: int = 4
    equality: float = 0.3

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 <= self.equality <= 1, "equality is a share.")

    def _constraints(
        self, random: np.random.Generator, shape: tuple[int, ...]
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        equal = random.random(shape) < self.equality
        centre = random.integers(0, self.values, shape, dtype=np.int32)
        reach = random.integers(0, self.values // 2, shape, dtype=np.int32, endpoint=True)
        low = np.where(equal, self._skewed(random, shape), np.maximum(centre - reach, 0))
        high = np.where(equal, NO_VALUE, np.minimum(centre + reach, self.values - 1))
        operator = np.where(equal, EQUAL, BETWEEN).astype(np.int8)
        return operator, np.stack((low, high), axis=-1).astype(np.int32)
