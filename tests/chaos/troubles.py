"""Strikes at what the system stands on, and at its rest: database, disk, clock, schema, floods, nights."""

import time
from collections.abc import Callable
from random import Random

from tests.chaos.client import Client
from tests.chaos.floods import Flood
from tests.chaos.grounds import Grounds
from tests.chaos.growth import Growth
from tests.chaos.nightly import Nights

LONGEST_STOP = 3.0
SHORTEST_FULL, LONGEST_FULL = 1.0, 4.0
# On SQLite there is one machine, whose clock is set. It is set back by a little only: whoever was to be told
# something at a time that comes once more is told it then.
SHIFTS = (3_600.0, 60.0, 7.0, -7.0, -20.0)
# PostgreSQL has a machine and a clock of its own, from which ours may differ.
DIFFERENCES = (-15.0, -4.0, 0.0, 4.0, 15.0)


class Troubles:
    """Each answers whether it hit."""

    def __init__(
        self,
        grounds: Grounds,
        random: Random,
        *,
        growth: Growth,
        architect: Client,
        flood: Flood,
        nights: Nights | None,
    ) -> None:
        self._grounds = grounds
        self._random = random
        self._growth = growth
        self._architect = architect
        self._flood = flood
        self._nights = nights

    def strikes(self) -> dict[str, Callable[[], bool]]:
        """Those that can be brought about here."""
        found: dict[str, Callable[[], bool]] = {
            "database": self._stop_the_database,
            "schema": lambda: self._growth.grow(self._architect),
            "flood": self._flood.begin,
        }
        if self._grounds.disk is not None:
            found["disk"] = self._fill_the_disk
        if self._grounds.clock is not None:
            found["clock"] = self._shift_the_clock
        if self._nights is not None:
            found["nightly"] = self._nights.begin
        return found

    def _stop_the_database(self) -> bool:
        self._grounds.database.strike(self._random.uniform(0, LONGEST_STOP))
        return True

    def _fill_the_disk(self) -> bool:
        """For a while; then somebody makes room, and starts the database if it gave up."""
        disk = self._grounds.disk
        assert disk is not None
        try:
            disk.fill()
            time.sleep(self._random.uniform(SHORTEST_FULL, LONGEST_FULL))
        finally:
            disk.empty()
        self._grounds.database.start()
        return True

    def _shift_the_clock(self) -> bool:
        clock = self._grounds.clock
        assert clock is not None
        if self._grounds.kind == "sqlite":
            clock.shift(self._random.choice(SHIFTS))
        else:
            others = [each for each in DIFFERENCES if each != clock.offset]
            clock.shift(self._random.choice(others) - clock.offset)
        return True
