"""When to try again what did not arrive. Pure: the pace and the dice are passed in."""

from datetime import timedelta

MOST_ATTEMPTS = 12
GAPS = (
    timedelta(seconds=5),
    timedelta(seconds=30),
    timedelta(minutes=2),
    timedelta(minutes=10),
    timedelta(minutes=30),
    timedelta(hours=1),
    timedelta(hours=3),
    timedelta(hours=8),
    timedelta(hours=16),
    timedelta(hours=24),
    timedelta(hours=44),
)
JITTER = 0.2
LONGEST_REST = timedelta(hours=1)
FAILING_FOR_TOO_LONG = timedelta(days=5)
FAILING_TOO_OFTEN = 5
LONGEST_WAIT_ASKED_FOR = timedelta(days=1)


def gap(failures: int, *, pace: float, chance: float) -> timedelta:
    """How long to wait after so many failures in a row. `chance`, from 0 to 1, only ever makes it longer.

    Beyond the last gap it stays at that one.
    """
    plain = GAPS[min(failures, len(GAPS)) - 1]
    return plain * pace * (1 + JITTER * chance)


def rest(failures: int, *, pace: float, chance: float) -> timedelta:
    """How long a receiver is left alone after so many failures in a row.

    Not for as long as a single delivery is: once it is well again, all that waits for it shall go on soon.
    """
    return min(gap(failures, pace=pace, chance=chance), LONGEST_REST * pace)


def is_last(attempts: int) -> bool:
    return attempts >= MOST_ATTEMPTS


def has_failed_for_too_long(failures: int, failing_for: timedelta) -> bool:
    """Two failures with days of silence between them do not mean that nothing arrives."""
    return failures >= FAILING_TOO_OFTEN and failing_for >= FAILING_FOR_TOO_LONG


def asked_for(retry_after: str) -> timedelta | None:
    """What a receiver's Retry-After header asks for, if it is a number of seconds within reason."""
    if not (retry_after.isascii() and retry_after.isdigit()) or len(retry_after) > 9:
        return None
    wait = timedelta(seconds=int(retry_after))
    return wait if wait <= LONGEST_WAIT_ASKED_FOR else None
