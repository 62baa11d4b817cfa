"""In which order the adversary strikes: decided by the seed alone, whatever hits or misses meanwhile.

Strikes come in rounds, each a shuffled bag of all kinds, so that even a run of a minute has most of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

LEASE_KILLS = ("worker child", "worker")
# How often each comes in a round.
ROUND = {
    "worker child": 6,
    "worker": 2,
    "web": 2,
    "maintenance": 1,
    "planner": 1,
    "sender": 1,
    "scheduler": 1,
    "flush": 2,
    "redis": 1,
    "database": 1,
    "disk": 1,
    "clock": 1,
    "schema": 1,
    "flood": 2,
}
NIGHTLY, SHARE_OF_ROUNDS_WITH_A_NIGHTLY = "nightly", 0.25  # of short ones
KINDS = (*ROUND, NIGHTLY)
# When many kills are asked for, a round has so many times as many that are to hit a lease. A pool has a new
# child at once, but the supervisor waits for ten seconds with a worker that dies again and again.
MORE_KILLS = {"worker child": 10, "worker": 2}


@dataclass(frozen=True, slots=True)
class Strike:
    """One that took effect: from when to when, by one monotonic clock. Most are over at once."""

    name: str
    began: float
    ended: float


def in_order(random: Random, *, many_kills: bool = False) -> Iterator[str]:
    """Names of strikes, without end."""
    while True:
        bag = [
            name
            for name, count in ROUND.items()
            for _ in range(count * (MORE_KILLS.get(name, 1) if many_kills else 1))
        ]
        if many_kills or random.random() < SHARE_OF_ROUNDS_WITH_A_NIGHTLY:
            bag.append(NIGHTLY)
        random.shuffle(bag)
        yield from bag
