"""Renewing the lease of a run beside its work, which may be silent for long: a snapshot, a stage of Spark."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from django.db import DatabaseError, connection

from matching.nightly import leasing, runs
from matching.nightly.runs import Held, LostRun

RENEW_EVERY_SECONDS = leasing.LEASE.total_seconds() / 4
_log = structlog.get_logger(__name__)


@contextmanager
def kept_alive(held: Held, *, every_seconds: float = RENEW_EVERY_SECONDS) -> Iterator[Callable[[], None]]:
    """The run stays ours in here. What is given raises LostRun should it be lost all the same.

    So does its next service.
    """
    is_over, lost = threading.Event(), threading.Event()
    beside = threading.Thread(
        target=_renew_until, args=(is_over, lost, held, every_seconds), name="nightly lease", daemon=True
    )

    def check() -> None:
        if lost.is_set():
            runs.renew(held)

    beside.start()
    try:
        yield check
    finally:
        is_over.set()
        beside.join()


def _renew_until(is_over: threading.Event, lost: threading.Event, held: Held, every_seconds: float) -> None:
    try:
        while not is_over.wait(every_seconds):
            try:
                runs.renew(held)
            except LostRun:
                _log.warning("run_lost", run=held.number)
                lost.set()
                return
            except DatabaseError as error:  # perhaps it is back in a moment, before the lease runs out
                _log.warning("lease_not_renewed", run=held.number, error=str(error))
    finally:
        connection.close()
