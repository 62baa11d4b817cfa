"""Taking no more than can be matched: when too many events wait, publishers are asked to come again later.

It is decided before a body is parsed, so that refusing costs next to nothing. A process counts them once
a second at most, and never much further than the limit.
"""

import time
from collections.abc import Callable
from functools import cache
from math import ceil

from django.conf import settings
from rest_framework import status
from rest_framework.exceptions import APIException

from matching import leases, metrics
from schema_registry.core.sentences import gettext as _

SECONDS_A_COUNT_IS_GOOD_FOR = 1.0
SHORTEST_WAIT, LONGEST_WAIT = 1, 60
USUAL_RATE = 500.0  # events matched in a second, as long as we have not seen how many it really are


class Overloaded(APIException):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "overloaded"

    def __init__(self, wait: int) -> None:
        super().__init__(_("Too many events wait to be matched; come again in {wait} s.", wait=wait))
        self.wait = wait


def refuse_when_overloaded() -> None:
    """Raises Overloaded."""
    backlog = _backlog(settings.BACKLOG_LIMIT)
    if backlog.is_too_long():
        metrics.SHED.inc()
        raise Overloaded(backlog.seconds_to_wait())


class Backlog:
    """The events that wait, as this process last counted them."""

    def __init__(self, limit: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._counted_at = float("-inf")
        self._count = 0
        self._rate = USUAL_RATE

    def is_too_long(self) -> bool:
        if self._clock() >= self._counted_at + SECONDS_A_COUNT_IS_GOOD_FOR:
            self._count_anew()
        return self._count > self._limit

    def seconds_to_wait(self) -> int:
        """Until the work is down to the limit, if it goes on as it went."""
        return min(max(ceil((self._count - self._limit) / self._rate), SHORTEST_WAIT), LONGEST_WAIT)

    def _count_anew(self) -> None:
        now, before = self._clock(), self._count
        elapsed = now - self._counted_at
        self._counted_at = now  # first of all, so that others do not count as well
        self._count = leases.waiting(most=2 * self._limit)
        done = before - self._count
        self._rate = done / elapsed if before > self._limit and done > 0 else USUAL_RATE


@cache
def _backlog(limit: int) -> Backlog:
    return Backlog(limit)
