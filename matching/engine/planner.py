"""Which conjunctions are found by a hash of some of their equalities, which by bitmaps: whichever is cheaper.

Paper 002's quarantining, generalised. The rarest equality of a conjunction is its key; a second, third, ...
joins the key where that pays: it spares checks of candidates, but every set of attributes in use as a key
must be probed for every event. What has no rare key is left to the bitmaps, which cost little per
conjunction, but for every event.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matching.engine.buckets import MOST_BUCKETS
from matching.engine.programs import EQUAL, RANGE, Programs
from matching.engine.statistics import Statistics

# Nanoseconds, measured on one machine; only their ratios matter.
CHECK, PROBE, BIT = 9.0, 14.0, 0.02
BITS_READ_TWICE = 2
MOST_IN_A_KEY = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """Which literals are part of their conjunction's key; and which conjunctions go to the bitmaps."""

    in_key: NDArray[np.bool_]
    in_bitmaps: NDArray[np.bool_]


def plan(programs: Programs, statistics: Statistics) -> Plan:
    """O(literals * log), vectorised."""
    operator, owner = programs.operator, programs.owner
    a, b = programs.literal[:, 1], programs.literal[:, 2]
    keyable = np.flatnonzero((operator == EQUAL) | ((operator == RANGE) & (a == b)))
    chance = statistics.chance_of(programs, keyable)
    order = np.lexsort((chance, owner[keyable]))
    keyable, chance = keyable[order], chance[order]
    candidates = _Candidates.of(owner[keyable], chance, programs.attribute[keyable], len(programs))
    length, cost = candidates.best_lengths(statistics)
    # An event reads a row of the bitmaps for each of its atoms; of a conjunction, a column for each literal.
    rows = np.clip(statistics.fan_out, 1.0, MOST_BUCKETS)[programs.attribute]
    bits = np.bincount(owner, rows, minlength=len(programs))
    in_bitmaps = (length == 0) | (cost > BITS_READ_TWICE * BIT * bits)
    in_key = np.zeros(len(owner), np.bool_)
    chosen = (candidates.position < length[owner[keyable]]) & ~in_bitmaps[owner[keyable]]
    in_key[keyable[chosen]] = True
    return Plan(in_key, in_bitmaps)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Each conjunction's equalities, the rarest first: where they begin, how many they are, what they are."""

    first: NDArray[np.int64]
    count: NDArray[np.int64]
    position: NDArray[np.int64]
    chance: NDArray[np.float64]
    attribute: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        owner: NDArray[np.int64],
        chance: NDArray[np.float64],
        attribute: NDArray[np.int64],
        conjunctions: int,
    ) -> "_Candidates":
        count = np.bincount(owner, minlength=conjunctions)
        first = np.cumsum(count) - count
        return cls(first, count, np.arange(len(owner)) - first[owner], chance, attribute)

    def best_lengths(self, statistics: Statistics) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """How many of the equalities make each one's key, and what checking it then costs for an event."""
        conjunctions = len(self.first)
        length = np.zeros(conjunctions, np.int64)
        cost = np.full(conjunctions, CHECK)
        attributes = np.zeros(conjunctions, np.uint64)  # a hash of the set, whatever the order
        probes = np.ones(conjunctions)
        growing = np.arange(conjunctions)
        for step in range(MOST_IN_A_KEY):
            growing = growing[self.count[growing] > step]
            if not len(growing):
                break
            at = self.first[growing] + step
            added = self.attribute[at]
            attributes[growing] += statistics.marks[added]
            probes[growing] *= statistics.fan_out[added]
            cheaper = cost[growing] * self.chance[at]
            _, group = np.unique(attributes[growing], return_inverse=True)
            group = group.reshape(-1)
            saved = np.bincount(group, cost[growing] - cheaper)
            to_probe = np.bincount(group, probes[growing]) / np.bincount(group) * PROBE
            pays = (saved > to_probe)[group]
            growing = growing[pays]
            length[growing] = step + 1
            cost[growing] = cheaper[pays]
        return length, cost
