"""How often a predicate will hold, learnt from events; before there are any, guessed from subscriptions.

The guess is that events have the values that people ask for: a constant which one predicate in two hundred
of its attribute names is expected in one event of two hundred, and `price <= c` holds as often as other
constants are at most c. It counts as much as some tens of events would, so what was seen soon outweighs it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.axes import Floats, Ints, Pieces

EVENTS_OF_A_SAMPLE = 500  # the newest whole sample is what has been learnt
WEIGHT_OF_THE_GUESS = 20  # in events
OF_A_POINT, OF_AN_INTERVAL = 0.01, 0.5  # where not even a constant is known


class Selectivity:
    """Costs: observe O(points) for an event; expected O(pieces * log)."""

    def __init__(self) -> None:
        self._constants: dict[int, Floats] = {}
        self._seen: dict[int, Floats] = {}
        self._events = 0
        self._sample: list[list[tuple[int, float]]] = []

    def observe(self, points: list[tuple[int, float]]) -> None:
        """Learn from an event, given as its points on the axes."""
        self._sample.append(points)
        if len(self._sample) == EVENTS_OF_A_SAMPLE:
            rows = np.array([point for event in self._sample for point in event]).reshape(-1, 2)
            self._seen = _sorted_by_axis(rows[:, 0].astype(np.int64), rows[:, 1])
            self._events = len(self._sample)
            self._sample = []

    def know_constants(self, pieces: Pieces) -> None:
        """Guess by the constants of these; the guess stays that of the largest load."""
        ends = np.concatenate((pieces.low, pieces.high[pieces.high > pieces.low]))
        axes = np.concatenate((pieces.axis, pieces.axis[pieces.high > pieces.low]))
        finite = np.isfinite(ends)
        if finite.sum() >= sum(map(len, self._constants.values())):
            self._constants = _sorted_by_axis(axes[finite], ends[finite])

    def expected(self, pieces: Pieces) -> Floats:
        """For each piece, in what share of events a point will lie in it."""
        share = np.where(pieces.low == pieces.high, OF_A_POINT, OF_AN_INTERVAL)
        share[np.isinf(pieces.low) & np.isinf(pieces.high)] = 1.0
        for axis in np.unique(pieces.axis).tolist():
            rows = np.flatnonzero(pieces.axis == axis)
            low, high = pieces.low[rows], pieces.high[rows]
            constants = self._constants.get(axis, np.empty(0))
            guess = (_inside(constants, low, high) + share[rows]) / (len(constants) + 1)
            seen = _inside(self._seen.get(axis, np.empty(0)), low, high)
            share[rows] = (seen + WEIGHT_OF_THE_GUESS * guess) / (self._events + WEIGHT_OF_THE_GUESS)
        return share


def _sorted_by_axis(axes: NDArray[Any], points: Floats) -> dict[int, Floats]:
    return {axis: np.sort(points[axes == axis]) for axis in np.unique(axes).tolist()}


def _inside(points: Floats, low: Floats, high: Floats) -> Ints:
    """How many of the points, which are in ascending order, lie in each piece."""
    return np.searchsorted(points, high, "right") - np.searchsorted(points, low, "left")
