"""How a column of rows grows. All raise LookupError where there are fewer than two rows."""

from math import log

import numpy as np

from benchmarks.reproduce.figure import Rows


def exponent(rows: Rows, column: str, x: str = "subscriptions") -> float:
    """The e for which the column grows like x ^ e: 1 is linear."""
    _require_two(rows)
    places = [log(place) for place in rows.column(x)]
    return float(np.polyfit(places, [log(number) for number in rows.column(column)], 1)[0])


def last_over_first(rows: Rows, column: str) -> float:
    _require_two(rows)
    numbers = rows.column(column)
    return float(numbers[-1] / numbers[0])


def _require_two(rows: Rows) -> None:
    if len(rows) < 2:
        raise LookupError("fewer than two are measured")
