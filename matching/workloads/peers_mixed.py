"""`peers-mixed`: four predicates over a domain of 1,000: 30% `=`, 10% `!=`, 30% `<=`, 30% `>=` (see `peers`).

The definition leaves the constants open; as in `peers-range`, those of `=` and `!=` are Zipf(0.7) values, and
bounds are uniform.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.workloads.assembly import AT_LEAST, AT_MOST, EQUAL, UNEQUAL
from matching.workloads.draws import by_weight, draw
from matching.workloads.peers import Peers

OPERATORS = np.array([EQUAL, UNEQUAL, AT_MOST, AT_LEAST], np.int8)
SHARES = np.array([0.3, 0.1, 0.3, 0.3])


@dataclass(frozen=True, kw_only=True)
class PeersMixed(Peers):
    """Four operators."""

    values: int = 1_000
    predicates: int = 4

    def _constraints(
        self, random: np.random.Generator, shape: tuple[int, ...]
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        operator = OPERATORS[draw(random, by_weight(SHARES), shape)]
        bound = random.integers(0, self.values, shape, dtype=np.int32)
        is_bound = (operator == AT_MOST) | (operator == AT_LEAST)
        return operator, np.where(is_bound, bound, self._skewed(random, shape))[..., None]
