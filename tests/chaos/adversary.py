"""The adversary: strikes again and again, in the order that the seed decides, and notes what took effect."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from random import Random

import psutil
import redis

from tests.chaos.records import BusyError
from tests.chaos.strikes import LEASE_KILLS, Strike

SECONDS_TO_HIT = 10.0
# Between tries. Who always strikes at the first lease of a new worker hits the same event again and again.
NOT_TOO_EAGER, EAGER = 0.5, 0.1


class Adversary:
    """`hits` counts the strikes that took effect, by name; a strike answers whether it did."""

    def __init__(
        self,
        order: Iterator[str],
        strikes: Mapping[str, Callable[[], bool]],
        random: Random,
        *,
        longest_pause: float = NOT_TOO_EAGER,
    ) -> None:
        self._order = order
        self._strikes = strikes
        self._random = random
        self._longest_pause = longest_pause
        self.log: list[Strike] = []
        self.hits: Counter[str] = Counter()
        self.misses = 0

    @property
    def lease_kills(self) -> int:
        return sum(self.hits[name] for name in LEASE_KILLS)

    def strike(self, *, spared: Collection[str] = ()) -> None:
        """The next one, but for those that are spared or cannot be; gives up if there is nothing to hit."""
        name = next(name for name in self._order if name in self._strikes and name not in spared)
        hit = self._tried(name)
        if hit is None:
            self.misses += 1
        else:
            self.log.append(hit)
            self.hits[name] += 1

    def _tried(self, name: str) -> Strike | None:
        """Until it hits, but not for ever."""
        deadline = time.monotonic() + SECONDS_TO_HIT
        while (began := time.monotonic()) < deadline:
            with suppress(psutil.Error, redis.RedisError, BusyError):  # it is down, or gone meanwhile
                if self._strikes[name]():
                    return Strike(name, began, time.monotonic())
            time.sleep(self._random.uniform(0, self._longest_pause))
        return None
