"""`peers-eq`: 20 attributes, three equality predicates, values Zipf(0.7) over 200 (see `peers`)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.workloads.assembly import EQUAL
from matching.workloads.peers import Peers


@dataclass(frozen=True, kw_only=True)
class PeersEq(Peers):
    """Equality only."""

    def _constraints(
        self, random: np.random.Generator, shape: tuple[int, ...]
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        return np.full(shape, EQUAL, np.int8), self._skewed(random, shape)[..., None]
