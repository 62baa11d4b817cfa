"""What a run is to do, and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.chaos.causes import Toll
from tests.chaos.strikes import LEASE_KILLS
from tests.chaos.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Plan:
    """It goes on for so many seconds, and until there were so many events, kills and flushes."""

    seed: int
    seconds: float = 60.0
    events: int = 0
    kills: int = 0
    flushes: int = 0
    publishers: int = 2
    subscribers: int = 2
    readers: int = 2  # the first has a webhook, the second a mailbox, and so on
    shards: int = 1
    crowd: int = 600  # who all look for the same rare item, so that its matches need several transactions


@dataclass(frozen=True, slots=True)
class Outcome:
    database: str
    plan: Plan
    verdict: Verdict
    seconds: float
    hits: Mapping[str, int]
    misses: int
    unanswered: int
    seconds_to_settle: float
    most_attempts: int  # for one event; at 5 it would be parked
    longest_wait: float
    longest_wait_began: float  # these and the strikes in seconds since the beginning
    strikes: Sequence[tuple[float, str]]
    tolls: Mapping[str, Toll]  # by kind of fault
    left_out: Mapping[str, str]  # kinds of fault that this machine does not allow, and why
    deliveries: int = 0
    came_twice: int = 0  # messages, under the same id: that cannot be helped
    nights: int = 0
    nights_killed: int = 0

    @property
    def lease_kills(self) -> int:
        return sum(self.hits.get(name, 0) for name in LEASE_KILLS)

    @property
    def longest_resumption(self) -> tuple[float, str]:
        """How long nothing was matched after a fault, at most, and after which."""
        return max(((toll.longest_resumption, name) for name, toll in self.tolls.items()), default=(0.0, ""))

    @property
    def longest_telling(self) -> tuple[float, str]:
        """How long nobody was told anything after a fault, at most, and after which."""
        return max(((toll.longest_telling, name) for name, toll in self.tolls.items()), default=(0.0, ""))
