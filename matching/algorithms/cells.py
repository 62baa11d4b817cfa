"""Cells: an attribute's range divided for H-Tree, and the choice of attributes and cells under a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod

import numpy as np
from numpy.typing import NDArray

from matching.algorithms.intervals import Ends

NO_CONSTRAINT = 0
_COUNTS = (2, 4, 8, 16, 32, 64, 128)
_OVERLAPS = (0.0, 0.5)
_SAMPLE = 2_000
_MOST_BUCKETS = 1 << 20
_MOST_PROBES = 1 << 10
_WORTH_IT = 0.95
_FREE = 1e-6

CellNumbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cells:
    """`count` equal cells from 1 on, each widened by `overlap / 2` of its width on either side; cell 0 is for
    those without a constraint, if there are any."""

    count: int
    overlap: float
    half_least: float
    half_span: float
    any_free: bool

    @property
    def size(self) -> int:
        return self.count + 1

    def storing(self, low: Ends, high: Ends) -> tuple[CellNumbers, CellNumbers]:
        """The first cell that each interval is stored in, and the one after its last."""
        begin, end = self._places(low), self._places(high)
        centre = np.minimum((begin + end) / 2, self.count - 1e-9).astype(np.int64)
        alone = (begin >= centre - self.overlap / 2) & (end <= centre + 1 + self.overlap / 2)
        first = np.where(alone, centre, np.minimum(begin, self.count - 1).astype(np.int64)) + 1
        last = np.where(alone, centre, np.minimum(end, self.count - 1).astype(np.int64)) + 1
        free = ~(np.isfinite(low) | np.isfinite(high))
        first[free] = last[free] = NO_CONSTRAINT
        return first, last + 1

    def probed(self, least: float, greatest: float) -> CellNumbers:
        """The cells that an event with values between these looks into; without a value, at most cell 0."""
        always = [NO_CONSTRAINT] if self.any_free else []
        if least > greatest:
            return np.array(always, np.int64)
        begin, end = self._places(np.array([least, greatest])).tolist()
        first = max(0, min(int(np.ceil(begin - 1 - self.overlap / 2)), self.count - 1, int(begin)))
        last = max(first, min(int(end + self.overlap / 2), self.count - 1))
        return np.array([*always, *range(first + 1, last + 2)], np.int64)

    def _places(self, values: Ends) -> Ends:
        """Where values lie, in cells from the range's beginning; those outside at its ends."""
        places = (np.clip(values, 2 * self.half_least, None) / 2 - self.half_least) / self.half_span
        return np.clip(places, 0.0, 1.0) * self.count


@dataclass(frozen=True, slots=True)
class _Choice:
    """What cells would do: how often each interval of the sample is stored, what share of all an event must
    check, and how many cells it probes."""

    cells: Cells
    stored: CellNumbers
    checked: float
    probes: float


def chosen_cells(
    ends: Sequence[tuple[Ends, Ends]], *, replication: float, enough: int
) -> list[tuple[int, Cells]]:
    """For each attribute to index its number and cells, until an event would check no more than `enough`.

    O(attributes * intervals)."""
    chosen: dict[int, _Choice] = {}
    count = len(ends[0][0]) if ends else 0
    choices = {attribute: _choices(low, high) for attribute, (low, high) in enumerate(ends)} if count else {}
    while count * prod(choice.checked for choice in chosen.values()) > enough:
        best, best_ratio = None, 0.0
        for attribute, several in choices.items():
            for choice in several:
                ratio = _gain(chosen, attribute, choice, replication)
                if ratio > best_ratio:
                    best, best_ratio = (attribute, choice), ratio
        if best is None:
            break
        chosen[best[0]] = best[1]
    return [(attribute, choice.cells) for attribute, choice in sorted(chosen.items())]


def _choices(low: Ends, high: Ends) -> list[_Choice]:
    finite = np.concatenate((low[np.isfinite(low)], high[np.isfinite(high)]))
    if not len(finite):
        return []
    half_least, half_greatest = float(finite.min() / 2), float(finite.max() / 2)
    half_span = half_greatest - half_least or 1.0
    any_free = bool((np.isinf(low) & np.isinf(high)).any())
    step = max(1, len(low) // _SAMPLE)
    low, high = low[::step], high[::step]
    free = float(np.mean(np.isinf(low) & np.isinf(high)))
    found = []
    for count in _COUNTS:
        for overlap in _OVERLAPS:
            cells = Cells(count, overlap, half_least, half_span, any_free)
            begin, end = cells.storing(low, high)
            checked = min(1.0, free + (1 + overlap) * (float(np.mean(end - begin)) - free) / count)
            found.append(_Choice(cells, end - begin, checked, 1 + overlap + any_free))
    return found


def _gain(chosen: dict[int, _Choice], attribute: int, choice: _Choice, replication: float) -> float:
    """How much less an event checks, per factor of replication; 0 if not worth it or over the budget."""
    after = [*(each for number, each in chosen.items() if number != attribute), choice]
    before = chosen.get(attribute)
    checked_before = before.checked if before else 1.0
    if (
        choice.checked > _WORTH_IT * checked_before
        or (stored := _stored(after)) > replication
        or prod(each.cells.size for each in after) > _MOST_BUCKETS
        or prod(each.probes for each in after) > _MOST_PROBES
    ):
        return 0.0
    price = max(_FREE, log(stored / _stored([*chosen.values()])))
    return log(checked_before / max(choice.checked, _FREE)) / price


def _stored(choices: Sequence[_Choice]) -> float:
    """How often a subscription is stored, on average over the sample."""
    return float(np.mean(prod((each.stored for each in choices), start=np.ones(1))))
