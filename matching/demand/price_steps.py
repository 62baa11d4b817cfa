"""Fixed ranges of numbers: their bounds go 1, 2, 5, 10, 20, 50 ..., whatever people ask for.

Bounds that followed the searches would tell of them. Sets of ranges are bits of an integer: bit 0 is what is
below zero, bit n what is from `BOUNDS[n - 1]` to `BOUNDS[n]`, the last bit what is above all bounds.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

BOUNDS: tuple[float, ...] = (
    0.0,
    *(digit * 10.0**power for power in range(9) for digit in (1, 2, 5)),
    1e9,
)
RANGES = len(BOUNDS) + 1
EVERYTHING = (1 << RANGES) - 1


def ends_of(number: int) -> tuple[float | None, float | None]:
    """From where to where this range goes; None is no end."""
    return (
        BOUNDS[number - 1] if number > 0 else None,
        BOUNDS[number] if number < len(BOUNDS) else None,
    )


@lru_cache(maxsize=100_000)
def between(low: float | None, high: float | None) -> int:
    """The ranges that have some of these numbers; touching a bound is not enough. O(log(bounds)).

    A single number that is a bound belongs to the range that ends there: 200 is in 100 to 200.
    """
    if low is not None and low == high:
        return 1 << bisect_left(BOUNDS, low)
    first = 0 if low is None else bisect_right(BOUNDS, low)
    last = len(BOUNDS) if high is None else bisect_left(BOUNDS, high)
    return ((1 << (last + 1)) - 1) & ~((1 << first) - 1) if first <= last else 0


def asked_for(operator: str, values: Sequence[float]) -> int:
    """The ranges in which this predicate can hold; all of them where it names no range."""
    match operator:
        case "<" | "<=":
            return between(None, values[0])
        case ">" | ">=":
            return between(values[0], None)
        case "between":
            return between(values[0], values[1])
        case "=" | "in" | "contains":
            found = 0
            for value in values:
                found |= between(value, value)
            return found
    return EVERYTHING


@lru_cache(maxsize=10_000)
def runs(ranges: int) -> tuple[tuple[int, int], ...]:
    """The bits as pairs: the first of a run of ranges, and the one after its last. O(ranges)."""
    found, start = [], None
    for number in range(RANGES + 1):
        is_in = ranges >> number & 1
        if is_in and start is None:
            start = number
        elif not is_in and start is not None:
            found.append((start, number))
            start = None
    return tuple(found)
